//! Islands without a hole, and what they hold.

use glam::Vec3;

use super::shape::six_volumes;
use crate::lint::topology::Topology;
use crate::rig::Mesh;

/// An island of a surface all of whose edges are shared by two triangles.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Body {
    /// Its triangles.
    pub(super) triangles: Vec<[u32; 3]>,
    /// What it holds as bound.
    pub(super) bound_volume: f64,
    /// Of its surface as bound.
    pub(super) bound_area: f64,
}

/// The islands of `mesh` without a hole, in order.
///
/// * `closed` – for each triangle whether all of its edges are shared by two.
pub(super) fn bodies(mesh: &Mesh, topology: &Topology, closed: &[bool]) -> Vec<Body> {
    let island = |corners: &[u32; 3]| topology.islands[corners[0] as usize] as usize;
    let mut open = vec![false; topology.island_count()];
    for (corners, closed) in mesh.triangles.iter().zip(closed) {
        open[island(corners)] |= !closed;
    }
    let mut bodies = vec![Vec::new(); open.len()];
    for corners in &mesh.triangles {
        if !open[island(corners)] {
            bodies[island(corners)].push(*corners);
        }
    }
    let bodies = bodies.into_iter().filter(|triangles| !triangles.is_empty());
    bodies
        .map(|triangles| Body {
            bound_volume: volume(&triangles, &mesh.positions),
            bound_area: area(&triangles, &mesh.positions),
            triangles,
        })
        .collect()
}

impl Body {
    /// What it holds: negative where its triangles face inward.
    pub(super) fn volume(&self, places: &[Vec3]) -> f64 {
        volume(&self.triangles, places)
    }

    /// Of its surface.
    pub(super) fn area(&self, places: &[Vec3]) -> f64 {
        area(&self.triangles, places)
    }
}

fn volume(triangles: &[[u32; 3]], places: &[Vec3]) -> f64 {
    let Some(origin) = place(triangles, places) else {
        return 0.0;
    };
    six_volumes(origin, triangles.iter().copied(), places) / 6.0
}

fn area(triangles: &[[u32; 3]], places: &[Vec3]) -> f64 {
    let place = |corner: u32| places[corner as usize].as_dvec3();
    let triangles = triangles.iter().map(|&[a, b, c]| {
        let (a, b, c) = (place(a), place(b), place(c));
        (b - a).cross(c - a).length()
    });
    triangles.sum::<f64>() / 2.0
}

/// One of the vertices; sums of volumes seen from there are small.
fn place(triangles: &[[u32; 3]], places: &[Vec3]) -> Option<Vec3> {
    let [first, ..] = triangles.first()?;
    places.get(*first as usize).copied()
}
