//! The result of skinning a mesh.

use glam::{DVec3, Vec3};

use super::{InstanceId, Mesh};

/// The vertices of one mesh instance in one pose, in world space (the file's axes and units).
///
/// Lists are as long as those of the mesh; attributes that the mesh lacks are empty.
#[derive(Debug, Clone, PartialEq)]
pub struct DeformedMesh {
    /// Which instance of the asset.
    pub instance: InstanceId,
    /// World space.
    pub positions: Vec<Vec3>,
    /// Unit length, or zero where the surface is degenerate.
    pub normals: Vec<Vec3>,
    /// Unit length, or zero.
    pub tangents: Vec<Vec3>,
    /// Unit length, or zero.
    pub bitangents: Vec<Vec3>,
}

impl DeformedMesh {
    /// Whether the pose mirrors its source, `mesh`, so that the triangles' winding is reversed.
    ///
    /// Normals stay on their side of the surface under every transform, while a mirroring one reverses the winding.
    /// Their agreement therefore changes sign exactly when the pose mirrors, even if the file's normals point inwards.
    /// A mesh without normals counts as not mirrored.
    ///
    /// # Reference
    ///
    /// glTF 2.0 §3.7.4: a negative determinant of the node's transform reverses the winding.
    #[must_use]
    pub fn is_mirrored(&self, mesh: &Mesh) -> bool {
        let before = agreement(mesh, &mesh.positions, &mesh.normals);
        let after = agreement(mesh, &self.positions, &self.normals);
        before * after < 0.0
    }
}

/// The agreement of normals and winding, weighted by area; negative if they are opposed.
fn agreement(mesh: &Mesh, positions: &[Vec3], normals: &[Vec3]) -> f64 {
    let corners = |list: &[Vec3], triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|index| list.get(index as usize).copied().map(Vec3::as_dvec3));
        Some([a?, b?, c?])
    };
    let of = |triangle: &[u32; 3]| {
        let [a, b, c] = corners(positions, triangle)?;
        let normal: DVec3 = corners(normals, triangle)?.iter().sum();
        let agreement = (b - a).cross(c - a).dot(normal);
        Some(agreement).filter(|value| value.is_finite())
    };
    mesh.triangles.iter().filter_map(of).sum()
}
