//! `H316`: joint-outside-scene.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that the joints of each skinned mesh that the glTF scene shows are nodes of this scene.
    ///
    /// ## Why is this bad?
    /// Engines create the nodes of the scene and nothing else. Joints outside it are missing: the mesh stays in its bind
    /// pose, collapses to the origin, or the file does not load.
    ///
    /// ## How to fix
    /// - Add the root of the skeleton to the nodes of the scene.
    /// - Blender: export with the armature selected, or without *Limit to Selected Objects*.
    /// - Exporters: write the roots of all joints into the scene that shows the mesh.
    ///
    /// The remaining checks pose these joints as if they were in the scene.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.2; glTF-Validator `NODE_SKIN_NO_SCENE`.
    JointOutsideScene, "H316", "joint-outside-scene", Warning, JointOutsideScene, "joint"
}
