//! The scales that a node inherits; see [`local`](super::local).

use ufbx::{InheritMode, Node};

/// The nodes whose scales multiply to the scale that `node` passes on: itself first, then up to the first node with
/// normal inheritance.
fn chain(node: Option<&Node>) -> impl Iterator<Item = &Node> {
    std::iter::successors(node, |node| match node.inherit_mode {
        InheritMode::Normal => None,
        _ => node.inherit_scale_node.as_deref(),
    })
}

/// The nodes whose scales multiply the translation of `node`.
pub(super) fn movers(node: &Node) -> impl Iterator<Item = &Node> {
    let parent = node.parent.as_deref();
    chain(parent.filter(|_| node.inherit_mode != InheritMode::Normal))
}

/// The nodes whose scales multiply the scale of `node`, without itself.
pub(super) fn scalers(node: &Node) -> impl Iterator<Item = &Node> {
    let from = node.inherit_scale_node.as_deref();
    chain(from.filter(|_| node.inherit_mode != InheritMode::Normal))
}
