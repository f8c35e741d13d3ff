//! What the camera has to hold: the deformed meshes of one pose, or of a whole clip.

use glam::Vec3;
use rayon::prelude::*;

use super::BackendError;
use super::moments::moments;
use crate::overlay;
use crate::pose::{self, ModelPose};
use crate::rig::{Asset, Clip, DeformedMesh, SkinningOptions};
use crate::skinning;
use crate::view::Framing;

/// A model, and what of it a picture shows.
///
/// Vertices are skinned on the CPU whatever draws them, so that all backends share one camera.
#[derive(Debug, Clone, Copy)]
pub struct Extent<'a> {
    /// The model.
    pub asset: &'a Asset,
    /// How weights are used.
    pub skinning: SkinningOptions,
    /// Whether the joints are shown; they count too where there is nothing else.
    pub joints: bool,
}

impl Extent<'_> {
    /// Makes `framing` hold the model in `pose`. Vertices of no triangle do not count.
    ///
    /// # Errors
    ///
    /// [`BackendError::Skinning`] if pose and model do not belong together.
    pub fn include_pose(
        &self,
        framing: &mut Framing,
        pose: &ModelPose,
    ) -> Result<(), BackendError> {
        let mut drawn = false;
        for mesh in &skinning::deform_positions(self.asset, pose, &self.skinning)? {
            let corners = self.corners(mesh);
            framing.include(&corners);
            drawn |= !corners.is_empty();
        }
        if self.joints || !drawn {
            framing.include(&overlay::skeleton(self.asset, pose).joints);
        }
        Ok(())
    }

    /// Makes `framing` hold all of `clip`, by its keys and by moments between them, so that all its frames share one
    /// camera.
    ///
    /// # Errors
    ///
    /// [`BackendError::Skinning`] if clip and model do not belong together.
    pub fn include_clip(&self, framing: &mut Framing, clip: &Clip) -> Result<(), BackendError> {
        let start = framing.clone();
        let held = |time| {
            let mut framing = start.clone();
            let pose = pose::sample_finite(self.asset, clip, time);
            self.include_pose(&mut framing, &pose::model_pose(self.asset, &pose))?;
            Ok(framing)
        };
        let parts: Result<Vec<Framing>, BackendError> =
            moments(clip).into_par_iter().map(held).collect();
        parts?.iter().for_each(|part| framing.merge(part));
        Ok(())
    }

    /// The places of the vertices that a triangle uses, each once.
    fn corners(&self, mesh: &DeformedMesh) -> Vec<Vec3> {
        let instance = &self.asset.instances[mesh.instance.index()];
        let mut used = vec![false; mesh.positions.len()];
        for &corner in self.asset.mesh_of(instance).triangles.iter().flatten() {
            used[corner as usize] = true;
        }
        let pairs = mesh.positions.iter().zip(used);
        pairs
            .filter_map(|(&place, used)| used.then_some(place))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::rig::{JointId, LocalTransform, Mesh, MeshId, MeshInstance, Trs};
    use crate::units::Space;
    use crate::view::{Camera, Projection, ViewDirection, Viewport};

    /// A triangle, and a vertex at `stray` that is none of its corners.
    fn camera_of(stray: Option<Vec3>) -> Camera {
        let mut asset = asset_of(vec![named_joint(
            "node",
            None,
            LocalTransform::Trs(Trs::IDENTITY),
        )]);
        asset.meshes.push(Mesh {
            positions: [Vec3::ZERO, Vec3::X, Vec3::Y]
                .into_iter()
                .chain(stray)
                .collect(),
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        asset.instances.push(MeshInstance {
            joint: JointId(0),
            mesh: MeshId(0),
            skin: None,
            morph_weights: vec![],
        });
        let viewport = Viewport {
            width: 64,
            height: 64,
        };
        let direction = ViewDirection::default();
        let mut framing = Framing::new(&Space::Y_UP, direction, Projection::default(), viewport);
        let extent = Extent {
            asset: &asset,
            skinning: SkinningOptions::default(),
            joints: false,
        };
        let pose = pose::model_pose(&asset, &pose::rest(&asset));
        extent
            .include_pose(&mut framing, &pose)
            .expect("the asset is whole");
        framing.camera()
    }

    #[test]
    fn a_vertex_of_no_triangle_does_not_move_the_camera() {
        assert_eq!(camera_of(Some(Vec3::splat(1e3))), camera_of(None));
    }
}
