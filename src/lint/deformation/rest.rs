//! The model in its rest pose.

use crate::pose::{self, ModelPose};
use crate::rig::{Asset, Bounds, SkinningOptions};
use crate::skinning::{self, SkinningError};

/// Where the model is in its rest pose, in world space.
#[derive(Debug)]
pub(in crate::lint) struct Rest {
    /// Every joint.
    pub(in crate::lint) pose: ModelPose,
    /// Around each instance.
    pub(in crate::lint) boxes: Vec<Bounds>,
    /// Around all.
    pub(in crate::lint) whole: Bounds,
    /// Of `whole`.
    pub(in crate::lint) diagonal: f64,
}

impl Rest {
    /// Of `asset`.
    pub(in crate::lint) fn of(asset: &Asset) -> Result<Self, SkinningError> {
        let pose = pose::model_pose(asset, &pose::rest(asset));
        let meshes = skinning::deform_positions(asset, &pose, &SkinningOptions::default())?;
        let whole = Bounds::of_meshes(&meshes);
        Ok(Self {
            pose,
            boxes: meshes
                .iter()
                .map(|mesh| Bounds::of_meshes([mesh]))
                .collect(),
            diagonal: whole.diagonal(),
            whole,
        })
    }
}
