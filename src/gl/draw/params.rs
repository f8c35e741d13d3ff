//! The parameters of an image.

use crate::pose::ModelPose;
use crate::rig::SkinningOptions;
use crate::view::{Camera, Style, Viewport};

/// Everything that an image of a model depends on.
#[derive(Debug, Clone, Copy)]
pub struct ImageParams<'a> {
    /// The pose of the model's skeleton, in world space.
    pub pose: &'a ModelPose,
    /// How weights are used.
    pub skinning: SkinningOptions,
    /// The camera.
    pub camera: &'a Camera,
    /// The size of the image.
    pub viewport: Viewport,
    /// Surface mode, background and samples.
    pub style: &'a Style,
}
