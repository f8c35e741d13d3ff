//! Poses: from the rest pose, a clip at a sample time, the bind pose or a file, to world space.

mod bind;
mod default_clip;
pub mod file;
mod hierarchy;
mod interpolate;
#[cfg(test)]
pub(crate) use crate::units::law;
mod playback;
#[cfg(test)]
pub(crate) mod rigs;
mod sample;
mod select;

use glam::Mat4;

use crate::rig::{Asset, LocalTransform};

pub use bind::bind;
pub use default_clip::{DefaultClip, Idle, default_clip, idle};
pub use file::{PoseFile, PoseFileError, PoseFormat};
pub use hierarchy::model_pose;
pub use playback::{
    DEFAULT_FRAME_RATE, Playback, PlaybackError, SampleTime, Wrap, frame_rate, resolve,
};
pub(crate) use sample::sample_finite;
pub use sample::{Sampler, matrix_at, morph_weights_at, rotation_at, sample, vector_at};
pub use select::{SUGGESTED, SelectError, find_clip, find_joint, find_joints};

/// One pose, each joint relative to its parent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pose {
    /// `parent_from_joint`, one per joint of the skeleton.
    pub locals: Vec<LocalTransform>,
    /// One list per instance of the asset, one weight per morph target.
    pub morph_weights: Vec<Vec<f32>>,
}

/// One pose in world space (the file's axes and units).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelPose {
    /// `world_from_joint`, one per joint of the skeleton.
    pub joints: Vec<Mat4>,
    /// One list per instance of the asset, one weight per morph target.
    pub morph_weights: Vec<Vec<f32>>,
}

/// The rest pose: the nodes' own transforms and morph weights.
///
/// ```
/// # use skincheck::glam::{Quat, Vec3};
/// # use skincheck::rig::{AssetBuilder, Mesh, Trs};
/// # let mut rig = AssetBuilder::new();
/// # let hip = rig.joint("hip", None, Trs::IDENTITY);
/// # let knee = rig.joint("knee", Some(hip), Trs { translation: Vec3::Y, ..Trs::IDENTITY });
/// # let leg = rig.mesh(Mesh {
/// #     positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y * 2.0],
/// #     triangles: vec![[0, 1, 2]],
/// #     ..Mesh::default()
/// # });
/// # rig.skin(leg, [[(hip, 1.0)], [(hip, 1.0)], [(knee, 1.0)]]);
/// # let kick = rig.clip("kick");
/// # rig.rotate(kick, knee, [(0.0, Quat::IDENTITY), (1.0, Quat::from_xyzw(0.0, 0.0, 1.0, 0.0))]);
/// # let asset = rig.build()?;
/// use skincheck::pose;
///
/// let local = pose::rest(&asset);
/// assert_eq!(local.locals[knee.index()], asset.skeleton.nodes()[knee.index()].rest);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn rest(asset: &Asset) -> Pose {
    let joints = asset.skeleton.nodes();
    Pose {
        locals: joints.iter().map(|joint| joint.rest).collect(),
        morph_weights: rest_morph_weights(asset),
    }
}

/// One list per instance, as the file gives them.
fn rest_morph_weights(asset: &Asset) -> Vec<Vec<f32>> {
    let weights = asset.instances.iter().map(|i| i.morph_weights.clone());
    weights.collect()
}
