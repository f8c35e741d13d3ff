//! The CPU path: skinning in f32 and the software rasterizer.

use super::{Backend, BackendError, Scene, check_size};
use crate::frame::Frame;
use crate::pose::ModelPose;
use crate::raster::{self, DrawInput};
use crate::rig::{Asset, DeformedMesh};
use crate::skinning::{self, SkinningOptions};

/// Bit-identical on every machine and for any number of threads.
#[derive(Debug, Clone, Copy)]
pub struct Cpu;

impl Backend for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn deform(
        &self,
        asset: &Asset,
        pose: &ModelPose,
        options: &SkinningOptions,
    ) -> Result<Vec<DeformedMesh>, BackendError> {
        Ok(skinning::deform(asset, pose, options)?)
    }

    fn render(&self, scene: &Scene<'_>) -> Result<Frame, BackendError> {
        check_size(scene.asset)?;
        let meshes = self.deform(scene.asset, scene.pose, &scene.skinning)?;
        Ok(raster::draw(&DrawInput {
            asset: scene.asset,
            meshes: &meshes,
            camera: &scene.camera,
            viewport: scene.viewport,
            style: &scene.style,
            overlay: scene.overlay,
        }))
    }
}
