//! The CPU path: skinning in f32 and the software rasterizer.

use std::sync::Arc;

use super::{Backend, BackendError, Device, Driver, Model, Scene, check_size};
use crate::frame::Frame;
use crate::pose::ModelPose;
use crate::raster::{self, DrawInput, Textures};
use crate::rig::{Asset, DeformedMesh, SkinningOptions};
use crate::skinning::{Attributes, Prepared};

/// Bit-identical on every machine and for any number of threads.
#[derive(Debug, Clone, Copy)]
pub struct Cpu;

impl Backend for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn open(&self, _driver: Driver) -> Result<Box<dyn Device>, BackendError> {
        Ok(Box::new(*self))
    }
}

impl Device for Cpu {
    fn describe(&self) -> String {
        let threads = rayon::current_num_threads();
        format!("software rasterizer, {threads} threads")
    }

    fn load<'a>(&'a mut self, asset: &'a Asset) -> Result<Box<dyn Model + 'a>, BackendError> {
        Ok(Box::new(CpuModel {
            asset,
            textures: Arc::new(Textures::new(asset)),
            prepared: None,
        }))
    }
}

/// A model, with the data that its images share.
#[derive(Clone)]
struct CpuModel<'a> {
    asset: &'a Asset,
    textures: Arc<Textures<'a>>,
    /// For the options of the last pose.
    prepared: Option<(SkinningOptions, Arc<Prepared>)>,
}

impl Model for CpuModel<'_> {
    fn deform(
        &mut self,
        pose: &ModelPose,
        options: &SkinningOptions,
    ) -> Result<Vec<DeformedMesh>, BackendError> {
        let of_last = self.prepared.take().filter(|(kept, _)| kept == options);
        let anew = || (*options, Arc::new(Prepared::new(self.asset, options)));
        let (_, prepared) = self.prepared.insert(of_last.unwrap_or_else(anew));
        Ok(prepared.deform(self.asset, pose, Attributes::All)?)
    }

    fn render(&mut self, scene: &Scene<'_>) -> Result<Frame, BackendError> {
        check_size(self.asset)?;
        let meshes = self.deform(scene.pose, &scene.skinning)?;
        let input = DrawInput {
            asset: self.asset,
            meshes: &meshes,
            camera: &scene.camera,
            viewport: scene.viewport,
            style: &scene.style,
            max_influences: scene.skinning.max_influences,
        };
        Ok(raster::draw_with(&input, &self.textures))
    }

    fn for_thread(&self) -> Option<Box<dyn Model + Send + '_>> {
        Some(Box::new(self.clone()))
    }
}
