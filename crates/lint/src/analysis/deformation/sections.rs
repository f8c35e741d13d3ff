//! Open islands of a mesh, cut into the surface of each joint, with their holes closed; and the volumes of the sections.

use glam::DVec3;

use super::bodies::{Positions, six_volumes};
use super::surface::Surface;
use crate::analysis::topology::{edge, sides};
use crate::groups::Groups;
use crate::lists::value_of;
use crate::rig::{Mesh, SkinSlot};

/// The triangles of an open island that mostly follow one joint.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Section {
    /// At least one.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// The edges around each hole, in the direction of its triangles. A fan around the middle of the edges closes it.
    holes: Vec<Vec<[u32; 2]>>,
}

/// The sections of all islands of `mesh` with a hole. Triangles with an untrusted corner are left out.
pub(crate) fn sections(mesh: &Mesh, surface: &Surface) -> Vec<Section> {
    let islands = &surface.topology.islands;
    let island = |corners: &[u32; 3]| islands[corners[0] as usize] as usize;
    let mut is_open = vec![false; surface.topology.island_count()];
    for (corners, closed) in mesh.triangles.iter().zip(&surface.closed) {
        is_open[island(corners)] |= !closed;
    }
    // The island and the slot of each triangle, and the triangle.
    let mut parts: Vec<(usize, SkinSlot, [u32; 3])> = Vec::new();
    for corners in &mesh.triangles {
        let trusted = corners.iter().all(|own| surface.trusted[*own as usize]);
        if let Some(slot) = leader(mesh, corners).filter(|_| trusted && is_open[island(corners)]) {
            parts.push((island(corners), slot, *corners));
        }
    }
    parts.sort_by_key(|(island, slot, _)| (*island, *slot));
    let sections = parts.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    sections
        .map(|part| {
            let triangles: Vec<[u32; 3]> = part.iter().map(|(_, _, corners)| *corners).collect();
            Section {
                holes: holes(&triangles, &surface.topology.welded),
                triangles,
            }
        })
        .collect()
}

/// The slot with the most weight on a triangle, the first of equal ones.
fn leader(mesh: &Mesh, corners: &[u32; 3]) -> Option<SkinSlot> {
    let mut weights: Vec<(SkinSlot, f32)> = Vec::new();
    for corner in corners {
        for influence in mesh.influences.of(*corner as usize) {
            *value_of(&mut weights, influence.slot) += influence.weight;
        }
    }
    // The last of equal ones is the maximum, hence the reversal.
    let most = weights.into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
    most.map(|(slot, _)| slot)
}

/// The edges that only one triangle has, in groups that share vertices.
fn holes(triangles: &[[u32; 3]], welded: &[u32]) -> Vec<Vec<[u32; 2]>> {
    let corners = triangles
        .iter()
        .map(|corners| corners.map(|corner| welded[corner as usize]));
    let mut all: Vec<[u32; 2]> = corners.flat_map(sides).collect();
    all.sort_unstable_by_key(|side| edge(*side));
    let mut open: Vec<[u32; 2]> = Vec::new();
    for [from, to] in all {
        // The neighbour across an edge runs along it in the other direction.
        if open.last() == Some(&[to, from]) {
            open.pop();
        } else {
            open.push([from, to]);
        }
    }
    let mut groups = Groups::new(welded.len());
    for [from, to] in &open {
        groups.join(*from as usize, *to as usize);
    }
    // With the group of each.
    let mut open: Vec<(u32, [u32; 2])> = open
        .into_iter()
        .map(|edge| (groups.of(edge[0] as usize), edge))
        .collect();
    open.sort_unstable();
    let holes = open.chunk_by(|a, b| a.0 == b.0);
    holes
        .map(|hole| hole.iter().map(|(_, edge)| *edge).collect())
        .collect()
}

impl Section {
    /// The volume inside the triangles and the fans; negative if they face inward.
    pub(crate) fn volume(&self, positions: &(impl Positions + ?Sized)) -> f64 {
        let apex = self.triangles[0][0];
        let surface = six_volumes(apex, self.triangles.iter().copied(), positions);
        let apex = positions.at(apex).as_dvec3();
        let fans = self.fans(positions).map(|[a, b, c]| {
            let across = (b - a).cross(c - a);
            (a - apex).dot(across)
        });
        (surface + fans.sum::<f64>()) / 6.0
    }

    /// The area of the triangles and the fans.
    pub(crate) fn area(&self, positions: &(impl Positions + ?Sized)) -> f64 {
        let placed = self
            .triangles
            .iter()
            .map(|corners| corners.map(|own| positions.at(own).as_dvec3()));
        let all = placed.chain(self.fans(positions));
        let areas = all.map(|[a, b, c]| (b - a).cross(c - a).length() / 2.0);
        areas.sum()
    }

    /// The triangles that close the holes.
    fn fans<'a>(
        &'a self,
        positions: &'a (impl Positions + ?Sized),
    ) -> impl Iterator<Item = [DVec3; 3]> + 'a {
        self.holes.iter().flat_map(move |edges| {
            let at = |vertex: u32| positions.at(vertex).as_dvec3();
            #[expect(clippy::cast_precision_loss, reason = "a number of edges")]
            let middle =
                edges.iter().map(|[from, _]| at(*from)).sum::<DVec3>() / edges.len() as f64;
            let fan = edges
                .iter()
                .map(move |[from, to]| [at(*to), at(*from), middle]);
            fan.collect::<Vec<_>>()
        })
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::Settings;
    use crate::analysis::topology::topology;
    use crate::core::context::Context;
    use crate::rig::MeshId;
    use crate::testing::arm;

    #[test]
    fn an_open_tube_is_cut_at_the_joint_and_closed() {
        let mut asset = arm();
        // Without the caps, the vertices at -1 and 1 on the axis.
        let ends = u32::try_from(asset.meshes[0].positions.len() - 2).unwrap();
        asset.meshes[0]
            .triangles
            .retain(|corners| corners.iter().all(|own| *own < ends));
        let settings = Settings::default();
        let cx = Context::new(&asset, "arm.glb".as_ref(), &settings);
        let mesh = &asset.meshes[0];
        let kinds: Vec<u32> = (0..).take(mesh.positions.len()).collect();
        let surface = Surface::of(mesh, topology(&cx, MeshId(0)).clone(), &kinds);
        let sections = sections(mesh, &surface);
        assert_eq!(sections.len(), 2);
        assert!(sections.iter().all(|section| section.holes.len() == 2));
        let positions = mesh.positions.as_slice();
        let volume: f64 = sections
            .iter()
            .map(|section| section.volume(positions))
            .sum();
        let sides = f64::from(u32::try_from(sections[0].holes[0].len()).unwrap());
        let turn = std::f64::consts::TAU / sides;
        let prism = 2.0 * 0.2 * 0.2 * sides / 2.0 * libm::sin(turn);
        assert!((volume - prism).abs() < 1e-3 * prism, "{volume} {prism}");
        let moved: Vec<Vec3> = positions
            .iter()
            .map(|own| *own + Vec3::new(5.0, 1.0, 2.0))
            .collect();
        let far: f64 = sections
            .iter()
            .map(|section| section.volume(moved.as_slice()))
            .sum();
        assert!((volume - far).abs() < 1e-4 * prism, "the fans close it");
    }
}
