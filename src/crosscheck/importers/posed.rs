//! Poses and skinned vertices in the common space.

use glam::{DMat4, DVec3};

use crate::pose::{self, Pose};
use crate::rig::{
    Asset, DeformedMesh, LocalTransform, SkinningMethod, SkinningOptions, WeightPolicy,
};
use crate::skinning::{self, SkinningError};

/// A model in a pose, in the common space.
pub(super) struct Posed {
    /// `parent_from_joint`, one per joint.
    pub(super) locals: Vec<DMat4>,
    /// `common_from_joint`, one per joint.
    pub(super) worlds: Vec<DMat4>,
    /// One list per instance.
    pub(super) morph_weights: Vec<Vec<f32>>,
}

impl Posed {
    /// Concatenates in f64, so that only the importers' rounding is compared.
    pub(super) fn new(asset: &Asset, pose: Pose, common_from_world: &DMat4) -> Self {
        let locals: Vec<DMat4> = pose.locals.iter().map(matrix).collect();
        let mut worlds: Vec<DMat4> = Vec::with_capacity(locals.len());
        for (joint, local) in asset.skeleton.nodes().iter().zip(&locals) {
            let parent = joint.parent.and_then(|parent| worlds.get(parent.index()));
            worlds.push(*parent.unwrap_or(common_from_world) * *local);
        }
        Self {
            locals,
            worlds,
            morph_weights: pose.morph_weights,
        }
    }
}

fn matrix(local: &LocalTransform) -> DMat4 {
    match local {
        LocalTransform::Trs(trs) => DMat4::from_scale_rotation_translation(
            trs.scale.as_dvec3(),
            trs.rotation.as_dquat(),
            trs.translation.as_dvec3(),
        ),
        LocalTransform::Matrix(matrix) => matrix.as_dmat4(),
    }
}

/// assimp does not read the skinning method, so the default is used for both; everything else that moves vertices is
/// compared.
const LINEAR: SkinningOptions = SkinningOptions {
    weights: WeightPolicy::Normalize,
    max_influences: None,
    method: SkinningMethod::Linear,
};

/// Skinned positions of the vertices of all instances, one list per instance, in the common space.
pub(super) fn skinned(
    asset: &Asset,
    pose: &Pose,
    common_from_world: &DMat4,
) -> Result<Vec<Vec<DVec3>>, SkinningError> {
    let pose = pose::model_pose(asset, pose);
    let meshes = skinning::deform_positions(asset, &pose, &LINEAR)?;
    let points = |mesh: DeformedMesh| {
        let points = mesh.positions.into_iter();
        points.map(|point| common_from_world.transform_point3(point.as_dvec3()))
    };
    Ok(meshes
        .into_iter()
        .map(|mesh| points(mesh).collect())
        .collect())
}
