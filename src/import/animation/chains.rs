//! The runs of unmatched nodes above the joints of an animation file.

use glam::DMat4;

use super::matching::Matching;
use crate::rig::{LocalTransform, NodeId, Skeleton};

/// An unmatched node, seen as the lower end of a chain of unmatched nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Chain {
    /// Its upper end.
    pub(super) top: NodeId,
    /// The matched joint that the upper end is attached to; `None` if that is a root.
    pub(super) anchor: Option<NodeId>,
    /// `anchor_from_node` at rest.
    pub(super) rest: DMat4,
    /// Whether a clip drives a node of the chain.
    pub(super) moves: bool,
}

/// For each joint of the animation file, the chain whose lower end it is; `None` for matched ones.
///
/// * `animated` – for each joint, whether a clip drives it.
pub(super) fn chains(
    animation: &Skeleton,
    matching: &Matching,
    animated: &[bool],
) -> Vec<Option<Chain>> {
    let mut chains: Vec<Option<Chain>> = Vec::with_capacity(animation.len());
    for (id, joint) in animation.iter() {
        let above = joint.parent.and_then(|parent| chains[parent.index()]);
        let rest = to_f64(&joint.rest);
        let moves = animated[id.index()];
        let chain = match above {
            Some(above) => Chain {
                rest: above.rest * rest,
                moves: above.moves || moves,
                ..above
            },
            None => Chain {
                top: id,
                anchor: joint.parent,
                rest,
                moves,
            },
        };
        chains.push(matching.model_joint(id).is_none().then_some(chain));
    }
    chains
}

/// `parent_from_joint` in the precision of products and inverses.
pub(super) fn to_f64(rest: &LocalTransform) -> DMat4 {
    rest.to_matrix().as_dmat4()
}
