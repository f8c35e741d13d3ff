//! The triangles of a mesh for given vertex positions.

use glam::Vec3;

use crate::rig::Mesh;
use crate::skinning::DistinctPositions;

/// The positions of the vertices of a mesh.
pub(in crate::lint) trait Positions {
    /// The position of one vertex.
    fn at(&self, vertex: u32) -> Vec3;
}

impl Positions for [Vec3] {
    #[inline]
    fn at(&self, vertex: u32) -> Vec3 {
        self[vertex as usize]
    }
}

impl Positions for DistinctPositions<'_> {
    #[inline]
    fn at(&self, vertex: u32) -> Vec3 {
        self.at(vertex as usize)
    }
}

/// For each triangle, in order.
#[derive(Debug, Clone, Default)]
pub(in crate::lint) struct Shape {
    /// A vector across it, as long as twice its area.
    pub(in crate::lint) across: Vec<Vec3>,
    /// The lengths of these vectors.
    pub(in crate::lint) lengths: Vec<f32>,
    /// The sum of the lengths: twice the area of all triangles.
    pub(in crate::lint) area: f64,
}

impl Shape {
    /// Computes it for the triangles of `mesh`, its vertices at `positions`.
    pub(in crate::lint) fn of(mesh: &Mesh, positions: &[Vec3]) -> Self {
        let triangles = mesh.triangles.iter();
        let across: Vec<Vec3> = triangles
            .map(|corners| across(*corners, positions))
            .collect();
        let lengths: Vec<f32> = across.iter().map(|across| across.length()).collect();
        Self {
            area: lengths.iter().map(|length| f64::from(*length)).sum(),
            lengths,
            across,
        }
    }

    /// For each vertex the sum of the vectors across its triangles; zero where they cancel or collapse.
    pub(in crate::lint) fn of_vertices(&self, mesh: &Mesh) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; mesh.positions.len()];
        for (corners, across) in mesh.triangles.iter().zip(&self.across) {
            for corner in corners {
                normals[*corner as usize] += *across;
            }
        }
        normals
    }
}

/// A triangle's area vector: a normal with twice the area as length.
#[inline]
pub(in crate::lint) fn across(corners: [u32; 3], positions: &(impl Positions + ?Sized)) -> Vec3 {
    // Spelled out: `map` of an array is not inlined, and takes most of the time.
    let [a, b, c] = corners;
    let (a, b, c) = (positions.at(a), positions.at(b), positions.at(c));
    (b - a).cross(c - a)
}

/// The length of an edge.
#[inline]
pub(in crate::lint) fn length([a, b]: [u32; 2], positions: &(impl Positions + ?Sized)) -> f32 {
    positions.at(a).distance(positions.at(b))
}

/// Six times the volume that triangles enclose with the vertex `apex`: the sum of scalar triple products (divergence theorem).
pub(in crate::lint) fn six_volumes(
    apex: u32,
    triangles: impl Iterator<Item = [u32; 3]>,
    positions: &(impl Positions + ?Sized),
) -> f64 {
    let (apex, mut sum) = (positions.at(apex), 0.0);
    for corners in triangles {
        let height = positions.at(corners[0]) - apex;
        // Differences within a triangle lose little in f32, however far away it is. Only products and sums over
        // many triangles need f64.
        let across = across(corners, positions);
        sum += height.as_dvec3().dot(across.as_dvec3());
    }
    sum
}
