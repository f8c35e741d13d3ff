//! `G821`: torn-surface.

use std::collections::BTreeMap;

use glam::{DVec3, Vec2, Vec3};

use crate::lint::analysis::deformation::surface::Surface;
use crate::lint::analysis::deformation::{rest, surface_of};
use crate::lint::analysis::joints::{self, Skinned};
use crate::lint::analysis::topology::{edge, sides};
use crate::lint::analysis::weighting::{self, Weighting};
use crate::lint::core::findings::{AtVertices, Counted};
use crate::lint::core::numbers::percents;
use crate::lint::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};
use crate::rig::{Bounds, Mesh, Skin};

/// About two pixels on a model that fills the screen, and 6 mm on a person. Real models have narrower gaps that nobody saw, between
/// lips, at a waist, and in a hat.
const GAP: Limit = Limit::new("gap", 0.0025, LimitRange::FROM_ZERO)
    .about("minimum width of a tear, over the model's diagonal at rest");

/// A wider opening, in diagonals, is modelled, such as that between the strands of a beard.
const WIDEST: f64 = 0.03;

/// Where triangles are missing, an opening is two edges wide at least, except at its ends.
const EDGES: Limit = Limit::new("edges", 2.0, LimitRange::FROM_ZERO)
    .about("maximum width of a tear, over the length of the edges beside it");

declare_rule! {
    TornSurface, "G821", "torn-surface", Warning, limits = &[GAP, EDGES], attribute = Some("POSITION")
}

impl Rule for TornSurface {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Vertices => ["G811"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let [gap, edges] = [GAP, EDGES].map(|limit| cx.limit(&Self::META, &limit));
        let Some(rest) = rest(cx) else { return };
        for user in joints::skinned(cx.asset) {
            let Some(surface) = surface_of(cx, user.instance.mesh) else {
                continue;
            };
            let Some(tears) = Tears::of(&user, surface, edges) else {
                continue;
            };
            let weights = weighting::weighting(cx, user.instance.mesh);
            let group = cx.mesh(user.instance);
            let index = group.instance().map_or(0, crate::rig::InstanceId::index);
            // From lengths in the mesh, whose unit may be another, to parts of the whole model.
            let own = Bounds::of_f32(&user.mesh.positions).diagonal();
            let part = rest.boxes[index].diagonal() / own / rest.size;
            let mut found = Counted::default();
            for tear in tears.all(weights) {
                let width = tear.width * part;
                if width > gap && width < WIDEST {
                    found.add(width, tear);
                }
            }
            let Some(worst) = &found.which else { continue };
            let offence = Offence::above(&group, "tear", found.worst, gap);
            out.add_many(offence.vertices(&found.vertices), found.count, |subject| {
                let [a, b] = worst.widest;
                let subject = cx.at_vertex(subject, user.instance, a as usize);
                let [width, limit] = percents(found.worst, gap, 2);
                let words = format!(
                    "a tear, here {width} % of the diagonal wide, limit {limit} %: vertex {b} should coincide with this one"
                );
                (subject, words)
            });
        }
    }
}

impl AtVertices for Tear {
    fn vertices(&self) -> impl IntoIterator<Item = u32> {
        self.vertices.iter().copied()
    }
}

/// Coordinates of one point in a texture, after rounding to 16 bits on either side. Lips that are a thousandth of the diagonal
/// apart are a few ten-thousandths of the texture apart.
const SAME_UV: f32 = 2.0 / 65_536.0;

/// The squared distance of two unit normals that were rounded to 8 bits.
const SAME_NORMAL: f32 = 4e-4;

/// As `W113` allows between the sides of a seam.
const SAME_WEIGHT: f64 = 0.01;

/// Texture coordinates prove nothing at a seam: there, a tear counts up to this part of the width. Cuffs and collars that are
/// pressed flat are wider.
const PART_OF_SEAM: f64 = 0.25;

/// The same, of a mesh without texture coordinates. A hole where two triangles are missing is as wide as an edge: half of the
/// width.
const PART_OF_PLAIN: f64 = 0.4;

/// The surface continues across a tear: on average, the triangles on both sides are at most 73° apart, as a cosine, and their
/// edges run in opposite directions, as neighbours do. A fold, such as the rim of an ear, is at 90° and more.
const LEVEL: f64 = 0.3;

/// The most pairs of vertices that are compared in a mesh, which bounds the work for any file. A mesh with this many borders of a
/// few steps each has millions of triangles.
const MOST_PAIRS: usize = 1 << 22;

/// The borders of a surface: the sides of exactly one triangle, welded.
struct Tears<'a> {
    mesh: &'a Mesh,
    skin: &'a Skin,
    welded: &'a [u32],
    trusted: &'a [bool],
    sides: Vec<Side>,
    /// For each welded vertex the border that leaves it, and the one that arrives; `None` if there are several.
    leaving: BTreeMap<u32, Option<usize>>,
    arriving: BTreeMap<u32, Option<usize>>,
    /// How wide a tear may be, in edges.
    edges: f64,
}

/// A border, in the direction of its triangle.
#[derive(Debug, Clone, Copy)]
struct Side {
    /// Its vertices, not welded.
    ends: [u32; 2],
    /// From the first to the second.
    along: DVec3,
    /// Of the triangle.
    normal: DVec3,
}

/// A tear.
#[derive(Debug, Clone, PartialEq)]
struct Tear {
    /// The vertices on both sides, in pairs, without the ends.
    vertices: Vec<u32>,
    /// The pair that is farthest apart.
    widest: [u32; 2],
    /// Their distance, in the unit of the mesh.
    width: f64,
}

/// How the two sides of a tear face each other.
#[derive(Debug, Default)]
struct Facing {
    pairs: f64,
    /// The sum of the cosines between their triangles.
    level: f64,
    /// The same, between their edges.
    along: f64,
}

impl Facing {
    fn add(&mut self, on: Side, back: Side) {
        let [own, other] = [on, back].map(|side| side.along.normalize_or_zero());
        self.pairs += 1.0;
        self.level += on.normal.dot(back.normal);
        self.along += own.dot(other);
    }

    /// Whether the surface continues from one to the other.
    fn is_level(&self) -> bool {
        self.level > LEVEL * self.pairs && self.along < -LEVEL * self.pairs
    }
}

impl<'a> Tears<'a> {
    /// `None` for a closed surface.
    ///
    /// * `edges` – how wide a tear may be, over the length of the edges beside it.
    fn of(user: &Skinned<'a>, surface: &'a Surface, edges: f64) -> Option<Self> {
        let (mesh, skin) = (user.mesh, user.skin);
        let welded = &surface.topology.welded;
        let sides = borders(mesh, surface);
        let ends = |at: usize| {
            let mut known: BTreeMap<u32, Option<usize>> = BTreeMap::new();
            for (index, side) in sides.iter().enumerate() {
                let vertex = welded[side.ends[at] as usize];
                let entry = known.entry(vertex);
                entry.and_modify(|own| *own = None).or_insert(Some(index));
            }
            known
        };
        let (leaving, arriving) = (ends(0), ends(1));
        (!sides.is_empty()).then_some(Self {
            leaving,
            arriving,
            mesh,
            skin,
            welded,
            trusted: &surface.trusted,
            sides,
            edges,
        })
    }

    /// Every tear, in the order of its first end.
    fn all(&self, weights: &Weighting) -> Vec<Tear> {
        let mut left = MOST_PAIRS;
        let starts = self.leaving.keys();
        starts
            .filter_map(|start| self.starting_at(*start, weights, &mut left))
            .collect()
    }

    /// The tear that begins at a welded vertex. Of its two ends, the smaller one counts as the beginning.
    ///
    /// From there, both borders are followed at the same pace, as a zip is opened, for as long as their vertices belong
    /// together.
    fn starting_at(&self, start: u32, weights: &Weighting, left: &mut usize) -> Option<Tear> {
        let (mut on, mut back) = (self.leaves(start)?, self.arrives(start)?);
        let starts_split = self.sides[on].ends[0] != self.sides[back].ends[1];
        let mut tear = Tear {
            vertices: Vec::new(),
            widest: [0; 2],
            width: 0.0,
        };
        let mut facing = Facing::default();
        // The width in edges, and whether the pairs are one point in the texture.
        let (mut most, mut is_one) = (0.0_f64, true);
        loop {
            let pair @ [a, b] = [self.sides[on].ends[1], self.sides[back].ends[0]];
            let [end, other] = pair.map(|vertex| self.welded[vertex as usize]);
            // The two borders meet in an edge: they have different numbers of vertices.
            if on == back {
                return None;
            }
            facing.add(self.sides[on], self.sides[back]);
            if end == other {
                let part = match (is_one, starts_split && a != b) {
                    (true, _) if !self.mesh.uv_sets.is_empty() => 1.0,
                    (true, _) => PART_OF_PLAIN,
                    (false, true) => PART_OF_SEAM,
                    (false, false) => 0.0,
                };
                let is_tear = !tear.vertices.is_empty() && start < end && facing.is_level();
                return (is_tear && most <= part * self.edges).then_some(tear);
            }
            *left = left.checked_sub(1)?;
            if !self.have_one_weight(pair, weights) {
                return None;
            }
            let next = (self.leaves(end)?, self.arrives(other)?);
            let [p, q] = pair.map(|vertex| self.mesh.positions[vertex as usize].as_dvec3());
            let width = p.distance(q);
            let beside = [on, back, next.0, next.1].map(|side| self.sides[side].along.length());
            most = most.max(width / beside.into_iter().fold(f64::INFINITY, f64::min));
            if most.is_nan() || most > self.edges {
                return None;
            }
            is_one &= self.are_one(pair);
            tear.vertices.extend(pair);
            if width > tear.width {
                (tear.width, tear.widest) = (width, pair);
            }
            (on, back) = next;
        }
    }

    fn leaves(&self, vertex: u32) -> Option<usize> {
        *self.leaving.get(&vertex)?
    }

    fn arrives(&self, vertex: u32) -> Option<usize> {
        *self.arriving.get(&vertex)?
    }

    fn have_one_weight(&self, pair: [u32; 2], weights: &Weighting) -> bool {
        let [a, b] = pair.map(|vertex| weights.at(vertex as usize));
        let is_trusted = pair.iter().all(|vertex| self.trusted[*vertex as usize]);
        is_trusted && weighting::distance_of_joints(self.skin, a, b) <= SAME_WEIGHT
    }

    /// Whether two vertices differ in nothing but their positions.
    fn are_one(&self, pair: [u32; 2]) -> bool {
        let [a, b] = pair.map(|vertex| vertex as usize);
        let normal = |vertex: usize| self.mesh.normals.get(vertex).copied().unwrap_or(Vec3::ZERO);
        let is_near = |set: &Vec<Vec2>| match (set.get(a), set.get(b)) {
            (Some(a), Some(b)) => (*a - *b).abs().max_element() <= SAME_UV,
            _ => false,
        };
        if self.mesh.uv_sets.is_empty() {
            normal(a).distance_squared(normal(b)) <= SAME_NORMAL
        } else {
            self.mesh.uv_sets.iter().all(is_near)
        }
    }
}

/// The sides of exactly one triangle, in the order of the triangles.
fn borders(mesh: &Mesh, surface: &Surface) -> Vec<Side> {
    let welded = |vertex: u32| surface.topology.welded[vertex as usize];
    let mut found = Vec::new();
    for (triangle, corners) in mesh.triangles.iter().enumerate() {
        if surface.closed[triangle] {
            continue;
        }
        for ends in sides(*corners) {
            let own = edge(ends.map(welded));
            let mut hinges = surface.hinges_of(triangle);
            if own[0] != own[1] && !hinges.any(|hinge| edge(surface.ends_of(hinge)) == own) {
                found.push((own, triangle, ends));
            }
        }
    }
    found.sort_unstable();
    let of_one = found
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|sides| sides.len() == 1)
        .flatten();
    let side = |&(_, triangle, ends): &([u32; 2], usize, [u32; 2])| {
        let position = |vertex: u32| mesh.positions[vertex as usize].as_dvec3();
        let [a, b, c] = mesh.triangles[triangle].map(position);
        Side {
            ends,
            along: position(ends[1]) - position(ends[0]),
            normal: (b - a).cross(c - a).normalize_or_zero(),
        }
    };
    of_one.map(side).collect()
}

#[cfg(test)]
mod tests {
    use glam::{Vec2, Vec3};

    use super::*;
    use crate::lint::testing::{RINGS, SIDES, arm, findings};
    use crate::rig::{Asset, Influences, Mesh};

    /// Splits the vertices of rings 4 to 8 along side 0 of the arm; the copies are on the side of the later sides.
    /// Returns the copies.
    fn split(mesh: &mut Mesh, rings: std::ops::RangeInclusive<usize>) -> Vec<usize> {
        let mut influences: Vec<_> = mesh.influences.iter().map(<[_]>::to_vec).collect();
        let mut copies = Vec::new();
        for ring in rings {
            let (vertex, copy) = (ring * SIDES, mesh.positions.len());
            mesh.positions.push(mesh.positions[vertex]);
            mesh.normals.push(mesh.normals[vertex]);
            influences.push(influences[vertex].clone());
            for corners in &mut mesh.triangles {
                let is_beside = |corner: &u32| {
                    let corner = *corner as usize;
                    corner < RINGS * SIDES && corner % SIDES == 1
                };
                if corners.iter().any(is_beside) {
                    for corner in corners.iter_mut().filter(|own| **own as usize == vertex) {
                        *corner = copy.try_into().expect("the arm is small");
                    }
                }
            }
            copies.push(copy);
        }
        mesh.influences = Influences::from_vertices(influences);
        copies
    }

    /// The arm with a slit, whose one side is `moved` along the circumference and out.
    fn torn(moved: f32) -> (Asset, Vec<usize>) {
        let mut asset = arm();
        let mesh = &mut asset.meshes[0];
        let copies = split(mesh, 4..=8);
        for copy in &copies {
            mesh.positions[*copy] += Vec3::new(moved, 0.0, -moved);
        }
        (asset, copies)
    }

    #[test]
    fn a_slit_in_the_arm_is_a_tear_if_it_is_visible_and_no_hole() {
        let (asset, copies) = torn(0.02);
        let found = findings(&asset, &TornSurface);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].count, 1);
        let listed = found[0].affected.meshes[0].vertices.len();
        assert_eq!(listed, 2 * copies.len());
        for moved in [0.0, 0.001, 0.2] {
            assert_eq!(findings(&torn(moved).0, &TornSurface), [], "{moved}");
        }
    }

    #[test]
    fn a_hole_of_two_missing_triangles_is_none() {
        let mut asset = arm();
        // The two triangles of a quad.
        asset.meshes[0].triangles.drain(80..82);
        assert_eq!(findings(&asset, &TornSurface), []);
    }

    #[test]
    fn lips_and_lids_with_their_own_texture_or_weights_are_none() {
        let (mut asset, copies) = torn(0.02);
        let mesh = &mut asset.meshes[0];
        let coordinates = |position: &Vec3| Vec2::new(position.x - position.z, position.y);
        mesh.uv_sets = vec![mesh.positions.iter().map(coordinates).collect()];
        assert_eq!(findings(&asset, &TornSurface), []);
        let mesh = &mut asset.meshes[0];
        for (ring, copy) in (4..).zip(&copies) {
            mesh.uv_sets[0][*copy] = mesh.uv_sets[0][ring * SIDES];
        }
        assert_eq!(findings(&asset, &TornSurface).len(), 1);
        let mesh = &mut asset.meshes[0];
        let mut influences: Vec<_> = mesh.influences.iter().map(<[_]>::to_vec).collect();
        influences[copies[2]].reverse();
        influences[copies[2]][0].weight = 0.5;
        influences[copies[2]][1].weight = 0.5;
        mesh.influences = Influences::from_vertices(influences);
        assert_eq!(findings(&asset, &TornSurface), []);
    }

    #[test]
    fn a_seam_of_the_texture_that_comes_apart_is_a_tear() {
        let mut asset = arm();
        let mesh = &mut asset.meshes[0];
        let copies = split(mesh, 2..=10);
        let coordinates = |position: &Vec3| Vec2::new(position.x, position.y);
        mesh.uv_sets = vec![mesh.positions.iter().map(coordinates).collect()];
        for copy in &copies {
            mesh.uv_sets[0][*copy].x += 0.5;
        }
        assert_eq!(findings(&asset, &TornSurface), [], "a closed seam");
        for copy in &copies[2..7] {
            asset.meshes[0].positions[*copy] += Vec3::new(0.02, 0.0, -0.02);
        }
        assert_eq!(findings(&asset, &TornSurface).len(), 1);
    }

    #[test]
    fn borders_back_to_back_and_slits_up_to_a_border_are_none() {
        // Both sides of a card, a little apart.
        let card = |height: f32, normal: Vec3| {
            let corner = move |x: u8, y: u8| Vec3::new(f32::from(x), f32::from(y), height);
            let corners = (0..4).flat_map(move |y| (0..2).map(move |x| corner(x, y)));
            corners.map(move |position| (position, normal))
        };
        let mut asset = arm();
        let mesh = &mut asset.meshes[0];
        let weights = mesh.influences.of(0).to_vec();
        let both = card(0.0, Vec3::NEG_Z).chain(card(0.02, Vec3::Z));
        (mesh.positions, mesh.normals) = both.unzip();
        // They meet at the two ends.
        for end in [0, 1, 6, 7] {
            mesh.positions[8 + end] = mesh.positions[end];
        }
        mesh.influences = Influences::from_vertices(vec![weights; 16]);
        let front = |row: u32| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|corner| 8 + 2 * row + corner);
            [[a, b, d], [a, d, c]]
        };
        let back = |row: u32| front(row).map(|[a, b, c]| [a - 8, c - 8, b - 8]);
        mesh.triangles = (0..3)
            .flat_map(|row| front(row).into_iter().chain(back(row)))
            .collect();
        assert_eq!(findings(&asset, &TornSurface), []);
    }
}
