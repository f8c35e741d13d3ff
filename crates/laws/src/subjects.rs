//! Subjects of the laws: skincheck's own implementations, and those of a backend.

use std::cell::RefCell;

use glam::{Mat4, Quat, Vec3};

use super::{Body, Interpolator, Posed, Poser, Skinner, WeightNormalizer};
use crate::backend::Device;
use crate::pose;
use crate::rig::{Asset, DeformedMesh, Influence, Influences, SkinningOptions, Track};
use crate::units::Seconds;
use skincheck_rig::skinning::{self, effective};

/// Sampling and weight normalization as in [`pose::sample`] and [`skinning::deform`].
#[derive(Debug, Clone, Copy)]
pub struct Own;

impl Interpolator<Quat> for Own {
    fn sample(&self, track: &Track<Quat>, time: f64) -> Quat {
        pose::rotation_at(track, Seconds(time)).unwrap_or(Quat::NAN)
    }
}

impl Interpolator<Vec3> for Own {
    fn sample(&self, track: &Track<Vec3>, time: f64) -> Vec3 {
        pose::vector_at(track, Seconds(time)).unwrap_or(Vec3::NAN)
    }
}

impl WeightNormalizer for Own {
    fn normalize(&self, influences: &[Influence]) -> Vec<Influence> {
        let packed = Influences::from_vertices([influences.iter().copied()]);
        effective(&packed, SkinningOptions::default())
            .of(0)
            .to_vec()
    }
}

impl Poser for Own {
    fn pose(&self, rig: &Asset, times: &[f64]) -> Option<Vec<Posed>> {
        let posed = |time: &f64| {
            let local = pose::sample(rig, rig.clips.first()?, Seconds(*time)).ok()?;
            let pose = pose::model_pose(rig, &local);
            let meshes =
                skinning::deform_positions(rig, &pose, &SkinningOptions::default()).ok()?;
            let positions = |mesh: &DeformedMesh| {
                let positions = mesh.positions.iter();
                positions.map(|position| position.as_dvec3()).collect()
            };
            Some(Posed {
                nodes: pose.nodes.iter().map(Mat4::as_dmat4).collect(),
                meshes: meshes.iter().map(positions).collect(),
            })
        };
        times.iter().map(posed).collect()
    }
}

/// The skinning used for images: f32 on the CPU.
#[derive(Debug, Clone, Copy)]
pub struct Cpu;

impl Skinner for Cpu {
    fn skin(&self, body: &Body) -> Vec<Vec3> {
        let (asset, options) = (body.to_asset(), SkinningOptions::default());
        let meshes = skinning::deform_positions(&asset, &body.pose(), &options);
        meshes.map_or_else(|_| Vec::new(), |mut meshes| meshes.remove(0).positions)
    }
}

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
