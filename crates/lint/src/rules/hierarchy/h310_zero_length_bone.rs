//! `H310`: zero-length-bone.

use glam::{DVec3, Mat4};

use crate::analysis::joints;
use crate::pose::{model_pose, rest};
use crate::rig::{Bounds, NodeId, Skin};
use crate::{Context, Findings, Limit, LimitRange, Rule, declare_rule};

/// Of the diagonal of the box around the skin's joints. Positions of joints come from a few dozen f32 products, each
/// with an error of 6e-8 of the rig's size, or from text with six digits: 5e-6 at most. Distances below twice that
/// cannot be distinguished from 0.
const DISTANCE: Limit = Limit::new("distance", 1e-5, LimitRange::PART)
    .about("minimum length of a bone, over the diagonal of the box around the skin's joints");

declare_rule! {
    ZeroLengthBone, "H310", "zero-length-bone", Info, Proved, limits = &[DISTANCE]
}

impl Rule for ZeroLengthBone {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DISTANCE);
        let (followed, parents) = (joints::followed(cx.asset), joints::bound_parents(cx.asset));
        let owners = joints::owners(cx.asset);
        let worlds = model_pose(cx.asset, &rest(cx.asset)).nodes;
        let sizes: Vec<f64> = joints::skins(cx.asset)
            .map(|(_, skin)| size(skin, &worlds))
            .collect();
        let is_short = |joint: &NodeId| {
            let Some((parent, owner)) = parents[joint.index()].zip(owners[joint.index()]) else {
                return false;
            };
            let both = followed[joint.index()] && followed[parent.index()];
            let length = origin(&worlds[joint.index()]) - origin(&worlds[parent.index()]);
            both && length.length() <= limit * sizes[owner.index()]
        };
        let all = joints::nodes(cx.asset);
        joints::report_by_skin(cx, out, all.filter(is_short), |_| {
            "is at its parent joint's position, and both have weights".to_owned()
        });
    }
}

fn origin(world: &Mat4) -> DVec3 {
    world.w_axis.truncate().as_dvec3()
}

/// The diagonal of the box around the finite joints of `skin`.
fn size(skin: &Skin, worlds: &[Mat4]) -> f64 {
    let origins = skin
        .joints
        .iter()
        .map(|joint| origin(&worlds[joint.index()]));
    Bounds::of(origins).diagonal()
}
