//! Ways from a posed asset to skinned vertices and a picture.

mod cpu;
mod extent;
mod overlay;

pub use cpu::Cpu;
pub use extent::{CLIP_SAMPLES, Extent};
pub use overlay::skeleton_overlay;

use crate::frame::Frame;
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh};
use crate::skinning::{SkinningError, SkinningOptions};
use crate::view::{Camera, Overlay, Style, Viewport};

/// Everything that a picture depends on.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The model.
    pub asset: &'a Asset,
    /// Its pose.
    pub pose: &'a ModelPose,
    /// How weights are used.
    pub skinning: SkinningOptions,
    /// Where it is seen from.
    pub camera: Camera,
    /// Size of the picture.
    pub viewport: Viewport,
    /// How it looks.
    pub style: Style,
    /// A skeleton to draw over the model.
    pub overlay: Option<&'a Overlay>,
}

/// An implementation of skinning and drawing.
pub trait Backend: Sync {
    /// What it is called on the command line.
    fn name(&self) -> &'static str;

    /// Skins every mesh instance of `asset` in `pose`, in world space.
    ///
    /// # Errors
    ///
    /// [`BackendError`] if `pose` and `asset` do not belong together.
    fn deform(
        &self,
        asset: &Asset,
        pose: &ModelPose,
        options: &SkinningOptions,
    ) -> Result<Vec<DeformedMesh>, BackendError>;

    /// Skins and draws.
    ///
    /// # Errors
    ///
    /// As [`Backend::deform`].
    fn render(&self, scene: &Scene<'_>) -> Result<Frame, BackendError>;
}

/// Every backend; the first is the default.
pub static BACKENDS: &[&dyn Backend] = &[&Cpu];

/// Why a backend gave up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The vertices could not be skinned.
    #[error(transparent)]
    Skinning(#[from] SkinningError),
}
