//! `H302`: joint-without-node.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that every joint of a skin, or bone of a mesh, is a node of the file.
    ///
    /// ## Why is this bad?
    /// The joint cannot be placed: nothing says where it is, what it hangs on, or what moves it. Its vertices stay in the
    /// bind pose or collapse to the origin while their neighbours move, and many loaders refuse the file.
    ///
    /// ## How to fix
    /// - Blender, Maya: export the whole skeleton with the mesh, not a selection of it; bind meshes of bones that were
    ///   deleted again.
    /// - Exporters: when nodes are filtered (hidden ones, helpers, other layers), keep those that skins name; resolve
    ///   bones by identity rather than by names that may have been changed.
    ///
    /// The model is checked on without the joint; the other influences of its vertices take their weights over.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.2 (joints are indices of nodes); glTF-Validator `UNRESOLVED_REFERENCE`.
    JointWithoutNode, "H302", "joint-without-node", Error, JointWithoutNode, "joint"
}
