//! A straightforward implementation of everything between an asset and its skinned vertices, as in a textbook, into
//! which one fault can be planted.
//!
//! It shares only the asset's plain data and the rest pose with the library.

mod hierarchy;
mod sample;
mod skin;

use skincheck::pose::{self, ModelPose};
use skincheck::rig::{Asset, Clip, DeformedMesh};

use super::fault::Fault;

/// The implementation, with at most one fault.
#[derive(Debug, Clone, Copy)]
pub(super) struct Textbook {
    pub(super) fault: Option<Fault>,
}

impl Textbook {
    fn has(self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// World matrices of `asset` at `time` of `clip`, or at rest.
    pub(super) fn pose(self, asset: &Asset, clip: Option<&Clip>, time: f64) -> ModelPose {
        let local = match clip {
            Some(clip) => self.sample(asset, clip, time),
            None => pose::rest(asset),
        };
        self.concatenate(asset, &local)
    }

    /// Vertices in the world.
    pub(super) fn deform(self, asset: &Asset, pose: &ModelPose) -> Vec<DeformedMesh> {
        self.skin(asset, pose)
    }
}
