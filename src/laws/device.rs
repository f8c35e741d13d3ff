//! A backend as the subject of the laws of skinning.

use std::cell::RefCell;

use glam::Vec3;

use super::{Body, Skinner};
use crate::backend::Device;
use crate::rig::SkinningOptions;

/// Skins on a device, such as OpenGL.
pub struct OnDevice(RefCell<Box<dyn Device>>);

impl OnDevice {
    /// Takes ownership of the device.
    #[must_use]
    pub fn new(device: Box<dyn Device>) -> Self {
        Self(RefCell::new(device))
    }
}

impl Skinner for OnDevice {
    /// Returns no positions if the device fails, which every law reports.
    fn skin(&self, body: &Body) -> Vec<Vec3> {
        let asset = body.to_asset();
        let mut device = self.0.borrow_mut();
        let model = device.load(&asset);
        let meshes =
            model.and_then(|mut model| model.deform(&body.pose(), &SkinningOptions::default()));
        meshes.map_or_else(|_| Vec::new(), |mut meshes| meshes.remove(0).positions)
    }
}
