//! What of a surface can deform at all.

use super::bodies::Body;
use super::hinges::Hinge;
use crate::rig::Mesh;

/// The parts of a surface that more than one joint moves. What follows a single joint is scaled with it and turned with
/// it, which is right, and cannot deform otherwise.
#[derive(Debug, Default)]
pub(super) struct Pliant {
    /// Edges, by position.
    pub(super) edges: Vec<u32>,
    /// Triangles, by position.
    pub(super) triangles: Vec<u32>,
    /// Hinges, by position.
    pub(super) hinges: Vec<u32>,
    /// Triangles that pliant hinges have, or that are pliant themselves; by position.
    pub(super) beside: Vec<u32>,
}

/// For each vertex of a mesh the joint that alone moves it, by slot; [`SEVERAL`] where there are more or none.
pub(super) struct Leaders(Vec<u32>);

/// No single joint.
const SEVERAL: u32 = u32::MAX;

impl Leaders {
    /// Of `mesh`.
    pub(super) fn of(mesh: &Mesh) -> Self {
        let vertices = 0..mesh.positions.len();
        Self(vertices.map(|vertex| leader(mesh, vertex)).collect())
    }

    /// Whether several joints move `vertices`.
    fn differ(&self, vertices: impl IntoIterator<Item = u32>) -> bool {
        let mut leaders = vertices.into_iter().map(|vertex| self.0[vertex as usize]);
        let first = leaders.next().unwrap_or(SEVERAL);
        first == SEVERAL || leaders.any(|other| other != first)
    }

    /// Whether several joints move a body.
    pub(super) fn bend(&self, body: &Body) -> bool {
        self.differ(body.triangles.iter().flatten().copied())
    }
}

fn leader(mesh: &Mesh, vertex: usize) -> u32 {
    let weighted = mesh.influences.of(vertex).iter();
    let mut weighted = weighted.filter(|influence| influence.weight != 0.0);
    match (weighted.next(), weighted.next()) {
        (Some(only), None) => only.slot,
        _ => SEVERAL,
    }
}

impl Pliant {
    /// Of the edges, triangles and hinges of a mesh.
    pub(super) fn of(
        leaders: &Leaders,
        edges: &[[u32; 2]],
        triangles: &[[u32; 3]],
        hinges: &[Hinge],
    ) -> Self {
        let mut pliant = Self {
            edges: positions(edges, |edge| leaders.differ(*edge)),
            triangles: positions(triangles, |corners| leaders.differ(*corners)),
            hinges: positions(hinges, |hinge| {
                let corners = hinge.triangles.map(|triangle| triangles[triangle as usize]);
                leaders.differ(corners.into_iter().flatten())
            }),
            beside: Vec::new(),
        };
        pliant.beside = pliant.triangles.clone();
        let beside = |hinge: &u32| hinges[*hinge as usize].triangles;
        pliant.beside.extend(pliant.hinges.iter().flat_map(beside));
        pliant.beside.sort_unstable();
        pliant.beside.dedup();
        pliant
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
    use crate::rig::{Influence, Influences};

    /// Whether the only triangle of a mesh with these weights is pliant.
    fn is_pliant(weights: [&[(u32, f32)]; 3]) -> bool {
        let list = |of: &[(u32, f32)]| {
            let list = of.iter().map(|&(slot, weight)| Influence { slot, weight });
            list.collect::<Vec<_>>()
        };
        let mesh = Mesh {
            positions: vec![glam::Vec3::ZERO; 3],
            influences: Influences::from_vertices(weights.map(list)),
            ..Mesh::default()
        };
        let pliant = Pliant::of(&Leaders::of(&mesh), &[], &[[0, 1, 2]], &[]);
        assert_eq!(pliant.beside, pliant.triangles);
        pliant.triangles == [0]
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
}
