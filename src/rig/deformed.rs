//! The result of skinning a mesh.

use glam::Vec3;

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
    let count = positions.len().min(normals.len());
    let mut sum = 0.0;
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|vertex| vertex as usize);
        if a.max(b).max(c) >= count {
            continue;
        }
        let at = |vertex: usize| positions[vertex].as_dvec3();
        let towards = |vertex: usize| normals[vertex].as_dvec3();
        let normal = towards(a) + towards(b) + towards(c);
        let agreement = (at(b) - at(a)).cross(at(c) - at(a)).dot(normal);
        if agreement.is_finite() {
            sum += agreement;
        }
    }
    sum
}
