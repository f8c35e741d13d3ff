//! The triangles of a mesh for given positions of vertices; closed islands, and their volumes.

use glam::{DMat3, DVec3, Mat4, Vec3};

use super::pliant::Leaders;
use crate::analysis::topology::Topology;
use crate::rig::Mesh;
use crate::skinning::DistinctPositions;

/// Least 36π V²/A³ of a body that is not flat.
pub(crate) const LEAST_ROUNDNESS: f64 = 0.05;

/// A closed island: two triangles share each of its edges, and several joints move it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Body {
    /// Its triangles; at least one.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Its triangles that several joints move.
    pliant: Vec<[u32; 3]>,
    /// Its other triangles, grouped by joint.
    stiff: Vec<Stiff>,
    /// The signed volume as bound.
    pub(crate) bound_volume: f64,
    /// The area of its surface in the bind pose.
    pub(crate) bound_area: f64,
}

/// Triangles that a single joint moves, as bound, in mesh space.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stiff {
    slot: u32,
    /// The sum of their area vectors.
    across: DVec3,
    /// Six times the volume they enclose with `apex`.
    six_volumes: f64,
    apex: DVec3,
}

/// The islands of `mesh` without a hole that several joints move, in order.
///
/// * `closed` – for each triangle, whether two triangles share each of its edges.
pub(crate) fn bodies(
    mesh: &Mesh,
    topology: &Topology,
    closed: &[bool],
    leaders: &Leaders,
) -> Vec<Body> {
    let island = |corners: &[u32; 3]| topology.islands[corners[0] as usize] as usize;
    // One open triangle opens its whole island.
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
    let bend = |triangles: &Vec<[u32; 3]>| {
        !triangles.is_empty() && leaders.differ(triangles.iter().flatten().copied())
    };
    let bodies = bodies.into_iter().filter(bend);
    bodies
        .map(|triangles| body(triangles, &mesh.positions, leaders))
        .collect()
}

fn body(triangles: Vec<[u32; 3]>, positions: &[Vec3], leaders: &Leaders) -> Body {
    let only = |corners: &[u32; 3]| leaders.only(*corners);
    // Triangles of a single joint move by its matrix: their part of the volume follows from the matrix alone, without reading
    // their vertices in each pose.
    let mut stiff: Vec<[u32; 3]> = triangles.clone();
    stiff.retain(|corners| only(corners).is_some());
    stiff.sort_by_key(only);
    let stiff = stiff.chunk_by(|a, b| only(a) == only(b));
    let pliant = triangles.iter().filter(|corners| only(corners).is_none());
    Body {
        pliant: pliant.copied().collect(),
        stiff: stiff
            .filter_map(|triangles| Some(Stiff::of(only(&triangles[0])?, triangles, positions)))
            .collect(),
        bound_volume: volume(&triangles, positions),
        bound_area: area(&triangles, positions),
        triangles,
    }
}

impl Stiff {
    fn of(slot: u32, triangles: &[[u32; 3]], positions: &[Vec3]) -> Self {
        let apex = triangles[0][0];
        let across = triangles.iter().map(|corners| across(*corners, positions));
        Self {
            slot,
            across: across.map(Vec3::as_dvec3).sum(),
            six_volumes: six_volumes(apex, triangles.iter().copied(), positions),
            apex: positions.at(apex).as_dvec3(),
        }
    }

    /// Six times the volume that the triangles enclose with `apex` after `world_from_mesh`: volumes scale by the
    /// determinant, area vectors by the cofactors.
    fn moved(&self, world_from_mesh: &Mat4, apex: DVec3) -> f64 {
        let matrix = world_from_mesh.as_dmat4();
        let part = DMat3::from_mat4(matrix);
        let (x, y, z) = (part.x_axis, part.y_axis, part.z_axis);
        // Σ (p − apex) · across = Σ (p − own apex) · across + (own apex − apex) · Σ across.
        // The first sum scales by the determinant. In the second, area vectors move by the cofactor matrix, whose columns are
        // the cross products of the columns.
        let across = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y)) * self.across;
        let height = matrix.transform_point3(self.apex) - apex;
        part.determinant() * self.six_volumes + height.dot(across)
    }
}

impl Body {
    /// The enclosed volume; negative if its triangles face inward.
    pub(crate) fn volume(&self, positions: &(impl Positions + ?Sized)) -> f64 {
        volume(&self.triangles, positions)
    }

    /// The enclosed volume in a pose without morph targets.
    pub(crate) fn volume_of_unmorphed(&self, posed: &DistinctPositions<'_>) -> f64 {
        let apex = self.triangles[0][0];
        let pliant = six_volumes(apex, self.pliant.iter().copied(), posed);
        let apex = posed.at(apex as usize).as_dvec3();
        let stiff = self.stiff.iter().filter_map(|stiff| {
            let world_from_mesh = posed.palette.get(stiff.slot as usize)?;
            Some(stiff.moved(world_from_mesh, apex))
        });
        (pliant + stiff.sum::<f64>()) / 6.0
    }

    /// The area of its surface.
    pub(crate) fn area(&self, positions: &[Vec3]) -> f64 {
        area(&self.triangles, positions)
    }
}

/// The sum of the tetrahedra between a vertex of the body and each triangle. A vertex as the apex keeps the terms small, and
/// so their rounding, wherever the body is.
fn volume(triangles: &[[u32; 3]], positions: &(impl Positions + ?Sized)) -> f64 {
    six_volumes(triangles[0][0], triangles.iter().copied(), positions) / 6.0
}

fn area(triangles: &[[u32; 3]], positions: &[Vec3]) -> f64 {
    let position = |corner: u32| positions[corner as usize].as_dvec3();
    let triangles = triangles.iter().map(|&[a, b, c]| {
        let (a, b, c) = (position(a), position(b), position(c));
        (b - a).cross(c - a).length()
    });
    triangles.sum::<f64>() / 2.0
}

/// The positions of the vertices of a mesh.
pub(crate) trait Positions {
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
pub(crate) struct Shape {
    /// A vector across it, as long as twice its area.
    pub(crate) across: Vec<Vec3>,
    /// The lengths of these vectors.
    pub(crate) lengths: Vec<f32>,
    /// The sum of the lengths: twice the area of all triangles.
    pub(crate) area: f64,
}

impl Shape {
    /// Computes it for the triangles of `mesh`, its vertices at `positions`.
    pub(crate) fn of(mesh: &Mesh, positions: &[Vec3]) -> Self {
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
}

/// A triangle's area vector: a normal with twice the area as length.
#[inline]
pub(crate) fn across(corners: [u32; 3], positions: &(impl Positions + ?Sized)) -> Vec3 {
    // Spelled out: `map` of an array is not inlined, and takes most of the time.
    let [a, b, c] = corners;
    let (a, b, c) = (positions.at(a), positions.at(b), positions.at(c));
    (b - a).cross(c - a)
}

/// The length of an edge.
#[inline]
pub(crate) fn length([a, b]: [u32; 2], positions: &(impl Positions + ?Sized)) -> f32 {
    positions.at(a).distance(positions.at(b))
}

/// Six times the volume that triangles enclose with the vertex `apex`: the sum of scalar triple products (divergence theorem).
pub(crate) fn six_volumes(
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rig::{Influence, Influences, InstanceId, SkinSlot};

    /// An octahedron: each of its eight faces has a corner on every axis.
    fn octahedron() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let positions = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| [axis, -axis]);
        let faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4]];
        let below = faces.map(|[a, b, _]| [b, a, 5]);
        (positions.concat(), [faces, below].concat())
    }

    fn matrix() -> impl Strategy<Value = Mat4> {
        prop::array::uniform12(-3.0_f32..3.0).prop_map(|m| {
            let [x, y, z, w] = [0, 3, 6, 9].map(|i| Vec3::from_slice(&m[i..]));
            Mat4::from_cols(x.extend(0.0), y.extend(0.0), z.extend(0.0), w.extend(1.0))
        })
    }

    proptest! {
        #[test]
        fn the_volume_of_stiff_parts_is_that_of_their_vertices(
            palette in prop::array::uniform3(matrix()),
            slots in prop::array::uniform6(prop::collection::vec(0_u32..3, 1..3)),
        ) {
            let (positions, triangles) = octahedron();
            let lists = slots.iter().map(|slots| {
                let share = 1.0 / f32::from(u8::try_from(slots.len()).unwrap());
                slots.iter().map(move |slot| Influence::new(SkinSlot(*slot), share ))
            });
            let mesh = Mesh { influences: Influences::from_vertices(lists), ..Mesh::default() };
            let mesh = Mesh { positions, ..mesh };
            let body = body(triangles, &mesh.positions, &Leaders::of(&mesh));
            prop_assert!((body.bound_volume - 4.0 / 3.0).abs() < 1e-9);
            let vertices = mesh.positions.iter().zip(mesh.influences.iter());
            let moved: Vec<Vec3> = vertices.map(|(position, influences)| {
                let influence = |i: &Influence| palette[i.slot.index()] * i.weight;
                let sum = influences.iter().map(influence).reduce(|a, b| a + b).unwrap();
                sum.transform_point3(*position)
            }).collect();
            let kinds = [0, 1, 2, 3, 4, 5];
            let posed = DistinctPositions { instance: InstanceId(0), distinct: moved, kinds: &kinds, palette: palette.into() };
            let volume = body.volume_of_unmorphed(&posed);
            prop_assert!((volume - body.volume(&posed)).abs() < 1e-3, "{volume}");
            prop_assert_eq!(body.stiff.is_empty(), body.pliant.len() == 8);
        }
    }
}
