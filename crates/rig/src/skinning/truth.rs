//! The exact result of skinning, and how far an f32 path may be from it.

use glam::DVec3;

use super::bound::{self, MeshBound, Underflow};
use super::posed::SkinningError;
use super::reference::{self, DeformedMeshF64};
use crate::pose::ModelPose;
use crate::rig::{Asset, InstanceId, SkinningOptions};

/// The exact values of one attribute, and the bounds on an f32 path's distance from them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// One per vertex.
    pub values: Vec<DVec3>,
    /// The largest distance that rounding explains, as many. For unit vectors, 2 means no bound; for positions,
    /// infinity.
    pub bounds: Vec<f64>,
}

/// The exact result of skinning one mesh instance.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshTruth {
    /// The instance of the asset.
    pub instance: InstanceId,
    /// World space, in the asset's unit of length.
    pub positions: Known,
    /// Unit vectors, or zero.
    pub normals: Known,
    /// Unit vectors, or zero.
    pub tangents: Known,
    /// Unit vectors, or zero.
    pub bitangents: Known,
}

/// The f64 reference of every mesh instance of `asset`, with the bounds for any f32 path, in order.
///
/// # Errors
///
/// As [`deform`](super::deform).
pub fn truth(
    asset: &Asset,
    pose: &ModelPose,
    options: &SkinningOptions,
) -> Result<Vec<MeshTruth>, SkinningError> {
    let exact = reference::deform(asset, pose, options)?;
    let bounds = bound::rounding(asset, pose, options, Underflow::Flushed)?;
    Ok(exact.into_iter().zip(bounds).map(of_mesh).collect())
}

fn of_mesh((exact, bound): (DeformedMeshF64, MeshBound)) -> MeshTruth {
    let known = |values: Vec<DVec3>, bounds: Vec<f64>| Known { values, bounds };
    MeshTruth {
        instance: exact.instance,
        positions: known(exact.positions, bound.positions),
        normals: known(exact.normals, bound.normals),
        tangents: known(exact.tangents, bound.tangents),
        bitangents: known(exact.bitangents, bound.bitangents),
    }
}
