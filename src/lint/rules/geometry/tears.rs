//! Tears: pairs of borders that lead from one point of a surface to another.

use std::collections::BTreeMap;

use glam::{DVec3, Vec2, Vec3};

use crate::lint::analysis::deformation::surface::Surface;
use crate::lint::analysis::joints::Skinned;
use crate::lint::analysis::weighting::{self, Weighting};
use crate::rig::{Mesh, Skin};

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
pub(super) struct Tears<'a> {
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
pub(super) struct Tear {
    /// The vertices on both sides, in pairs, without the ends.
    pub(super) vertices: Vec<u32>,
    /// The pair that is farthest apart.
    pub(super) widest: [u32; 2],
    /// Their distance, in the unit of the mesh.
    pub(super) width: f64,
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
    pub(super) fn of(user: &Skinned<'a>, surface: &'a Surface, edges: f64) -> Option<Self> {
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
    pub(super) fn all(&self, weights: &Weighting) -> Vec<Tear> {
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
    let key = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
    let mut sides = Vec::new();
    for (triangle, corners) in mesh.triangles.iter().enumerate() {
        if surface.closed[triangle] {
            continue;
        }
        let [a, b, c] = *corners;
        for ends in [[a, b], [b, c], [c, a]] {
            let edge = key(ends.map(welded));
            let mut hinges = surface.hinges_of(triangle);
            if edge[0] != edge[1] && !hinges.any(|hinge| key(surface.ends_of(hinge)) == edge) {
                sides.push((edge, triangle, ends));
            }
        }
    }
    sides.sort_unstable();
    let of_one = sides.chunk_by(|a, b| a.0 == b.0);
    let of_one = of_one.filter(|sides| sides.len() == 1).flatten();
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
