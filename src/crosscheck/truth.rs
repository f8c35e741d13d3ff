//! The exact result of skinning.

use glam::DVec3;

use crate::compare::{Known, MeshTruth};
use crate::pose::ModelPose;
use crate::rig::{Asset, SkinningOptions};
use crate::skinning::SkinningError;
use crate::skinning::bound::{self, MeshBound, Underflow};
use crate::skinning::reference::{self, DeformedMeshF64};

/// The f64 reference of every mesh instance of `asset`, with the bounds for any f32 path, in order.
///
/// # Errors
///
/// As [`skinning::deform`](crate::skinning::deform).
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
