//! From joints relative to their parents to joints in the world.

use glam::Mat4;

use super::{ModelPose, Pose};
use crate::rig::{Asset, JointId};

/// Concatenates the transforms of `pose` from the roots down: `world_from_joint = world_from_parent * parent_from_joint`.
///
/// * `pose` – one local transform a joint; a joint past the end of the list keeps its rest transform.
///
/// The root's own transform counts, whether or not it is bound by a skin. Morph weights pass through.
#[must_use]
pub fn model_pose(asset: &Asset, pose: &Pose) -> ModelPose {
    let local = |joint: JointId, rest| *pose.locals.get(joint.index()).unwrap_or(rest);
    let mut joints: Vec<Mat4> = Vec::with_capacity(asset.skeleton.len());
    for (id, joint) in asset.skeleton.iter() {
        let parent_from_joint = local(id, &joint.rest).to_matrix();
        joints.push(under_parent(&joints, joint.parent, parent_from_joint));
    }
    ModelPose {
        joints,
        morph_weights: pose.morph_weights.clone(),
    }
}

/// `world_from_joint` of a joint whose parent is already in `worlds`.
pub(super) fn under_parent(
    worlds: &[Mat4],
    parent: Option<JointId>,
    parent_from_joint: Mat4,
) -> Mat4 {
    match parent.and_then(|parent| worlds.get(parent.index())) {
        Some(&world_from_parent) => world_from_parent * parent_from_joint,
        None => parent_from_joint,
    }
}
