//! `H305`: unused-joint.

use std::collections::{BTreeMap, BTreeSet};

use crate::lint::analysis::joints::{self, Skinned};
use crate::lint::analysis::naming::{Pairs, is_control, is_digit, is_end, is_garment, speaks_of};
use crate::lint::{Context, Findings, Rule, declare_rule};
use crate::rig::{Asset, NodeId};

declare_rule! {
    UnusedJoint, "H305", "unused-joint", Warning
}

/// That many unused joints in a row are a limb without weights.
const ROW: usize = 3;

/// A garment is within this part of a bone's length of the joint at its end.
const BARE: f64 = 0.3;

/// Words in the names of limbs that only some bodies have.
const LIMBS: [&str; 15] = [
    "head", "neck", "jaw", "arm", "forearm", "upperarm", "hand", "finger", "leg", "thigh", "calf",
    "foot", "toe", "tail", "wing",
];

/// The end of a limb is closer to the surface than this part of the limb's length. A body without the limb has only a stump.
const LACKING: f64 = 0.5;

impl Rule for UnusedJoint {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let followed = joints::followed(cx.asset);
        // If no vertex has weights at all, B208 reports that.
        if !followed.contains(&true) {
            return;
        }
        let (needed, bound) = (needed(cx.asset, followed.clone()), cx.asset.bound_joints());
        let is_unused = |joint: &NodeId| {
            let index = joint.index();
            bound[index] && !needed[index] && !is_end(cx, *joint)
        };
        let all = joints::nodes(cx.asset);
        let unused: BTreeSet<NodeId> = all.filter(is_unused).collect();
        let mut lost = lost(cx, &unused, &followed);
        for (_, skin) in joints::skins(cx.asset) {
            let used = skin.joints.iter().filter(|joint| followed[joint.index()]);
            if used.collect::<BTreeSet<_>>().len() == 1 {
                skin.joints.iter().for_each(|joint| {
                    lost.remove(joint);
                });
            }
        }
        for is_lost in [true, false] {
            let own = unused
                .iter()
                .filter(|joint| lost.contains(*joint) == is_lost);
            joints::report_by_skin_at(cx, out, own.copied(), !is_lost, |_| {
                "neither it nor any joint below it has weights".to_owned()
            });
        }
    }
}

/// The unused joints that were meant to move vertices.
fn lost(cx: &Context<'_>, unused: &BTreeSet<NodeId>, followed: &[bool]) -> BTreeSet<NodeId> {
    let pairs = cx.get::<Pairs>().all();
    let both = pairs.flat_map(|pair| [(pair.left, pair.right), (pair.right, pair.left)]);
    let unused_of_pairs: Vec<(NodeId, NodeId)> =
        both.filter(|(own, _)| unused.contains(own)).collect();
    let one_sided = unused_of_pairs
        .iter()
        .filter(|(_, other)| followed[other.index()]);
    let mut lost: BTreeSet<NodeId> = one_sided.map(|(own, _)| *own).collect();
    // One finger or toe that is merged into its neighbour, not all of a hand.
    if lost.len() < ROW && lost.iter().all(|own| is_digit(cx.joint_name(*own))) {
        lost.clear();
    }
    let two_sided: BTreeSet<NodeId> = unused_of_pairs
        .iter()
        .filter(|(_, other)| unused.contains(other))
        .map(|(own, _)| *own)
        .collect();
    let above = |joint: &NodeId| {
        let parent = cx.asset.skeleton[*joint].parent;
        parent.filter(|parent| unused.contains(parent))
    };
    // The row that ends at each joint, if all of it is meant to move vertices. Parents come before their children.
    let mut rows: BTreeMap<NodeId, Row> = BTreeMap::new();
    for joint in unused {
        let before = match above(joint) {
            Some(parent) => rows.get(&parent).copied(),
            None => Some(Row {
                stem: cx.asset.skeleton[*joint].parent,
                joints: 0,
                is_limb: false,
            }),
        };
        let is_spare = two_sided.contains(joint)
            || is_control(cx.joint_name(*joint))
            || is_not_worn(cx, *joint);
        if let Some(before) = before.filter(|_| !is_spare) {
            let row = Row {
                joints: before.joints + 1,
                is_limb: before.is_limb || speaks_of(&LIMBS, cx.joint_name(*joint)),
                ..before
            };
            rows.insert(*joint, row);
        }
    }
    let inner: BTreeSet<NodeId> = rows.keys().filter_map(above).collect();
    let long = rows
        .iter()
        .filter(|(joint, row)| row.joints >= ROW && !inner.contains(joint));
    let is_lacking = |joint: NodeId, row: &Row| {
        row.is_limb
            && row
                .stem
                .is_some_and(|stem| is_away(cx, [joint, stem], LACKING))
    };
    let ends = long.filter(|(joint, row)| !is_lacking(**joint, row));
    let mut limbs = BTreeSet::new();
    for (end, _) in ends {
        let limb = std::iter::successors(Some(*end), above);
        limb.take_while(|own| limbs.insert(*own)).for_each(drop);
    }
    lost.extend(limbs);
    lost
}

/// Unused joints, each below the one before.
#[derive(Clone, Copy)]
struct Row {
    /// The joint above the first.
    stem: Option<NodeId>,
    joints: usize,
    /// Whether one of them is named after a limb.
    is_limb: bool,
}

/// Whether a joint is for a garment and no vertex is near it.
fn is_not_worn(cx: &Context<'_>, joint: NodeId) -> bool {
    let parent = cx.asset.skeleton[joint].parent;
    is_garment(cx.joint_name(joint))
        && parent.is_some_and(|parent| is_away(cx, [joint, parent], BARE))
}

/// Whether all vertices are farther from where `joint` is bound than `part` of its distance from the joint `above`.
fn is_away(cx: &Context<'_>, [joint, above]: [NodeId; 2], part: f64) -> bool {
    let is_away = |user: &Skinned<'_>| {
        let bound = |joint: NodeId| {
            let slot = user.skin.joints.iter().position(|own| *own == joint)?;
            joints::bind_position(&user.skin.inverse_bind_matrices[slot])
        };
        bound(joint).zip(bound(above)).is_none_or(|(own, above)| {
            let near = part * own.distance(above);
            let mut vertices = user.mesh.positions.iter();
            vertices.all(|vertex| vertex.as_dvec3().distance(own) > near)
        })
    };
    joints::skinned(cx.asset).iter().all(is_away)
}

/// Joints with something visible attached.
fn needed(asset: &Asset, followed: Vec<bool>) -> Vec<bool> {
    let mut needed = followed;
    for instance in asset
        .instances
        .iter()
        .filter(|instance| instance.skin.is_none())
    {
        needed[instance.node.index()] = true;
    }
    joints::add_ancestors(asset, &mut needed);
    needed
}
