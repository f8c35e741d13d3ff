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

/// A pose mirrors a mesh as a whole, so a sample of this many triangles suffices.
const SAMPLED_TRIANGLES: usize = 1 << 14;

/// The agreement of normals and winding, weighted by area; negative if they disagree.
fn agreement(mesh: &Mesh, positions: &[Vec3], normals: &[Vec3]) -> f64 {
    let count = positions.len().min(normals.len());
    let mut sum = 0.0;
    let step = mesh.triangles.len().div_ceil(SAMPLED_TRIANGLES).max(1);
    for triangle in mesh.triangles.iter().step_by(step) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(normal: Vec3) -> Mesh {
        Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            normals: vec![normal; 3],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        }
    }

    /// The triangle with scaled positions and normals. Both stay on their side under any scale of -1 or 1.
    fn scaled(mesh: &Mesh, scale: Vec3) -> DeformedMesh {
        let scaled = |list: &[Vec3]| list.iter().map(|v| *v * scale).collect();
        DeformedMesh {
            instance: InstanceId(0),
            positions: scaled(&mesh.positions),
            normals: scaled(&mesh.normals),
            tangents: vec![],
            bitangents: vec![],
        }
    }

    #[test]
    fn a_mirroring_pose_reverses_the_winding() {
        for normal in [Vec3::Z, Vec3::NEG_Z] {
            let mesh = triangle(normal);
            let mirrored = scaled(&mesh, Vec3::new(-1.0, 1.0, 1.0));
            assert!(mirrored.is_mirrored(&mesh));
            let rotated = scaled(&mesh, Vec3::new(-1.0, 1.0, -1.0));
            assert!(!rotated.is_mirrored(&mesh));
        }
    }

    #[test]
    fn a_nan_corner_has_no_say() {
        let mut mesh = triangle(Vec3::Z);
        mesh.positions.push(Vec3::NAN);
        mesh.normals.push(Vec3::Z);
        mesh.triangles.push([0, 1, 3]);
        let mirrored = scaled(&mesh, Vec3::new(-1.0, 1.0, 1.0));
        assert!(mirrored.is_mirrored(&mesh));
    }
}
