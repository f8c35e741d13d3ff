//! A model in a pose, and its surface.

use std::sync::{Arc, OnceLock};

use skincheck::causes;
use skincheck::glam::Vec3;
use skincheck::pose::ModelPose;
use skincheck::rig::{Asset, DeformedMesh, SkinningOptions};
use skincheck::skinning::{self, Attributes, Prepared};

/// A model in a pose.
pub(crate) struct Posed {
    pub(crate) asset: Arc<Asset>,
    pub(crate) pose: ModelPose,
    pub(crate) options: SkinningOptions,
    /// Skinned when it is first needed; or why it cannot be.
    surface: OnceLock<Result<Surface, String>>,
}

/// The skinned vertices of all meshes, one after another.
pub(crate) struct Surface {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) normals: Vec<Vec3>,
    /// The first vertex of each mesh, and the number of all.
    pub(crate) starts: Vec<usize>,
}

impl Posed {
    pub(crate) fn new(asset: &Arc<Asset>, pose: ModelPose, options: SkinningOptions) -> Self {
        Self {
            asset: Arc::clone(asset),
            pose,
            options,
            surface: OnceLock::new(),
        }
    }

    /// Its surface, or why it cannot be skinned.
    pub(crate) fn surface(&self) -> &Result<Surface, String> {
        self.surface.get_or_init(|| {
            let prepared = Prepared::new(&self.asset, &self.options);
            let meshes = prepared.deform(&self.pose, Attributes::Normals);
            meshes
                .map(Surface::of)
                .map_err(|error: skinning::SkinningError| causes(&error))
        })
    }
}

impl Surface {
    fn of(mut meshes: Vec<DeformedMesh>) -> Self {
        let mut starts = vec![0];
        for mesh in &mut meshes {
            starts.push(starts[starts.len() - 1] + mesh.positions.len());
            mesh.normals.resize(mesh.positions.len(), Vec3::ZERO);
        }
        let mut meshes = meshes.into_iter();
        let first = meshes.next();
        let (mut positions, mut normals) =
            first.map_or_else(Default::default, |mesh| (mesh.positions, mesh.normals));
        for mesh in meshes {
            positions.extend(mesh.positions);
            normals.extend(mesh.normals);
        }
        Self {
            positions,
            normals,
            starts,
        }
    }
}
