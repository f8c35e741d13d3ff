//! Rules of this family that report defects recorded by importers.

use crate::lint::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that each skin has an inverse bind matrix for each of its joints.
    ///
    /// In glTF, extra matrices are ignored, and no matrices at all mean identities. Both are allowed.
    ///
    /// ## Why is this bad?
    /// It is undefined which joint lacks its matrix. The vertices of the last joints collapse to the origin, or stay in
    /// the bind pose while the rest moves. Loaders that trust the count read past the end of the array, and some crash.
    ///
    /// ## How to fix
    /// - Write one inverse bind matrix for each joint of the skin.
    /// - Exporters: write the matrices from the same list as the joints, after joints have been added or removed.
    /// - Blender, Maya: export again. Skins edited by a script or merged from several need a new bind pose.
    ///
    /// The remaining checks bind joints without a matrix in their rest pose.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.1; glTF-Validator `INVALID_IBM_ACCESSOR_COUNT`.
    InverseBindCount, "B203", "inverse-bind-count", Error, InverseBindCount, "skin"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that a mesh with a skin has weights, and a mesh with weights has a skin.
    ///
    /// ## Why is this bad?
    /// One is useless without the other: the mesh is not deformed. It stays behind, or moves rigidly with its node,
    /// while the rest of the character moves. Engines draw it at the node, at the origin, or not at all.
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
