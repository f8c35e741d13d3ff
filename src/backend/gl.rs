//! The OpenGL path: skinning and drawing in shaders.

use super::{Backend, BackendError, Device, Driver, Model, Scene, check_size};
use crate::frame::Frame;
use crate::gl::{GlChoice, GlModel, Offscreen, Picture};
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, SkinningOptions};

/// The same on every run with one driver; drivers differ in the last bits and along edges.
#[derive(Debug, Clone, Copy)]
pub struct Gl;

impl Backend for Gl {
    fn name(&self) -> &'static str {
        "gl"
    }

    fn open(&self, driver: Driver) -> Result<Box<dyn Device>, BackendError> {
        let offscreen = Offscreen::open(match driver {
            Driver::Auto => GlChoice::Auto,
            Driver::Software => GlChoice::Software,
            Driver::Hardware => GlChoice::Hardware,
        })?;
        Ok(Box::new(GlDevice { offscreen }))
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
        Ok(self.draw(&Picture {
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
