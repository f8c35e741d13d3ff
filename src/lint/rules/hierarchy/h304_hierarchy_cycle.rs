//! `H304`: hierarchy-cycle.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that every node has at most one parent, and none is its own ancestor.
    ///
    /// ## Why is this bad?
    /// A node's place in the world is that of its parent times its own. With two parents it has two places, and which one
    /// counts is up to the reader; in a circle it has none, and readers that walk up or down the hierarchy never return.
    ///
    /// ## How to fix
    /// - Exporters: write each node into the children of exactly one other; instances of one subtree need nodes of their
    ///   own.
    /// - Tools that merge files or re-parent nodes: remove the old link when the new one is made.
    ///
    /// The model is checked on with the first parent, and without the link that closes a circle.
    ///
    /// ## References
    /// - glTF 2.0 §3.5.2 (the nodes are disjoint strict trees); glTF-Validator `NODE_PARENT_OVERRIDE`, `NODE_LOOP`.
    HierarchyCycle, "H304", "hierarchy-cycle", Error, HierarchyCycle, "link"
}
