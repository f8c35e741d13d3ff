//! `H304`: hierarchy-cycle.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that every node has at most one parent, and that none is its own ancestor.
    ///
    /// ## Why is this bad?
    /// A node's transform in the world is its parent's times its own. With two parents it has two, and readers choose
    /// differently. In a cycle it has none, and readers that walk the hierarchy never return.
    ///
    /// ## How to fix
    /// - Give each node at most one parent, and never one of its own descendants.
    /// - Exporters: list each node as a child of exactly one other. Instances of one subtree need nodes of their own.
    /// - Tools that merge files or re-parent nodes: remove the old link when making the new one.
    ///
    /// The remaining checks keep the first parent, and drop the link that closes a cycle.
    ///
    /// ## References
    /// - glTF 2.0 §3.5.2 (the nodes are disjoint strict trees); glTF-Validator `NODE_PARENT_OVERRIDE`, `NODE_LOOP`.
    HierarchyCycle, "H304", "hierarchy-cycle", Error, HierarchyCycle, "link"
}
