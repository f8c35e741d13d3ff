//! Where the joints are: from the rest pose, a clip at a time, the bind pose or a file, to world space.

mod bind;
pub mod file;
mod hierarchy;
mod interpolate;
#[cfg(test)]
pub(crate) mod law;
mod playback;
#[cfg(test)]
pub(crate) mod rigs;
mod sample;
mod select;

use glam::Mat4;

use crate::rig::{Asset, LocalTransform};

pub use bind::bind;
pub use file::{PoseFile, PoseFileError, PoseFormat};
pub use hierarchy::model_pose;
pub use playback::{
    DEFAULT_FRAME_RATE, Moment, Playback, PlaybackError, Wrap, frame_rate, resolve,
};
pub use sample::sample;
pub(crate) use sample::sample_finite;
pub use select::{SUGGESTED, SelectError, find_clip, find_joint};

/// One pose, each joint relative to its parent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pose {
    /// `parent_from_joint`, one a joint of the skeleton.
    pub locals: Vec<LocalTransform>,
    /// One list an instance of the asset, one weight a morph target.
    pub morph_weights: Vec<Vec<f32>>,
}

/// One pose in world space (the file's axes and units).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelPose {
    /// `world_from_joint`, one a joint of the skeleton.
    pub joints: Vec<Mat4>,
    /// One list an instance of the asset, one weight a morph target.
    pub morph_weights: Vec<Vec<f32>>,
}

/// The pose that no clip drives: the transforms and morph weights that the file gives the nodes themselves.
#[must_use]
pub fn rest(asset: &Asset) -> Pose {
    let joints = asset.skeleton.joints();
    Pose {
        locals: joints.iter().map(|joint| joint.rest).collect(),
        morph_weights: rest_morph_weights(asset),
    }
}

/// One list an instance, as the file gives them.
fn rest_morph_weights(asset: &Asset) -> Vec<Vec<f32>> {
    let weights = asset.instances.iter().map(|i| i.morph_weights.clone());
    weights.collect()
}
