//! How large a model is.

use glam::DVec3;

use crate::pose::{ModelPose, model_pose, rest};
use crate::rig::{Asset, JointId, SkinningOptions};
use crate::skinning::deform_positions;

/// The diagonal of the box around the model in its rest pose, in its own unit; around its joints where it has no
/// vertices. `None` where that is nothing to measure by: no box, or one of no size.
pub(super) fn diagonal(asset: &Asset) -> Option<f64> {
    let pose = model_pose(asset, &rest(asset));
    let meshes = deform_positions(asset, &pose, &SkinningOptions::default()).unwrap_or_default();
    let vertices = meshes.iter().flat_map(|mesh| &mesh.positions);
    let of_vertices = length_of_box(vertices.map(|position| position.as_dvec3()));
    of_vertices.or_else(|| {
        let joints = (0..asset.skeleton.len()).map(JointId::from_index);
        length_of_box(joints.map(|joint| origin(&pose, joint)))
    })
}

fn length_of_box(points: impl Iterator<Item = DVec3>) -> Option<f64> {
    let finite = points.filter(|point| point.is_finite());
    let boxed = finite.fold(None, |bounds: Option<(DVec3, DVec3)>, point| {
        let (min, max) = bounds.unwrap_or((point, point));
        Some((min.min(point), max.max(point)))
    });
    let (min, max) = boxed?;
    let length = (max - min).length();
    (length.is_finite() && length > 0.0).then_some(length)
}

/// Where `joint` is in the world; not a number if `pose` lacks it.
pub(super) fn origin(pose: &ModelPose, joint: JointId) -> DVec3 {
    let world = pose.joints.get(joint.index());
    world.map_or(DVec3::NAN, |world| world.w_axis.truncate().as_dvec3())
}
