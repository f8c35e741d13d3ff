//! What the camera has to hold: the deformed meshes of one pose, or of a whole clip.

use super::{Backend, BackendError, skeleton_overlay};
use crate::pose::{self, ModelPose};
use crate::rig::{Asset, Clip, DeformedMesh};
use crate::skinning::SkinningOptions;
use crate::units::Seconds;
use crate::view::Framing;

/// How many moments of a clip, evenly spread from its first to its last, a camera is fitted to.
///
/// A mesh that moves by its own size in a second leaves the fit by less than the picture's margin between two of 64
/// samples of a clip of 3 s (1/21 s apart, at most half of that from a sample); longer clips move in cycles.
pub const CLIP_SAMPLES: u32 = 64;

/// A model, and what of it a picture shows.
#[derive(Clone, Copy)]
pub struct Extent<'a> {
    /// Skins the vertices.
    pub backend: &'a dyn Backend,
    /// The model.
    pub asset: &'a Asset,
    /// How weights are used.
    pub skinning: SkinningOptions,
    /// Whether the joints are shown; they count too where there is nothing else.
    pub joints: bool,
}

impl Extent<'_> {
    /// Makes `framing` hold the model in `pose`. Vertices of no triangle do not count.
    ///
    /// # Errors
    ///
    /// As [`Backend::deform`].
    pub fn include_pose(
        &self,
        framing: &mut Framing,
        pose: &ModelPose,
    ) -> Result<(), BackendError> {
        let mut meshes = self.backend.deform(self.asset, pose, &self.skinning)?;
        meshes.retain(|mesh| self.is_drawn(mesh));
        for mesh in &meshes {
            framing.include(&mesh.positions);
        }
        if self.joints || meshes.is_empty() {
            framing.include(&skeleton_overlay(self.asset, pose).joints);
        }
        Ok(())
    }

    /// Makes `framing` hold [`CLIP_SAMPLES`] moments of `clip`, so that all its frames share one camera.
    ///
    /// # Errors
    ///
    /// As [`Backend::deform`].
    pub fn include_clip(&self, framing: &mut Framing, clip: &Clip) -> Result<(), BackendError> {
        let lasts = clip.duration() > Seconds::ZERO;
        let samples = if lasts { CLIP_SAMPLES } else { 1 };
        for sample in 0..samples {
            let phase = f64::from(sample) / f64::from(CLIP_SAMPLES - 1);
            let time = Seconds(clip.start.0 + phase * clip.duration().0);
            let pose = pose::sample(self.asset, clip, time);
            self.include_pose(framing, &pose::model_pose(self.asset, &pose))?;
        }
        Ok(())
    }

    fn is_drawn(&self, mesh: &DeformedMesh) -> bool {
        let instance = &self.asset.instances[mesh.instance.index()];
        !self.asset.mesh_of(instance).triangles.is_empty()
    }
}
