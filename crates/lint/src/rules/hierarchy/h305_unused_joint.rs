//! `H305`: unused-joint.

use crate::analysis::joints::{self, Skinned};
use crate::analysis::naming::{Pairs, is_control, is_digit, is_end, is_garment, speaks_of};
use crate::rig::{Asset, NodeId};
use crate::{Context, Findings, Rule, declare_rule};

declare_rule! {
    UnusedJoint, "H305", "unused-joint", Hint, Judged
}

/// That many unused joints in a row are a limb without weights.
const ROW: usize = 3;

/// The end of a limb is closer to the surface than this part of the limb's length, a garment than that part of its own. A body
/// without the limb has only a stump.
const LIMB: f64 = 0.5;
const GARMENT: f64 = 0.3;

/// Words in the names of limbs that only some bodies have.
const LIMBS: [&str; 15] = [
    "head", "neck", "jaw", "arm", "forearm", "upperarm", "hand", "finger", "leg", "thigh", "calf",
    "foot", "toe", "tail", "wing",
];

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
        let unused: Vec<NodeId> = joints::nodes(cx.asset).filter(is_unused).collect();
        let mut lost = lost(cx, &unused, &followed);
        for (_, skin) in joints::skins(cx.asset) {
            let mut used = skin.joints.iter().filter(|joint| followed[joint.index()]);
            let first = used.next();
            if first.is_some() && used.all(|joint| Some(joint) == first) {
                for joint in &skin.joints {
                    lost[joint.index()] = false;
                }
            }
        }
        for is_lost in [true, false] {
            let own = unused.iter().filter(|joint| lost[joint.index()] == is_lost);
            joints::report_by_skin_at(cx, out, own.copied(), !is_lost, |_| {
                "neither it nor any joint below it has weights".to_owned()
            });
        }
    }
}

/// One flag per node: whether it is one of the `unused` joints and was meant to move vertices.
fn lost(cx: &Context<'_>, unused: &[NodeId], followed: &[bool]) -> Vec<bool> {
    let counterparts = cx.get::<Pairs>().counterparts(cx.asset);
    let counterpart = |joint: &NodeId| counterparts[joint.index()];
    let is_unused = joints::flags(cx.asset, unused.iter().copied());
    let is_one_sided =
        |joint: &&NodeId| counterpart(joint).is_some_and(|other| followed[other.index()]);
    let mut one_sided: Vec<NodeId> = unused.iter().filter(is_one_sided).copied().collect();
    // One finger or toe that is merged into its neighbour, not all of a hand.
    if one_sided.len() < ROW && one_sided.iter().all(|own| is_digit(cx.joint_name(*own))) {
        one_sided.clear();
    }
    let is_meant = |joint: &NodeId| {
        let is_two_sided = counterpart(joint).is_some_and(|other| is_unused[other.index()]);
        !is_two_sided && !is_control(cx.joint_name(*joint))
    };
    let parent = |joint: &NodeId| cx.asset.skeleton[*joint].parent;
    let meant: Vec<NodeId> = unused.iter().copied().filter(is_meant).collect();
    let is_meant = joints::flags(cx.asset, meant.iter().copied());
    let is_inner = joints::flags(cx.asset, meant.iter().filter_map(parent));
    let mut rows = vec![false; cx.asset.skeleton.len()];
    for end in meant.iter().filter(|own| !is_inner[own.index()]) {
        let above = std::iter::successors(Some(*end), parent);
        let row = above.take_while(|own| is_meant[own.index()] && !rows[own.index()]);
        let row: Vec<NodeId> = row.collect();
        let stem = row.last().and_then(parent);
        // A row may begin in another one.
        let is_long = row.len() >= ROW || stem.is_some_and(|stem| rows[stem.index()]);
        let names = || row.iter().map(|own| cx.joint_name(*own));
        let part = if names().any(is_garment) {
            Some(GARMENT)
        } else {
            let is_limb = names().any(|name| speaks_of(&LIMBS, name));
            is_limb.then_some(LIMB)
        };
        let is_lacking = part
            .zip(stem)
            .is_some_and(|(part, stem)| is_away(cx, [*end, stem], part));
        if is_long && !is_lacking {
            for own in row {
                rows[own.index()] = true;
            }
        }
    }
    for own in one_sided {
        rows[own.index()] = true;
    }
    rows
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
