//! The model in its rest pose.

use crate::lint::size;
use crate::pose::{self, ModelPose};
use crate::rig::{Asset, Bounds, DeformedMesh, SkinningOptions};
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
    /// The diagonal of what is skinned, or of all where nothing is; without [strays](size::diagonal).
    pub(in crate::lint) size: f64,
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
            size: size(asset, &meshes),
            whole,
        })
    }
}

fn size(asset: &Asset, meshes: &[DeformedMesh]) -> f64 {
    let any = asset
        .instances
        .iter()
        .any(|instance| instance.skin.is_some());
    let shown = asset.instances.iter().zip(meshes);
    let skinned = shown.filter(|(instance, _)| !any || instance.skin.is_some());
    size::diagonal(skinned.flat_map(|(_, mesh)| &mesh.positions))
}
