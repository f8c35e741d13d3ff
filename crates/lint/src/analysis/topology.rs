//! The connectivity of a mesh: vertices at the same position, edges, islands.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use glam::Vec3;

use crate::core::context::{Analysis, Context};
use crate::groups::Groups;
use crate::rig::{Mesh, MeshId};

/// The connectivity of one mesh in the rest pose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Topology {
    /// For each vertex the first one at exactly its position; itself for most, and if a coordinate is NaN.
    pub(crate) welded: Vec<u32>,
    /// The sides of triangles, each once, the smaller vertex first, in order. Vertices are not welded here.
    pub(crate) edges: Vec<[u32; 2]>,
    /// For each vertex its island, connected by triangles and by equal positions. From 0 without gaps, in the order of
    /// their first vertices. A vertex without a triangle and at a unique position is an island of its own.
    pub(crate) islands: Vec<u32>,
    /// For each vertex, whether a triangle uses it.
    pub(crate) used: Vec<bool>,
}

impl Topology {
    /// Computes it for the positions and triangles of `mesh`.
    pub(crate) fn of(mesh: &Mesh) -> Self {
        let welded = weld(&mesh.positions);
        Self {
            edges: edges(&mesh.triangles, mesh.positions.len()),
            islands: islands(&welded, &mesh.triangles),
            welded,
            used: mesh.used_vertices(),
        }
    }

    /// How many islands there are.
    pub(crate) fn island_count(&self) -> usize {
        let last = self.islands.iter().max();
        last.map_or(0, |&last| last as usize + 1)
    }

    /// Pairs of vertices at the same position: the first there, and each later one.
    pub(crate) fn seams(&self) -> impl Iterator<Item = [usize; 2]> {
        let pairs = self.welded.iter().enumerate();
        pairs
            .map(|(vertex, &first)| [first as usize, vertex])
            .filter(|[first, vertex]| first != vertex)
    }
}

/// The sides of a triangle, in its direction.
pub(crate) fn sides<T: Copy>([a, b, c]: [T; 3]) -> [[T; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// The ends of a side in either direction, in order.
pub(crate) fn edge([from, to]: [u32; 2]) -> [u32; 2] {
    [from.min(to), from.max(to)]
}

/// The edges that only one triangle has.
///
/// * `edges` – one for each side of a triangle.
pub(crate) fn single(mut edges: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    edges.sort_unstable();
    let runs = edges.chunk_by(|a, b| a == b);
    runs.filter(|run| run.len() == 1)
        .map(|run| run[0])
        .collect()
}

/// For each position the index of the first one that equals it; `-0` equals `0`, NaN equals nothing.
#[doc(hidden)]
#[must_use]
pub fn weld(positions: &[Vec3]) -> Vec<u32> {
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
        .flat_map(|&corners| sides(corners))
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
    let mut groups = Groups::new(welded.len());
    for (vertex, first) in welded.iter().enumerate() {
        groups.join(vertex, *first as usize);
    }
    for triangle in triangles {
        let [a, b, c] = triangle.map(|vertex| vertex as usize);
        groups.join(a, b);
        groups.join(a, c);
    }
    let mut count = 0;
    let mut islands = vec![0; welded.len()];
    for vertex in 0..welded.len() {
        let first = groups.of(vertex) as usize;
        // The first vertex of an island is numbered already.
        islands[vertex] = if first == vertex {
            count += 1;
            count - 1
        } else {
            islands[first]
        };
    }
    islands
}

/// The connectivity of each mesh.
struct Topologies(Vec<OnceLock<Arc<Topology>>>);

impl Analysis for Topologies {
    fn of(cx: &Context<'_>) -> Self {
        Self(cx.asset.meshes.iter().map(|_| OnceLock::new()).collect())
    }
}

/// The connectivity of a mesh of the model of `cx`.
pub(crate) fn topology<'a>(cx: &'a Context<'_>, mesh: MeshId) -> &'a Arc<Topology> {
    let of_mesh = || Arc::new(Topology::of(&cx.asset[mesh]));
    cx.get::<Topologies>().0[mesh.index()].get_or_init(of_mesh)
}

/// Values grouped by key; within a key, in their original order.
#[derive(Debug)]
pub(super) struct Buckets<T> {
    /// For key `k` the range `ends[k - 1]..ends[k]` of `values` (from 0 for the first).
    ends: Vec<usize>,
    values: Vec<T>,
}

impl<T: Copy + Default> Buckets<T> {
    /// Counts the values of each key first, so that each value is then written to its final position (a counting sort).
    ///
    /// * `keys` – their number; each key is less.
    /// * `pairs` – keys and values. Iterated twice.
    pub(super) fn of(keys: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut next = vec![0; keys];
        let mut count = 0;
        for (key, _) in pairs.clone() {
            next[key as usize] += 1;
            count += 1;
        }
        // Counts become the positions of each key's first value.
        let mut start = 0;
        for next in &mut next {
            start += std::mem::replace(next, start);
        }
        let mut values = vec![T::default(); count];
        // Each write advances the key's position, which finally is the end of the key's values.
        for (key, value) in pairs {
            let position = &mut next[key as usize];
            values[*position] = value;
            *position += 1;
        }
        Self { ends: next, values }
    }

    /// The values of each key, empty if it has none, in the order of the keys.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut [T]> {
        let (mut start, mut rest) = (0, self.values.as_mut_slice());
        self.ends.iter().map(move |end| {
            let (bucket, after) = std::mem::take(&mut rest).split_at_mut(end - start);
            (start, rest) = (*end, after);
            bucket
        })
    }
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

    #[test]
    fn values_of_a_key_stay_in_order() {
        let pairs = [(2, 'a'), (0, 'b'), (2, 'c'), (0, 'd')];
        let mut buckets = Buckets::of(4, pairs.into_iter());
        let buckets: Vec<&mut [char]> = buckets.iter_mut().collect();
        assert_eq!(buckets, [&['b', 'd'][..], &[], &['a', 'c'], &[]]);
    }
}
