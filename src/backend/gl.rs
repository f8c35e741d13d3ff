//! The OpenGL path: skinning and drawing in shaders.

use super::{Backend, BackendError, Device, Driver, Model, Scene, check_size};
use crate::frame::Frame;
use crate::gl::{GlChoice, GlModel, ImageParams, Offscreen};
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, SkinningOptions};

/// Deterministic for one driver; drivers differ in the last bits and along edges.
#[derive(Debug, Clone, Copy)]
pub struct Gl;

impl Backend for Gl {
    fn name(&self) -> &'static str {
        "gl"
    }

    fn open(&self, driver: Driver) -> Result<Box<dyn Device>, BackendError> {
        let offscreen = Offscreen::open(driver.into())?;
        Ok(Box::new(GlDevice { offscreen }))
    }
}

impl From<Driver> for GlChoice {
    fn from(driver: Driver) -> Self {
        match driver {
            Driver::Auto => Self::Auto,
            Driver::Software => Self::Software,
            Driver::Hardware => Self::Hardware,
        }
    }
}

struct GlDevice {
    offscreen: Offscreen,
}

impl Device for GlDevice {
    fn describe(&self) -> String {
        let info = self.offscreen.info();
        format!("{}, OpenGL {}", info.renderer, info.version)
    }

    fn subpixel_bits(&self) -> u32 {
        u32::try_from(self.offscreen.info().subpixel_bits).unwrap_or_default()
    }

    fn load<'a>(&'a mut self, asset: &'a Asset) -> Result<Box<dyn Model + 'a>, BackendError> {
        check_size(asset)?;
        let model = GlModel::load(self.offscreen.current(), asset)?;
        Ok(Box::new(model))
    }
}

impl Model for GlModel<'_> {
    fn deform(
        &mut self,
        pose: &ModelPose,
        options: &SkinningOptions,
    ) -> Result<Vec<DeformedMesh>, BackendError> {
        Ok(GlModel::deform(self, pose, options)?)
    }

    fn render(&mut self, scene: &Scene<'_>) -> Result<Frame, BackendError> {
        Ok(self.draw(&ImageParams {
            pose: scene.pose,
            skinning: scene.skinning,
            camera: &scene.camera,
            viewport: scene.viewport,
            style: &scene.style,
        })?)
    }
}

#[cfg(test)]
mod tests;
