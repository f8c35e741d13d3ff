//! What the camera has to hold: the deformed meshes of one pose, or of a whole clip.

use super::{Backend, BackendError};
use crate::pose::{self, ModelPose};
use crate::rig::{Asset, Clip};
use crate::skinning::SkinningOptions;
use crate::units::Seconds;
use crate::view::Framing;

/// How many moments of a clip, evenly spread from its first to its last, a camera is fitted to.
///
/// A mesh that moves by its own size in a second leaves the fit by less than the picture's margin between two of 64
/// samples of a clip of 3 s (1/21 s apart, at most half of that from a sample); longer clips move in cycles.
pub const CLIP_SAMPLES: u32 = 64;

/// Makes `framing` hold what `backend` makes of `asset` in `pose`; the joints where there is no mesh.
///
/// # Errors
///
/// As [`Backend::deform`].
pub fn frame_pose(
    framing: &mut Framing,
    backend: &dyn Backend,
    asset: &Asset,
    pose: &ModelPose,
    options: &SkinningOptions,
) -> Result<(), BackendError> {
    let meshes = backend.deform(asset, pose, options)?;
    for mesh in &meshes {
        framing.include(&mesh.positions);
    }
    if meshes.iter().all(|mesh| mesh.positions.is_empty()) {
        let joints = pose.joints.iter().map(|world| world.w_axis.truncate());
        framing.include(&joints.collect::<Vec<_>>());
    }
    Ok(())
}

/// Makes `framing` hold [`CLIP_SAMPLES`] moments of `clip`, so that all its frames share one camera.
///
/// # Errors
///
/// As [`Backend::deform`].
pub fn frame_clip(
    framing: &mut Framing,
    backend: &dyn Backend,
    asset: &Asset,
    clip: &Clip,
    options: &SkinningOptions,
) -> Result<(), BackendError> {
    let samples = if clip.duration() > Seconds::ZERO {
        CLIP_SAMPLES
    } else {
        1
    };
    for sample in 0..samples {
        let phase = f64::from(sample) / f64::from((samples - 1).max(1));
        let time = Seconds(clip.start.0 + phase * clip.duration().0);
        let pose = pose::model_pose(asset, &pose::sample(asset, clip, time));
        frame_pose(framing, backend, asset, &pose, options)?;
    }
    Ok(())
}
