//! The parts of a surface that can deform.

use crate::lint::analysis::deformation::hinges::Hinge;
use crate::rig::Mesh;

/// The parts of a surface that more than one joint moves. A part that follows a single joint is rotated and scaled with
/// it, which is correct, and cannot deform otherwise.
#[derive(Debug, Default)]
pub(in crate::lint) struct Pliant {
    /// The corners of triangles that are pliant or have a pliant hinge, in the order of the mesh.
    pub(in crate::lint) corners: Vec<[u32; 3]>,
    /// The kinds of those vertices, as [`Prepared::kinds`](crate::skinning::Prepared::kinds) has them.
    pub(in crate::lint) kinds: Vec<[u32; 3]>,
    /// Whether those are pliant themselves.
    pub(in crate::lint) bends: Vec<bool>,
    /// Hinges.
    pub(in crate::lint) hinges: Vec<PliantHinge>,
}

/// A hinge that more than one joint moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::lint) struct PliantHinge {
    /// Its two triangles, by their places in [`Pliant::corners`].
    pub(in crate::lint) beside: [u32; 2],
    /// Its own position.
    pub(in crate::lint) position: u32,
}

/// For each vertex of a mesh the only joint that moves it, by slot; [`SEVERAL`] if there are more or none.
#[derive(Debug)]
pub(in crate::lint) struct Leaders(Vec<u32>);

/// No single joint.
const SEVERAL: u32 = u32::MAX;

impl Leaders {
    /// Of `mesh`.
    pub(in crate::lint) fn of(mesh: &Mesh) -> Self {
        let vertices = 0..mesh.positions.len();
        Self(vertices.map(|vertex| leader(mesh, vertex)).collect())
    }

    /// Whether several joints move `vertices`.
    pub(in crate::lint) fn differ(&self, vertices: impl IntoIterator<Item = u32>) -> bool {
        let mut leaders = vertices.into_iter().map(|vertex| self.0[vertex as usize]);
        let first = leaders.next().unwrap_or(SEVERAL);
        first == SEVERAL || leaders.any(|other| other != first)
    }

    /// The joint that alone moves a triangle, by slot, if there is one.
    pub(in crate::lint) fn only(&self, corners: [u32; 3]) -> Option<u32> {
        (!self.differ(corners)).then_some(self.0[corners[0] as usize])
    }
}

fn leader(mesh: &Mesh, vertex: usize) -> u32 {
    let weighted = mesh.influences.of(vertex).iter();
    let mut weighted = weighted.filter(|influence| influence.weight != 0.0);
    match (weighted.next(), weighted.next()) {
        (Some(only), None) => only.joint.0,
        _ => SEVERAL,
    }
}

impl Pliant {
    /// Of the triangles and hinges of a mesh.
    ///
    /// * `kinds` – of its vertices.
    pub(in crate::lint) fn of(
        leaders: &Leaders,
        triangles: &[[u32; 3]],
        hinges: &[Hinge],
        kinds: &[u32],
    ) -> Self {
        let corners = |triangle: u32| triangles[triangle as usize];
        let kinds = |corners: &[u32; 3]| corners.map(|vertex| kinds[vertex as usize]);
        let pliant = positions(triangles, |corners| leaders.differ(*corners));
        let bending = positions(hinges, |hinge| {
            leaders.differ(hinge.triangles.into_iter().flat_map(corners))
        });
        let of_hinge = |hinge: &u32| hinges[*hinge as usize].triangles;
        let mut watched = pliant.clone();
        watched.extend(bending.iter().flat_map(of_hinge));
        watched.sort_unstable();
        watched.dedup();
        let mut places = vec![0; triangles.len()];
        for (place, triangle) in (0..).zip(&watched) {
            places[*triangle as usize] = place;
        }
        let place = |triangle: u32| places[triangle as usize];
        let bends = |triangle: &u32| pliant.binary_search(triangle).is_ok();
        let pliant_hinge = |hinge: &u32| PliantHinge {
            beside: of_hinge(hinge).map(place),
            position: *hinge,
        };
        let mut hinges: Vec<PliantHinge> = bending.iter().map(pliant_hinge).collect();
        // As the triangles lie in memory.
        hinges.sort_unstable();
        let corners: Vec<[u32; 3]> = watched.iter().copied().map(corners).collect();
        Self {
            kinds: corners.iter().map(kinds).collect(),
            corners,
            bends: watched.iter().map(bends).collect(),
            hinges,
        }
    }
}

/// Of those of `all` that `are`.
fn positions<T>(all: &[T], are: impl Fn(&T) -> bool) -> Vec<u32> {
    let all = (0..).zip(all);
    all.filter(|(_, one)| are(one))
        .map(|(index, _)| index)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Influence, Influences, JointId};

    /// Whether the only triangle of a mesh with these weights is pliant.
    fn is_pliant(weights: [&[(u32, f32)]; 3]) -> bool {
        let list = |of: &[(u32, f32)]| {
            let list = of.iter().map(|(slot, weight)| Influence {
                joint: JointId(*slot),
                weight: *weight,
            });
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
    fn what_one_joint_moves_is_stiff() {
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
        let one = |slot| {
            [Influence {
                joint: JointId(slot),
                weight: 1.0,
            }]
        };
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
        let hinge = |beside, position| PliantHinge { beside, position };
        assert_eq!(pliant.hinges, [hinge([0, 1], 1), hinge([1, 2], 0)]);
    }
}
