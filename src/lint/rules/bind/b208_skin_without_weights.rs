//! `B208`: skin-without-weights.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that a mesh with a skin has weights, and a mesh with weights has a skin.
    ///
    /// ## Why is this bad?
    /// One half is useless without the other: the mesh is not deformed. It stays behind like a statue, or follows its
    /// node rigidly, while the rest of the character moves. Engines draw it at the node, at the origin, or not at all.
    ///
    /// ## How to fix
    /// - Weight the mesh if it should bend, and remove its skin if it should not.
    /// - Blender: give the mesh an *Armature* modifier with the armature as its object, and vertex groups named after
    ///   bones. For a mesh that should stay rigid, remove the modifier and parent it to a bone.
    /// - Maya: bind the mesh to the skeleton, or delete its skin cluster.
    /// - Exporters: write `skin` on the nodes of meshes with `JOINTS_0` and `WEIGHTS_0`, and on no others.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.3; glTF-Validator `NODE_SKIN_WITH_NON_SKINNED_MESH`, `NODE_SKINNED_MESH_WITHOUT_SKIN`.
    SkinWithoutWeights, "B208", "skin-without-weights", Error, SkinWithoutWeights, "node"
}
