//! Ways from a posed asset to skinned vertices and a picture.

mod cpu;
mod extent;
mod moments;
mod overlay;

pub use cpu::Cpu;
pub use extent::Extent;
pub use overlay::skeleton_overlay;

use crate::frame::Frame;
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh};
use crate::skinning::{SkinningError, SkinningOptions};
use crate::view::{Camera, Overlay, Style, Viewport};

/// Everything that a picture depends on.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The model.
    pub asset: &'a Asset,
    /// Its pose.
    pub pose: &'a ModelPose,
    /// How weights are used.
    pub skinning: SkinningOptions,
    /// Where it is seen from.
    pub camera: Camera,
    /// Size of the picture.
    pub viewport: Viewport,
    /// How it looks.
    pub style: Style,
    /// A skeleton to draw over the model.
    pub overlay: Option<&'a Overlay>,
}

/// An implementation of skinning and drawing.
pub trait Backend: Sync {
    /// What it is called on the command line.
    fn name(&self) -> &'static str;

    /// Skins every mesh instance of `asset` in `pose`, in world space.
    ///
    /// # Errors
    ///
    /// [`BackendError`] if `pose` and `asset` do not belong together.
    fn deform(
        &self,
        asset: &Asset,
        pose: &ModelPose,
        options: &SkinningOptions,
    ) -> Result<Vec<DeformedMesh>, BackendError>;

    /// Skins and draws.
    ///
    /// # Errors
    ///
    /// As [`Backend::deform`]; also if there are more than [`MAX_TRIANGLES`].
    fn render(&self, scene: &Scene<'_>) -> Result<Frame, BackendError>;
}

/// Every backend; the first is the default.
pub static BACKENDS: &[&dyn Backend] = &[&Cpu];

/// Why a backend gave up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The vertices could not be skinned.
    #[error(transparent)]
    Skinning(#[from] SkinningError),
    /// Instances multiply meshes; this many triangles would not fit in memory.
    #[error("the instances have {triangles} triangles together, more than {limit}")]
    TooManyTriangles {
        /// How many triangles.
        triangles: usize,
        /// How many are drawn at most.
        limit: usize,
    },
}

/// Triangles of all instances together; what is drawn of one takes some 140 bytes, so this is about 2 GiB.
pub const MAX_TRIANGLES: usize = 1 << 24;

/// Refuses what no backend should try to draw: a small file can use a mesh of many triangles many times.
fn check_size(asset: &Asset) -> Result<(), BackendError> {
    let counts = asset
        .instances
        .iter()
        .map(|i| asset.mesh_of(i).triangles.len());
    let triangles = counts.fold(0, usize::saturating_add);
    let limit = MAX_TRIANGLES;
    if triangles > limit {
        return Err(BackendError::TooManyTriangles { triangles, limit });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::rigs::asset_of;
    use crate::rig::{JointId, Mesh, MeshId, MeshInstance};

    #[test]
    fn a_mesh_used_too_often_to_be_drawn_is_refused() {
        let mut asset = asset_of(vec![]);
        asset.meshes.push(Mesh {
            triangles: vec![[0; 3]; 1 << 14],
            ..Mesh::default()
        });
        let instance = MeshInstance {
            joint: JointId(0),
            mesh: MeshId(0),
            skin: None,
            morph_weights: vec![],
        };
        asset.instances = vec![instance.clone(); 1 << 10];
        assert!(check_size(&asset).is_ok());
        asset.instances.push(instance);
        let error = check_size(&asset).expect_err("it is one use too many");
        let expected = "the instances have 16793600 triangles together, more than 16777216";
        assert_eq!(error.to_string(), expected);
    }
}
