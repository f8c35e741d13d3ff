//! The connectivity of a mesh: vertices at the same position, edges, islands.

use std::sync::{Arc, OnceLock};

use std::collections::HashMap;

use glam::Vec3;

use crate::lint::analysis::buckets::Buckets;
use crate::lint::core::context::{Analysis, Context};
use crate::rig::{Mesh, MeshId};

/// The connectivity of one mesh in the rest pose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::lint) struct Topology {
    /// For each vertex the first one at exactly its position; itself for most, and if a coordinate is NaN.
    pub(in crate::lint) welded: Vec<u32>,
    /// The sides of triangles, each once, the smaller vertex first, in order. Vertices are not welded here.
    pub(in crate::lint) edges: Vec<[u32; 2]>,
    /// For each vertex its island, connected by triangles and by equal positions. From 0 without gaps, in the order of
    /// their first vertices. A vertex without a triangle and at a unique position is an island of its own.
    pub(in crate::lint) islands: Vec<u32>,
    /// For each vertex, whether a triangle uses it.
    pub(in crate::lint) used: Vec<bool>,
}

impl Topology {
    /// Computes it for the positions and triangles of `mesh`.
    pub(in crate::lint) fn of(mesh: &Mesh) -> Self {
        let welded = weld(&mesh.positions);
        Self {
            edges: edges(&mesh.triangles, mesh.positions.len()),
            islands: islands(&welded, &mesh.triangles),
            welded,
            used: mesh.used_vertices(),
        }
    }

    /// How many islands there are.
    pub(in crate::lint) fn island_count(&self) -> usize {
        let last = self.islands.iter().max();
        last.map_or(0, |&last| last as usize + 1)
    }

    /// Pairs of vertices at the same position: the first there, and each later one.
    pub(in crate::lint) fn seams(&self) -> impl Iterator<Item = [usize; 2]> {
        let pairs = self.welded.iter().enumerate();
        pairs
            .map(|(vertex, &first)| [first as usize, vertex])
            .filter(|[first, vertex]| first != vertex)
    }
}

/// For each position the index of the first one that equals it; `-0` equals `0`, NaN equals nothing.
fn weld(positions: &[Vec3]) -> Vec<u32> {
    let mut first_at = HashMap::with_capacity(positions.len());
    let first = |(vertex, position): (u32, &Vec3)| {
        if position.is_nan() {
            return vertex;
        }
        // Adding 0 turns -0 into 0, so equal numbers have equal bits.
        let bits = (*position + Vec3::ZERO).to_array().map(f32::to_bits);
        *first_at.entry(bits).or_insert(vertex)
    };
    (0..).zip(positions).map(first).collect()
}

/// Each side once: grouped by the smaller vertex, then sorted by the larger one within each group. Linear in the number of
/// triangles, as few sides share a vertex, and in the same order in every run.
fn edges(triangles: &[[u32; 3]], vertices: usize) -> Vec<[u32; 2]> {
    let sides = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .filter(|[from, to]| from != to)
        .map(|[from, to]| (from.min(to), from.max(to)));
    let mut later = Buckets::of(vertices, sides);
    let mut edges = Vec::new();
    for (first, later) in (0..).zip(later.iter_mut()) {
        later.sort_unstable();
        let distinct = later.chunk_by(|a, b| a == b);
        edges.extend(distinct.map(|same| [first, same[0]]));
    }
    edges
}

fn islands(welded: &[u32], triangles: &[[u32; 3]]) -> Vec<u32> {
    // Union-find. Invariant: every vertex points to itself or an earlier one, so a root is the first vertex of its island.
    // Welded positions are the initial forest; each triangle joins the trees of its corners.
    let mut parents = welded.to_vec();
    for &[a, b, c] in triangles {
        join(&mut parents, a, b);
        join(&mut parents, a, c);
    }
    let mut count = 0;
    let mut islands = vec![0; parents.len()];
    for vertex in 0..parents.len() {
        let parent = parents[vertex] as usize;
        // A parent is earlier, so its island is numbered already.
        islands[vertex] = if parent == vertex {
            count += 1;
            count - 1
        } else {
            islands[parent]
        };
    }
    islands
}

/// Joins two trees under the earlier root, which keeps the invariant of [`islands`].
fn join(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(parents, a), root(parents, b));
    parents[a.max(b) as usize] = a.min(b);
}

/// The root of `vertex`, with path halving.
fn root(parents: &mut [u32], mut vertex: u32) -> u32 {
    while parents[vertex as usize] != vertex {
        let grandparent = parents[parents[vertex as usize] as usize];
        parents[vertex as usize] = grandparent;
        vertex = grandparent;
    }
    vertex
}

/// The connectivity of each mesh.
pub(in crate::lint) struct Topologies(Vec<OnceLock<Arc<Topology>>>);

impl Analysis for Topologies {
    fn of(cx: &Context<'_>) -> Self {
        Self(cx.asset.meshes.iter().map(|_| OnceLock::new()).collect())
    }
}

/// The connectivity of a mesh of the model of `cx`.
pub(in crate::lint) fn topology<'a>(cx: &'a Context<'_>, mesh: MeshId) -> &'a Arc<Topology> {
    let of_mesh = || Arc::new(Topology::of(&cx.asset.meshes[mesh.index()]));
    cx.get::<Topologies>().0[mesh.index()].get_or_init(of_mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topology(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Topology {
        Topology::of(&Mesh {
            positions: positions.iter().map(|&p| Vec3::from_array(p)).collect(),
            triangles: triangles.to_vec(),
            ..Mesh::default()
        })
    }

    /// Two triangles that meet at a seam, and one elsewhere.
    fn seam_and_island() -> Topology {
        let positions = [
            [5.0, 0.0, 0.0],
            [6.0, 0.0, 0.0],
            [5.0, 1.0, 0.0],
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [1.0, -0.0, 0.0],
            [1.0, 1.0, 0.0],
            [-0.0, 1.0, 0.0],
        ];
        topology(&positions, &[[3, 4, 5], [0, 1, 2], [6, 7, 8]])
    }

    #[test]
    fn vertices_at_one_position_are_welded_and_zero_has_no_sign() {
        let topology = seam_and_island();
        assert_eq!(topology.welded, [0, 1, 2, 3, 4, 5, 4, 7, 5]);
        let seams: Vec<[usize; 2]> = topology.seams().collect();
        assert_eq!(seams, [[4, 6], [5, 8]]);
    }

    #[test]
    fn islands_are_joined_across_seams_and_numbered_from_their_first_vertex() {
        let topology = seam_and_island();
        assert_eq!(topology.islands, [0, 0, 0, 1, 1, 1, 1, 1, 1]);
        assert_eq!(topology.island_count(), 2);
    }

    #[test]
    fn an_island_that_is_joined_late_is_one() {
        let positions: Vec<[f32; 3]> = (0..6_u8).map(|x| [f32::from(x), 0.0, 0.0]).collect();
        let topology = topology(&positions, &[[3, 4, 5], [0, 1, 2], [5, 2, 5]]);
        assert_eq!(topology.islands, [0; 6]);
    }

    #[test]
    fn an_edge_of_two_triangles_is_there_once() {
        let positions = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        let topology = topology(&positions, &[[0, 1, 2], [2, 1, 3], [3, 3, 3]]);
        assert_eq!(topology.edges, [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
    }

    #[test]
    fn nan_positions_are_not_equal() {
        let nan = [f32::NAN, 0.0, 0.0];
        let topology = topology(&[nan, nan, [1.0; 3]], &[[0, 0, 2]]);
        assert_eq!(topology.welded, [0, 1, 2]);
        assert_eq!(topology.islands, [0, 1, 0]);
        assert_eq!(topology.used, [true, false, true]);
    }
}
