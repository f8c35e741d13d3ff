//! The size of a model.

use crate::lint::analysis::deformation;
use glam::DVec3;

use crate::lint::Context;
use crate::pose::{ModelPose, model_pose, rest};
use crate::rig::{Asset, Bounds, NodeId};

/// The diagonal of the box around the skinned meshes (or all, if none is) in the rest pose, in the model's unit,
/// without strays; around the joints if there are no vertices. `None` if there is no box, or one without extent.
pub(super) fn diagonal(cx: &Context<'_>) -> Option<f64> {
    let usable = |size: &f64| size.is_finite() && *size > 0.0;
    let rest = deformation::rest(cx);
    let of_vertices = rest.map(|rest| rest.size).filter(usable);
    of_vertices.or_else(|| Some(of_joints(cx.asset)).filter(usable))
}

fn of_joints(asset: &Asset) -> f64 {
    let pose = model_pose(asset, &rest(asset));
    let joints = (0..asset.skeleton.len()).map(NodeId::from_index);
    Bounds::of(joints.map(|joint| origin(&pose, joint))).diagonal()
}

/// The position of `joint` in the world; NaN if `pose` lacks it.
pub(super) fn origin(pose: &ModelPose, joint: NodeId) -> DVec3 {
    let world = pose.joints.get(joint.index());
    world.map_or(DVec3::NAN, |world| world.w_axis.truncate().as_dvec3())
}
