//! The parts of a surface that can deform.

use crate::analysis::topology::Buckets;
use crate::rig::Mesh;

/// The parts of a surface that more than one joint moves. A part that follows a single joint is rotated and scaled with
/// it, which is correct, and cannot deform otherwise.
#[derive(Debug, Default)]
pub(crate) struct Pliant {
    /// The corners of triangles that are pliant or have a pliant hinge, in the order of the mesh.
    pub(crate) corners: Vec<[u32; 3]>,
    /// The kinds of the corners, as [`PreparedMeshes::kinds`](crate::skinning::PreparedMeshes::kinds) has them.
    pub(crate) kinds: Vec<[u32; 3]>,
    /// Whether each triangle is pliant itself.
    pub(crate) bends: Vec<bool>,
    /// Hinges that more than one joint moves, in the order of their triangles in memory.
    pub(crate) hinges: Vec<PliantHinge>,
}

/// A hinge that more than one joint moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PliantHinge {
    /// Its two triangles, as indices into [`Pliant::corners`].
    pub(crate) beside: [u32; 2],
    /// Its index among the hinges of the surface.
    pub(crate) index: u32,
}

/// For each vertex of a mesh the only joint that moves it, by slot; [`SEVERAL`] if there are more or none.
#[derive(Debug)]
pub(crate) struct Leaders(Vec<u32>);

/// No single joint.
const SEVERAL: u32 = u32::MAX;

impl Leaders {
    /// Computes it for `mesh`.
    pub(crate) fn of(mesh: &Mesh) -> Self {
        let vertices = 0..mesh.positions.len();
        Self(vertices.map(|vertex| leader(mesh, vertex)).collect())
    }

    /// Whether several joints move `vertices`.
    pub(crate) fn differ(&self, vertices: impl IntoIterator<Item = u32>) -> bool {
        let mut leaders = vertices.into_iter().map(|vertex| self.0[vertex as usize]);
        let first = leaders.next().unwrap_or(SEVERAL);
        first == SEVERAL || leaders.any(|other| other != first)
    }

    /// The joint that alone moves a triangle, by slot, if there is one.
    pub(crate) fn only(&self, corners: [u32; 3]) -> Option<u32> {
        (!self.differ(corners)).then_some(self.0[corners[0] as usize])
    }
}

fn leader(mesh: &Mesh, vertex: usize) -> u32 {
    let mut weighted = mesh
        .influences
        .of(vertex)
        .iter()
        .filter(|influence| influence.weight != 0.0);
    match (weighted.next(), weighted.next()) {
        (Some(only), None) => only.slot.0,
        _ => SEVERAL,
    }
}

impl Pliant {
    /// Computes it for the triangles and hinges of a mesh.
    ///
    /// * `kinds` – of its vertices.
    pub(crate) fn of(
        leaders: &Leaders,
        triangles: &[[u32; 3]],
        hinges: &[Hinge],
        kinds: &[u32],
    ) -> Self {
        // 1. What can deform: triangles of several joints, and hinges between triangles of different ones.
        let bends = |corners: &[u32; 3]| leaders.differ(*corners);
        let bends: Vec<bool> = triangles.iter().map(bends).collect();
        let leader = |triangle: u32| leaders.0[triangles[triangle as usize][0] as usize];
        let bending = |(hinge, _): &(&Hinge, u32)| {
            let [a, b] = hinge.triangles;
            bends[a as usize] || bends[b as usize] || leader(a) != leader(b)
        };
        let bending: Vec<(&Hinge, u32)> = hinges.iter().zip(0..).filter(bending).collect();
        // 2. Both sides of such a hinge are watched, even where each is stiff by itself.
        let mut watched = bends.clone();
        for (hinge, _) in &bending {
            for triangle in hinge.triangles {
                watched[triangle as usize] = true;
            }
        }
        // 3. The watched triangles are packed in the order of the mesh, because each pose reads all of them.
        let mut pliant = Self::default();
        let mut indices = vec![0; triangles.len()];
        let mut next = 0;
        for (triangle, corners) in triangles.iter().enumerate() {
            if watched[triangle] {
                indices[triangle] = next;
                next += 1;
                pliant.corners.push(*corners);
                pliant.bends.push(bends[triangle]);
                let kinds = corners.map(|vertex| kinds[vertex as usize]);
                pliant.kinds.push(kinds);
            }
        }
        // 4. The hinges are sorted by their first triangle, then by their second, for the same reason.
        let mut later = Buckets::of(
            pliant.corners.len(),
            bending.iter().map(|(hinge, index)| {
                let [first, second] = hinge.triangles.map(|triangle| indices[triangle as usize]);
                (first, (second, *index))
            }),
        );
        for (first, later) in (0..).zip(later.iter_mut()) {
            later.sort_unstable();
            let hinges = later.iter().map(|(second, index)| PliantHinge {
                beside: [first, *second],
                index: *index,
            });
            pliant.hinges.extend(hinges);
        }
        pliant
    }
}

/// An edge that exactly two triangles share after welding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hinge {
    /// The indices of the two.
    pub(crate) triangles: [u32; 2],
    /// For each end of the edge, the vertex of either triangle there, not welded.
    pub(crate) ends: [[u32; 2]; 2],
}

/// The hinges of `triangles`, ordered by their edges, and for each triangle whether all of its edges are hinges.
///
/// * `welded` – for each vertex, the one that represents its position.
/// * `counts` – whether a triangle counts at all.
pub(crate) fn hinges(
    triangles: &[[u32; 3]],
    welded: &[u32],
    counts: impl Fn(usize) -> bool,
) -> (Vec<Hinge>, Vec<bool>) {
    // Sides are grouped by the earlier end of their edge, then sorted by the later one. Equal edges become neighbours, and the
    // hinges are in the order of their edges in every run, which a hash map would not give.
    let mut sides = Buckets::of(welded.len(), sides(triangles, welded, &counts));
    let mut closed = vec![true; triangles.len()];
    let mut hinges = Vec::new();
    for of_vertex in sides.iter_mut() {
        of_vertex.sort_unstable();
        for group in of_vertex.chunk_by(|a, b| a.later == b.later) {
            // An edge of one triangle is a border; one of three or more is not part of a surface. Neither can fold.
            if let [a, b] = group {
                hinges.push(Hinge {
                    triangles: [a.triangle, b.triangle],
                    ends: [[a.ends[0], b.ends[0]], [a.ends[1], b.ends[1]]],
                });
            } else {
                for side in group {
                    closed[side.triangle as usize] = false;
                }
            }
        }
    }
    (hinges, closed)
}

/// A side of a triangle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// The later of its two welded vertices.
    later: u32,
    triangle: u32,
    /// The vertices themselves, in the order of the welded ones.
    ends: [u32; 2],
}

/// The sides of the triangles that count, each with the earlier of its two welded vertices.
fn sides(
    triangles: &[[u32; 3]],
    welded: &[u32],
    counts: impl Fn(usize) -> bool + Copy,
) -> impl Iterator<Item = (u32, Side)> + Clone {
    let counted = triangles
        .iter()
        .zip(0_u32..)
        .filter(move |(_, triangle)| counts(*triangle as usize));
    counted.flat_map(move |(&[a, b, c], triangle)| {
        // Both triangles of a hinge list their side under the same pair, whichever way round they run.
        [[a, b], [b, c], [c, a]].map(|[from, to]| {
            let [first, second] = [from, to].map(|vertex| welded[vertex as usize]);
            let (earlier, later, ends) = if first <= second {
                (first, second, [from, to])
            } else {
                (second, first, [to, from])
            };
            let side = Side {
                later,
                triangle,
                ends,
            };
            (earlier, side)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Influence, Influences, SkinSlot};

    /// Whether the only triangle of a mesh with these weights is pliant.
    fn is_pliant(weights: [&[(u32, f32)]; 3]) -> bool {
        let list = |of: &[(u32, f32)]| {
            let list = of
                .iter()
                .map(|(slot, weight)| Influence::new(SkinSlot(*slot), *weight));
            list.collect::<Vec<_>>()
        };
        let mesh = Mesh {
            positions: vec![glam::Vec3::ZERO; 3],
            influences: Influences::from_vertices(weights.map(list)),
            ..Mesh::default()
        };
        let pliant = Pliant::of(&Leaders::of(&mesh), &[[0, 1, 2]], &[], &[0, 1, 1]);
        pliant.corners == [[0, 1, 2]] && pliant.kinds == [[0, 1, 1]]
    }

    #[test]
    fn vertices_of_one_joint_are_stiff() {
        assert!(!is_pliant([
            &[(3, 1.0)],
            &[(3, 0.5)],
            &[(3, 1.0), (1, 0.0)]
        ]));
        assert!(is_pliant([&[(3, 1.0)], &[(3, 1.0)], &[(1, 1.0)]]));
        assert!(is_pliant([&[(3, 0.5), (1, 0.5)]; 3]));
        assert!(is_pliant([&[]; 3]));
    }

    #[test]
    fn a_stiff_triangle_beside_a_pliant_one_is_watched() {
        let one = |slot| [Influence::new(SkinSlot(slot), 1.0)];
        let mesh = Mesh {
            positions: vec![glam::Vec3::ZERO; 6],
            influences: Influences::from_vertices([0, 0, 0, 1, 1, 1].map(one)),
            ..Mesh::default()
        };
        // Stiff, pliant, stiff, and stiff with no pliant hinge.
        let triangles = [[2, 1, 0], [1, 2, 3], [3, 4, 5], [0, 1, 2]];
        let hinge = |a, b| Hinge {
            triangles: [a, b],
            ends: [[0; 2]; 2],
        };
        let hinges = [hinge(1, 2), hinge(0, 1), hinge(0, 3)];
        let pliant = Pliant::of(
            &Leaders::of(&mesh),
            &triangles,
            &hinges,
            &[0, 1, 2, 3, 4, 5],
        );
        assert_eq!(pliant.corners, triangles[..3]);
        assert_eq!(pliant.bends, [false, true, false]);
        let hinge = |beside, index| PliantHinge { beside, index };
        assert_eq!(pliant.hinges, [hinge([0, 1], 1), hinge([1, 2], 0)]);
    }

    #[test]
    fn an_edge_of_two_triangles_is_a_hinge_also_across_a_seam() {
        // A quad whose two triangles meet at a seam: 4 is at the position of 1, 5 at that of 2.
        let welded = [0, 1, 2, 3, 1, 2];
        let (hinges, closed) = hinges(&[[0, 1, 2], [4, 3, 5]], &welded, |_| true);
        let expected = Hinge {
            triangles: [0, 1],
            ends: [[1, 4], [2, 5]],
        };
        assert_eq!(hinges, [expected]);
        assert_eq!(closed, [false, false]);
    }

    #[test]
    fn an_edge_of_three_triangles_is_none() {
        let welded = [0, 1, 2, 3, 4];
        let fan = [[0, 1, 2], [1, 0, 3], [0, 1, 4]];
        assert!(hinges(&fan, &welded, |_| true).0.is_empty());
        assert_eq!(hinges(&fan, &welded, |triangle| triangle != 2).0.len(), 1);
    }

    #[test]
    fn the_triangles_of_a_tetrahedron_are_closed() {
        let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let (hinges, closed) = hinges(&faces, &[0, 1, 2, 3], |_| true);
        assert_eq!((hinges.len(), closed), (6, vec![true; 4]));
    }
}
