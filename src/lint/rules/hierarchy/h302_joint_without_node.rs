//! `H302`: joint-without-node.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that every joint of a skin, or bone of a mesh, is a node of the file.
    ///
    /// ## Why is this bad?
    /// Nothing says where the joint is, what its parent is, or what moves it. Its vertices stay in the bind pose or
    /// collapse to the origin while their neighbours move. Many loaders refuse the file.
    ///
    /// ## How to fix
    /// - Export the whole skeleton together with the mesh.
    /// - Blender, Maya: export the whole skeleton with the mesh, not a selection. If bones were deleted after binding,
    ///   bind the mesh again.
    /// - Exporters: when filtering nodes (hidden ones, helpers, other layers), keep those that skins name. Resolve
    ///   bones by identity rather than by names that may have changed.
    ///
    /// The remaining checks run without the joint; the other influences of its vertices take over its weight.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.2 (joints are indices of nodes); glTF-Validator `UNRESOLVED_REFERENCE`.
    JointWithoutNode, "H302", "joint-without-node", Error, JointWithoutNode, "joint"
}
