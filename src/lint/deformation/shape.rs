//! The triangles of a mesh with its vertices somewhere.

use glam::Vec3;

use crate::rig::Mesh;

/// For each triangle, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Shape {
    /// A vector across it, as long as twice its area.
    pub(super) across: Vec<Vec3>,
    /// The lengths of those.
    pub(super) lengths: Vec<f32>,
}

impl Shape {
    /// Of the triangles of `mesh`, its vertices at `places`.
    pub(super) fn of(mesh: &Mesh, places: &[Vec3]) -> Self {
        let triangles = mesh.triangles.iter();
        let across = triangles.map(|corners| {
            let [a, b, c] = corners.map(|corner| places[corner as usize]);
            (b - a).cross(c - a)
        });
        let across: Vec<Vec3> = across.collect();
        Self {
            lengths: across.iter().map(|across| across.length()).collect(),
            across,
        }
    }

    /// Twice the area of all.
    pub(super) fn area(&self) -> f64 {
        self.lengths.iter().map(|length| f64::from(*length)).sum()
    }

    /// For each vertex the sum of the vectors across its triangles; zero where they cancel or collapse.
    pub(super) fn of_vertices(&self, mesh: &Mesh) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; mesh.positions.len()];
        for (corners, across) in mesh.triangles.iter().zip(&self.across) {
            for corner in corners {
                normals[*corner as usize] += *across;
            }
        }
        normals
    }
}
