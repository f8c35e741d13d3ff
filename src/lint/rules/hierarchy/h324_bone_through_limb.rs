//! `H324`: bone-through-limb.

use glam::DVec3;

use crate::lint::analysis::deformation::rest;
use crate::lint::analysis::joints;
use crate::lint::analysis::solid::Solid;
use crate::lint::{Context, Findings, Follows, Offence, Rule, Through, declare_rule, follows};
use crate::rig::NodeId;

/// Where along a bone it is examined: not at its ends, where limbs meet.
const STATIONS: [f64; 4] = [0.2, 0.4, 0.6, 0.8];

/// The number of stations that must be in another limb.
const FEWEST: usize = 2;

/// Joints that are this many steps apart are neighbours: a collarbone runs in the chest and beside the neck, and a finger
/// beside the next one.
const STEPS: usize = 2;

/// Bones shorter than this part of the model are those of faces and hands, which lie close together.
const SHORT: f64 = 0.03;

declare_rule! {
    BoneThroughLimb, "H324", "bone-through-limb", OnRequest
}

impl Rule for BoneThroughLimb {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Model => ["B211"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(rest) = rest(cx) else {
            return;
        };
        let solid = cx.get::<Solid>();
        let (followed, parents) = (joints::followed(cx.asset), joints::bound_parents(cx.asset));
        let place = |node: NodeId| rest.pose.nodes[node.index()].w_axis.truncate().as_dvec3();
        let homes = joints::Homes::of(cx);
        let nodes = joints::nodes(cx.asset);
        for node in nodes.filter(|node| followed[node.index()]) {
            if cx.deadline.has_passed() {
                return;
            }
            let Some(parent) = parents[node.index()].filter(|parent| followed[parent.index()])
            else {
                continue;
            };
            let ends = [place(parent), place(node)];
            let length = ends[0].distance(ends[1]);
            if length < SHORT * rest.size || !length.is_finite() {
                continue;
            }
            let own = near(&parents, [parent, node]);
            let foreign = STATIONS.map(|along| {
                let point: DVec3 = ends[0].lerp(ends[1], along);
                let owner = solid.nearest(point)?.owner?;
                // Another skeleton at the same place is another character, or another level of detail.
                let is_same = top(&parents, owner) == top(&parents, node);
                let is_foreign = is_same && !is_near(&parents, &own, owner);
                (is_foreign && solid.contains(point)).then_some(owner)
            });
            let count = foreign.iter().flatten().count();
            let Some(other) = foreign
                .into_iter()
                .flatten()
                .next()
                .filter(|_| count >= FEWEST)
            else {
                continue;
            };
            out.add(Offence::of(homes.location(node), "bone"), |subject| {
                let (parent, other) = (cx.joint_label(parent), cx.joint_label(other));
                let message =
                    format!("the bone from {parent:?} to it runs through the surface of {other:?}");
                (subject.of_joint(node), message)
            });
        }
    }
}

/// The topmost joint above one.
fn top(parents: &[Option<NodeId>], joint: NodeId) -> NodeId {
    let chain = std::iter::successors(Some(joint), |joint: &NodeId| parents[joint.index()]);
    chain.last().unwrap_or(joint)
}

/// The joints at most [`STEPS`] above those of `ends`, each with its steps.
fn near(parents: &[Option<NodeId>], ends: [NodeId; 2]) -> Vec<(NodeId, usize)> {
    let above = |end: NodeId| {
        let chain = std::iter::successors(Some(end), |joint: &NodeId| parents[joint.index()]);
        chain.zip(0..=STEPS)
    };
    ends.into_iter().flat_map(above).collect()
}

/// Whether a joint is at most [`STEPS`] away, through the nearest joint above both.
fn is_near(parents: &[Option<NodeId>], near: &[(NodeId, usize)], joint: NodeId) -> bool {
    let chain = std::iter::successors(Some(joint), |joint: &NodeId| parents[joint.index()]);
    chain.zip(0..=STEPS).any(|(above, up)| {
        let mut shared = near.iter().filter(|(own, _)| *own == above);
        shared.any(|(_, down)| up + down <= STEPS)
    })
}
