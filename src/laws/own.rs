//! What skincheck itself does, as subjects of the laws.

use glam::{Quat, Vec3};

use super::{Body, Interpolator, Skinner, WeightNormalizer};
use crate::pose;
use crate::rig::{Influence, Influences, SkinningOptions, Track};
use crate::skinning::{self, effective, reference};
use crate::units::Seconds;

/// Sampling and weights as [`pose::sample`] and [`skinning::deform`] do them.
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

/// The skinning that pictures are drawn from: f32 on the CPU.
#[derive(Debug, Clone, Copy)]
pub struct Cpu;

impl Skinner for Cpu {
    fn skin(&self, body: &Body) -> Vec<Vec3> {
        let (asset, options) = (body.to_asset(), SkinningOptions::default());
        let meshes = skinning::deform_positions(&asset, &body.pose(), &options);
        meshes.map_or_else(|_| Vec::new(), |mut meshes| meshes.remove(0).positions)
    }
}

/// The f64 skinning that settles disputes.
#[derive(Debug, Clone, Copy)]
pub struct Exact;

impl Skinner for Exact {
    fn skin(&self, body: &Body) -> Vec<Vec3> {
        let (asset, options) = (body.to_asset(), SkinningOptions::default());
        let meshes = reference::deform(&asset, &body.pose(), &options);
        let positions = meshes.map_or_else(|_| Vec::new(), |mut meshes| meshes.remove(0).positions);
        positions
            .iter()
            .map(|position| position.as_vec3())
            .collect()
    }
}
