//! How large a model is.

use crate::lint::analysis::deformation;
use glam::DVec3;

use crate::lint::Context;
use crate::pose::{ModelPose, model_pose, rest};
use crate::rig::{Asset, Bounds, JointId};

/// The diagonal of the box around what is skinned (or all, where nothing is) in the rest pose, in the model's unit, strays
/// left out; around the joints where there are no vertices. `None` where that is nothing to measure by: no box, or one of no size.
pub(super) fn diagonal(cx: &Context<'_>) -> Option<f64> {
    let usable = |size: &f64| size.is_finite() && *size > 0.0;
    let rest = deformation::rest(cx);
    let of_vertices = rest.map(|rest| rest.size).filter(usable);
    of_vertices.or_else(|| Some(of_joints(cx.asset)).filter(usable))
}

fn of_joints(asset: &Asset) -> f64 {
    let pose = model_pose(asset, &rest(asset));
    let joints = (0..asset.skeleton.len()).map(JointId::from_index);
    Bounds::of(joints.map(|joint| origin(&pose, joint))).diagonal()
}

/// Where `joint` is in the world; not a number if `pose` lacks it.
pub(super) fn origin(pose: &ModelPose, joint: JointId) -> DVec3 {
    let world = pose.joints.get(joint.index());
    world.map_or(DVec3::NAN, |world| world.w_axis.truncate().as_dvec3())
}
