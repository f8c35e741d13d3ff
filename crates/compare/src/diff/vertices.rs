//! Matches vertices by position, normal, texture coordinates and weights; by index only those that have moved far in a mesh whose
//! other vertices are in the same order.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::difference::{Before, Difference};
use super::faces::{Counterpart, Poses, corners};
use super::joints::{AnyJoint, JointPairs, Weights};
use super::kinds::Kind;
use super::nearest::Nearest;
use super::side::Side;
use super::triangles::{Shared, Surfaces};
use crate::groups::Groups;
use crate::lists::value_of;
use crate::rig::InstanceId;

/// Pairs of vertices.
#[derive(Debug, Default)]
pub(super) struct VertexPairs {
    /// Vertex indices. Every vertex with a counterpart is in at least one pair.
    pub(super) pairs: Vec<[u32; 2]>,
    /// The number of vertices of each side with a counterpart.
    pub(super) matched: [usize; 2],
    /// For each pair, whether the vertices are only near each other, and so may not correspond.
    pub(super) is_loose: Vec<bool>,
    /// Whether vertices were matched in the bind pose.
    pub(super) in_bind_pose: bool,
    /// For each surface of the model before, the surface after that most of its vertices correspond to.
    pub(super) surfaces: Vec<Option<usize>>,
    /// Surfaces of the model before that were moved as a whole.
    pub(super) moved: Vec<usize>,
    /// Surfaces of the model before without a counterpart.
    pub(super) missing: Vec<usize>,
    /// Pairs of surfaces that have triangles in common.
    pub(super) shared: Shared,
}

/// A vertex farther than this and the tolerance from its nearest neighbour has no counterpart; relative to the
/// diagonal.
const REACH: f64 = 2e-2;

/// Vertices closer than this share a position; relative to the diagonal.
const ONE_PLACE: f64 = 1e-5;

/// The most vertices that are distinguished at one position.
const MOST_AT_ONE_PLACE: usize = 32;

/// Two vertices farther apart than this may not correspond; relative to the diagonal.
const LOOSE: f64 = 1e-3;

/// Counterparts that are typically farther apart than this are not apart by noise; relative to the diagonal. A grid of
/// 8 bits is half as coarse.
const MOST_NOISE: f64 = 5e-3;

/// The largest distance of a counterpart as a multiple of the typical one, for points on a grid.
const WITHIN_NOISE: f64 = 2.5;

/// How much nearness counts against similarity, for vertices that are as far apart as noise.
const NEARER: f64 = 0.05;

/// A pose that aligns the surfaces this well is accepted at once; relative to the diagonal.
const GOOD: f64 = 1e-4;

/// A pose other than the bind pose must align the surfaces this well.
const FAIR: f64 = 1e-3;

/// The number of vertices of a side on which a pose is tried.
const TRIED: usize = 400;

/// Matches the vertices of both sides in the first of `poses` that aligns the surfaces, or else in the bind pose.
///
/// * `poses` – the bind pose first.
/// * `tolerance` – the largest distance of a vertex from its counterpart that is ignored.
pub(super) fn match_up(
    sides: [&Side<'_>; 2],
    joints: &JointPairs,
    poses: impl Iterator<Item = Poses>,
    diagonal: f64,
    tolerance: f64,
) -> (VertexPairs, Vec<Difference>) {
    let used = used(sides);
    let mut best: Option<(f64, usize, Cloud)> = None;
    // 1. Choose the pose in which both surfaces coincide: mostly the bind pose, else a pose of a clip.
    let most = MOST_NOISE * diagonal;
    for (number, positions) in poses.enumerate() {
        let cloud = Cloud::new(positions, &used);
        let score = cloud.score(&used, most) / diagonal;
        let is_better = |(least, ..): &(f64, usize, Cloud)| score < *least && score <= FAIR;
        if best.as_ref().is_none_or(is_better) {
            best = Some((score, number, cloud));
        }
        if score <= GOOD {
            break;
        }
    }
    let Some((_, number, cloud)) = best else {
        return (VertexPairs::default(), Vec::new());
    };
    // 2. Pair each vertex of either side with the most similar one at its position on the other.
    let mut noise = cloud.noise(&used, most);
    if noise > GOOD * diagonal {
        // In a dense mesh that is shifted a little, the nearest vertex is nearer than the right one.
        noise = noise.max(LOOSE / WITHIN_NOISE * diagonal);
    }
    let mut matcher = Matcher {
        sides,
        joints,
        diagonal,
        noise,
        reach: tolerance.max(REACH * diagonal),
        counterparts: [0, 1].map(|side| vec![None; sides[side].vertices.positions.len()]),
    };
    matcher.pair(&cloud, &used);
    // 3. Pair meshes that were moved as a whole, and so found no counterpart, with the meshes of the same name; and vertices that
    // moved far.
    let (moved, mut findings) = matcher.pair_moved(&used);
    matcher.pair_by_index();
    // 4. Compare triangles. A vertex whose triangles are all missing has no counterpart, however near another one is.
    let limit = tolerance.max(WITHIN_NOISE * noise);
    let (shared, found) = matcher.compare_triangles(&cloud.positions, &used, &moved, limit);
    findings.extend(found);
    let missing = findings.iter().filter(|own| own.kind == Kind::MeshMissing);
    let missing = missing.filter_map(|own| own.finding.location.ids.instance);
    let missing = missing.map(InstanceId::index).collect();
    let in_bind_pose = number == 0 || !moved.is_empty();
    let found = VertexPairs {
        in_bind_pose,
        moved,
        missing,
        shared,
        ..matcher.finish()
    };
    (found, findings)
}

/// How far half of the vertices are from all of the other side, at least, in the pose in which that is least.
pub(super) fn apart(sides: [&Side<'_>; 2], poses: impl Iterator<Item = Poses>) -> f64 {
    let used = used(sides);
    let apart = poses.map(|positions| {
        let cloud = Cloud::new(positions, &used);
        let [before, after] = [0, 1].map(|side| cloud.ranked(&used, side, 5, f64::INFINITY));
        before.max(after)
    });
    apart.fold(f64::INFINITY, f64::min)
}

fn used(sides: [&Side<'_>; 2]) -> [Vec<usize>; 2] {
    sides.map(|side| {
        let used = side.vertices.is_used.iter().enumerate();
        let used = used.filter_map(|(vertex, used)| used.then_some(vertex));
        used.collect()
    })
}

/// The used vertices of both sides, in search trees.
pub(super) struct Cloud {
    pub(super) positions: Poses,
    /// For each side, the vertices in `trees`, in their order.
    vertices: [Vec<usize>; 2],
    trees: [Nearest; 2],
}

impl Cloud {
    pub(super) fn new(positions: Poses, used: &[Vec<usize>; 2]) -> Self {
        let tree = |side: usize| {
            let points = used[side].iter().map(|vertex| positions[side][*vertex]);
            Nearest::new(points)
        };
        let (before, after) = rayon::join(|| tree(0), || tree(1));
        Self {
            trees: [before, after],
            vertices: used.clone(),
            positions,
        }
    }

    /// The distance within which nine of ten vertices have a neighbour on the other side; infinite above `most`.
    fn score(&self, used: &[Vec<usize>; 2], most: f64) -> f64 {
        // One vertex in ten may lack a counterpart: added or removed parts say nothing about the pose.
        let [before, after] = [0, 1].map(|side| self.ranked(used, side, 9, most));
        before.max(after)
    }

    /// How far counterparts are typically apart; 0 if that is more than `most`. Where one side lacks a part, the other
    /// side decides.
    fn noise(&self, used: &[Vec<usize>; 2], most: f64) -> f64 {
        let [before, after] = [0, 1].map(|side| self.ranked(used, side, 5, most));
        let noise = before.min(after);
        if noise.is_finite() { noise } else { 0.0 }
    }

    /// The distance within which so many tenths of a side's vertices have a neighbour on the other side; infinite above
    /// `most`.
    fn ranked(&self, used: &[Vec<usize>; 2], side: usize, tenths: usize, most: f64) -> f64 {
        let step = used[side].len().div_ceil(TRIED).max(1);
        let mut apart: Vec<f64> = used[side]
            .iter()
            .step_by(step)
            .map(|vertex| {
                let found = self.trees[1 - side].near(self.positions[side][*vertex], most);
                found.map_or(f64::INFINITY, |(_, distance)| distance)
            })
            .collect();
        apart.sort_by(f64::total_cmp);
        let rank = (apart.len() * tenths / 10).min(apart.len().saturating_sub(1));
        apart.get(rank).copied().unwrap_or(0.0)
    }
}

pub(super) struct Matcher<'a> {
    pub(super) sides: [&'a Side<'a>; 2],
    joints: &'a JointPairs,
    pub(super) diagonal: f64,
    /// How far counterparts are typically apart, from quantization or a small shift.
    noise: f64,
    /// The largest distance of a counterpart.
    reach: f64,
    /// For each vertex of each side, its counterpart, and whether that is only near.
    pub(super) counterparts: [Vec<Option<Counterpart>>; 2],
}

impl Matcher<'_> {
    pub(super) fn pair(&mut self, cloud: &Cloud, used: &[Vec<usize>; 2]) {
        for side in [0, 1] {
            let found: Vec<Option<Counterpart>> = used[side]
                .par_iter()
                .map(|vertex| self.counterpart(cloud, side, *vertex))
                .collect();
            for (vertex, found) in used[side].iter().zip(found) {
                // Counterparts from an earlier round stay.
                let own = &mut self.counterparts[side][*vertex];
                *own = own.or(found);
            }
        }
    }

    /// Pairs vertices that have moved farther than a search reaches, by index: those that are only near another one, or near none, in
    /// surfaces with the same triangles whose other vertices correspond in order.
    fn pair_by_index(&mut self) {
        for (before, after) in self.partners(0).into_iter().enumerate() {
            let Some(after) = after.filter(|after| self.are_in_order([before, *after])) else {
                continue;
            };
            let own = self.sides[0].surfaces[before].range.clone();
            let first = self.sides[1].surfaces[after].range.start;
            let is_used = &self.sides[0].vertices.is_used;
            for vertex in own.clone().filter(|vertex| is_used[*vertex]) {
                let pair = [vertex, vertex - own.start + first];
                let is_far = |side: usize| {
                    let found = &self.counterparts[side][pair[side]];
                    let is_somewhere = self.sides[side].vertices.positions[pair[side]].is_finite();
                    is_somewhere && found.is_none_or(|found| found.is_loose)
                };
                if is_far(0) && is_far(1) {
                    for side in [0, 1] {
                        let other = u32::try_from(pair[1 - side]);
                        self.counterparts[side][pair[side]] = Some(Counterpart {
                            vertex: other.expect("skinning allows fewer vertices"),
                            is_loose: true,
                        });
                    }
                }
            }
        }
    }

    /// Whether two surfaces have the same triangles, and hardly a vertex that is where one of another index is.
    fn are_in_order(&self, surfaces: [usize; 2]) -> bool {
        let [triangles, others] =
            [0, 1].map(|side: usize| self.sides[side].triangles(surfaces[side]));
        let ranges =
            [0, 1].map(|side: usize| self.sides[side].surfaces[surfaces[side]].range.clone());
        if triangles != others || ranges[0].len() != ranges[1].len() {
            return false;
        }
        let found = &self.counterparts[0][ranges[0].clone()];
        let same = found
            .iter()
            .zip(ranges[1].clone())
            .filter_map(|(found, index)| {
                let found = found.filter(|found| !found.is_loose)?;
                Some(found.vertex as usize == index)
            });
        let (count, in_order) = same.fold((0, 0), |(count, in_order), same| {
            (count + 1, in_order + usize::from(same))
        });
        10 * in_order >= 9 * count && 2 * count > found.len()
    }

    /// The most similar of the other side's vertices at the nearest position.
    fn counterpart(&self, cloud: &Cloud, side: usize, vertex: usize) -> Option<Counterpart> {
        let (tree, vertices) = (&cloud.trees[1 - side], &cloud.vertices[1 - side]);
        let position = cloud.positions[side][vertex];
        let (nearest, distance) = tree.near(position, self.reach)?;
        // Split vertices (at seams and hard edges) share a position, so the nearest vertex alone would be arbitrary; and
        // noise moves vertices past each other.
        let radius = distance.max(WITHIN_NOISE * self.noise) + ONE_PLACE * self.diagonal;
        let mut there = tree.within(position, radius, MOST_AT_ONE_PLACE);
        // Among equally similar vertices the one of the same index wins, then that of the same surface, then the lowest,
        // whatever the order in which the tree returns them.
        let (surface, index) = self.sides[side].in_surface(vertex);
        there.sort_unstable_by_key(|other| {
            let (of, at) = self.sides[1 - side].in_surface(vertices[*other]);
            (at != index, of != surface, *other)
        });
        let apart = |other: usize| position.distance(cloud.positions[1 - side][vertices[other]]);
        let found = |other: usize| Counterpart {
            vertex: u32::try_from(vertices[other]).expect("skinning allows fewer vertices"),
            is_loose: apart(other) > LOOSE * self.diagonal,
        };
        if there.len() < 2 {
            return Some(found(nearest));
        }
        let own = self.weights(side, vertex);
        let scale = self.noise + ONE_PLACE * self.diagonal;
        let strangeness = |other: usize| {
            let alike = self.strangeness(side, vertex, vertices[other], &own);
            alike + NEARER * apart(other) / scale
        };
        let ranked = there.iter().map(|other| (strangeness(*other), *other));
        let best = ranked.min_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(_, best)| found(best))
    }

    /// The dissimilarity of two vertices at one position.
    fn strangeness(
        &self,
        side: usize,
        vertex: usize,
        other: usize,
        own: &[(AnyJoint, f64)],
    ) -> f64 {
        let [here, there] = [self.sides[side], self.sides[1 - side]];
        let (a, b) = (&here.vertices, &there.vertices);
        let uv = (a.uvs[vertex] - b.uvs[other]).length();
        let uv = if uv.is_finite() {
            f64::from(uv.min(1.0))
        } else {
            0.0
        };
        let normal = 1.0 - a.normals[vertex].dot(b.normals[other]);
        let surface = f64::from(surface_name(here, vertex) != surface_name(there, other));
        let weights = weights_apart(own, &self.weights(1 - side, other));
        // Weights and offsets count most, then the attributes that split vertices.
        4.0 * weights + 2.0 * uv + normal + 0.5 * surface
    }

    fn weights(&self, side: usize, vertex: usize) -> Weights {
        let weights = self.sides[side].weights_of(vertex).unwrap_or_default();
        self.joints.of_both(side, &weights)
    }

    /// The number of vertices of each surface without a counterpart, and the number of all its vertices.
    pub(super) fn counts(&self, side: usize, used: &[Vec<usize>; 2]) -> Vec<[usize; 2]> {
        let mut counts = vec![[0; 2]; self.sides[side].surfaces.len()];
        for vertex in &used[side] {
            let surface = self.sides[side].vertices.surfaces[*vertex] as usize;
            counts[surface][0] += usize::from(self.counterparts[side][*vertex].is_none());
            counts[surface][1] += 1;
        }
        counts
    }

    /// Compares triangles, and drops the counterparts of vertices that only one side has.
    fn compare_triangles(
        &mut self,
        positions: &Poses,
        used: &[Vec<usize>; 2],
        moved: &[usize],
        limit: f64,
    ) -> (Shared, Vec<Difference>) {
        let surfaces = Surfaces {
            sides: self.sides,
            corners: corners(
                self.sides,
                positions,
                &self.counterparts,
                &self.groups(),
                ONE_PLACE * self.diagonal,
            ),
            positions,
            partners: self.partners(0),
            moved,
            limit,
            is_rough: self.noise > GOOD * self.diagonal,
            diagonal: self.diagonal,
        };
        let Some((compared, shared)) = surfaces.compare() else {
            return (Shared::new(), self.missing(used, |_, _| None, &[]));
        };
        let are_alone = [0, 1].map(|side: usize| {
            let count = self.counterparts[side].len();
            compared[side].vertices_alone(count)
        });
        for side in [0, 1] {
            let all = self.counterparts[side].iter_mut().zip(&are_alone[side]);
            for (counterpart, _) in all.filter(|(_, is_alone)| **is_alone) {
                // Where a part was replaced, both sides have triangles of their own.
                counterpart.take_if(|other| !are_alone[1 - side][other.vertex as usize]);
            }
        }
        let found = surfaces.findings(&compared);
        let is_alone = |side: usize, surface| compared[side].is_alone(surface);
        (shared, self.missing(used, is_alone, &found))
    }

    /// * `is_alone` – of a surface of a side, whether hardly any of its triangles has a counterpart; `None` if unknown.
    /// * `triangles` – findings on the triangles of surfaces, each with its side and surface.
    fn missing(
        &self,
        used: &[Vec<usize>; 2],
        is_alone: impl Fn(usize, usize) -> Option<bool>,
        triangles: &[(usize, usize, Difference)],
    ) -> Vec<Difference> {
        let mut findings = Vec::new();
        for (side, kind, where_) in [
            (0, Kind::MeshMissing, "AFTER"),
            (1, Kind::MeshAdded, "BEFORE"),
        ] {
            for (surface, [without, all]) in self.counts(side, used).into_iter().enumerate() {
                let name = &self.sides[side].surfaces[surface].name;
                let mut of_triangles = triangles
                    .iter()
                    .filter(|(own, other, _)| (*own, *other) == (side, surface))
                    .map(|(_, _, finding)| finding.clone())
                    .peekable();
                // Where a part is left, its triangles say so.
                let is_part =
                    of_triangles.peek().is_some() && is_alone(side, surface) == Some(false);
                let finding = if 2 * without > all && !is_part {
                    let became = self.namesake(side, surface, used);
                    if side == 1 && became.is_some() {
                        continue;
                    }
                    let became = became.map_or_else(String::new, |[own, other]| {
                        format!(
                            ": {own} vertices became {other}, as if modifiers had not been applied to one of the two"
                        )
                    });
                    let message = format!("mesh \"{name}\" has no counterpart in {where_}{became}");
                    kind.found(message)
                } else if of_triangles.peek().is_some() {
                    findings.extend(of_triangles);
                    continue;
                } else if without > 0 {
                    let message = format!(
                        "{without} of {all} vertices of mesh \"{name}\" have no counterpart in {where_}"
                    );
                    Kind::MeshShape.found(message)
                } else {
                    continue;
                };
                let id = (side == 0).then_some(Before(surface));
                findings.push(finding.mesh(name, id));
            }
        }
        findings
    }

    /// How many vertices a surface and the only one of its name on the other side have, apart from splits, if the numbers differ and
    /// most vertices of both have no counterpart.
    fn namesake(&self, side: usize, surface: usize, used: &[Vec<usize>; 2]) -> Option<[usize; 2]> {
        let name = &self.sides[side].surfaces[surface].name;
        let only = |side: usize| {
            let surfaces = self.sides[side].surfaces.iter().enumerate();
            let mut named = surfaces.filter(|(_, own)| own.name == *name);
            let (first, _) = named.next()?;
            named.next().is_none().then_some(first)
        };
        let surfaces = [only(side)?, only(1 - side)?];
        let [without, all] = self.counts(1 - side, used)[surfaces[1]];
        if name.is_empty() || surfaces[0] != surface || 2 * without <= all {
            return None;
        }
        let counts = [
            self.places(side, surfaces[0], used),
            self.places(1 - side, surfaces[1], used),
        ];
        (counts[0] != counts[1]).then_some(counts)
    }

    /// The number of different positions of a surface's vertices.
    fn places(&self, side: usize, surface: usize, used: &[Vec<usize>; 2]) -> usize {
        let vertices = &self.sides[side].vertices;
        let of_surface = |vertex: &&usize| vertices.surfaces[**vertex] as usize == surface;
        let own = used[side].iter().filter(of_surface);
        let mut places: Vec<[u64; 3]> = own
            .map(|vertex| vertices.positions[*vertex].to_array().map(f64::to_bits))
            .collect();
        places.sort_unstable();
        places.dedup();
        places.len()
    }

    fn finish(self) -> VertexPairs {
        let [before, after] = &self.counterparts;
        let matched = [before, after].map(|list| list.iter().flatten().count());
        let (mut pairs, mut is_loose) = (Vec::new(), Vec::new());
        let mut is_taken = vec![false; after.len()];
        // First the vertices before, each with its counterpart; then the vertices after that have not been chosen.
        for (found, vertex) in before.iter().zip(0_u32..) {
            if let Some(found) = found {
                is_taken[found.vertex as usize] = true;
                pairs.push([vertex, found.vertex]);
                is_loose.push(found.is_loose);
            }
        }
        for (found, vertex) in after.iter().zip(0_u32..) {
            if let Some(found) = found.filter(|_| !is_taken[vertex as usize]) {
                pairs.push([found.vertex, vertex]);
                is_loose.push(found.is_loose);
            }
        }
        VertexPairs {
            surfaces: most_pairs(self.sides, &pairs),
            pairs,
            is_loose,
            matched,
            ..VertexPairs::default()
        }
    }

    /// For each surface of a side, the surface of the other side in which most of its vertices have their counterparts.
    fn partners(&self, side: usize) -> Vec<Option<usize>> {
        let pairs = self.counterparts[side]
            .iter()
            .zip(0_u32..)
            .filter_map(|(found, vertex)| Some([vertex, found.as_ref()?.vertex]));
        let sides = [self.sides[side], self.sides[1 - side]];
        most_pairs(sides, &pairs.collect::<Vec<_>>())
    }

    /// For each surface of each side, the group of the surfaces of both sides that correspond: those of one mesh with those of another.
    fn groups(&self) -> [Vec<u32>; 2] {
        let counts = self.sides.map(|side| side.surfaces.len());
        let first = [0, counts[0]];
        let mut groups = Groups::new(counts[0] + counts[1]);
        for side in [0, 1] {
            let mut by_node = BTreeMap::new();
            for (surface, partner) in self.partners(side).into_iter().enumerate() {
                let own = first[side] + surface;
                if let Some(node) = self.sides[side].node_of(surface) {
                    groups.join(own, *by_node.entry(node).or_insert(own));
                }
                if let Some(partner) = partner {
                    groups.join(own, first[1 - side] + partner);
                }
            }
        }
        [0, 1].map(|side: usize| {
            let own = 0..counts[side];
            own.map(|surface| groups.of(first[side] + surface))
                .collect()
        })
    }
}

/// For each surface of the first side, the surface of the other in which most of its pairs end, the first of equal ones.
fn most_pairs(sides: [&Side<'_>; 2], pairs: &[[u32; 2]]) -> Vec<Option<usize>> {
    let mut votes: Vec<((usize, usize), usize)> = Vec::new();
    for [a, b] in pairs {
        let surface =
            |side: usize, vertex: u32| sides[side].vertices.surfaces[vertex as usize] as usize;
        *value_of(&mut votes, (surface(0, *a), surface(1, *b))) += 1;
    }
    let mut surfaces: Vec<Option<(usize, usize)>> = vec![None; sides[0].surfaces.len()];
    for ((before, after), count) in votes {
        let best = &mut surfaces[before];
        if best.is_none_or(|(_, most)| count > most) {
            *best = Some((after, count));
        }
    }
    let best = surfaces.into_iter();
    best.map(|best| best.map(|(after, _)| after)).collect()
}

pub(super) fn surface_name<'s>(side: &'s Side<'_>, vertex: usize) -> &'s str {
    &side.surfaces[side.vertices.surfaces[vertex] as usize].name
}

/// The sum of all differences of two lists that ascend by joint: 0 to 2.
pub(super) fn weights_apart(a: &[(AnyJoint, f64)], b: &[(AnyJoint, f64)]) -> f64 {
    differences(a, b)
        .map(|(_, difference)| difference.abs())
        .sum()
}

/// How much larger each joint's weight is in `b` than in `a`; both ascend by joint.
pub(super) fn differences<'a>(
    a: &'a [(AnyJoint, f64)],
    b: &'a [(AnyJoint, f64)],
) -> impl Iterator<Item = (AnyJoint, f64)> + 'a {
    let of = |list: &[(AnyJoint, f64)], joint: AnyJoint| {
        let found = list.binary_search_by_key(&joint, |(own, _)| *own);
        found.map_or(0.0, |index| list[index].1)
    };
    let own = a
        .iter()
        .map(move |(joint, weight)| (*joint, of(b, *joint) - weight));
    let new = b
        .iter()
        .filter(move |(joint, _)| a.binary_search_by_key(joint, |(own, _)| *own).is_err());
    own.chain(new.copied())
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};

    use super::*;
    use crate::diff::Source;
    use crate::diff::testing::with_rigs;
    use crate::rig::{AssetBuilder, Mesh, Trs};

    /// Vertices, each with its position and which of two joints it follows.
    fn plate(vertices: &[(Vec3, usize)], triangles: &[[u32; 3]]) -> Source {
        let mut rig = AssetBuilder::new();
        let joints = ["a", "b"].map(|name| rig.node(name, None, Trs::IDENTITY));
        let mesh = rig.mesh(Mesh {
            name: "plate".to_owned(),
            positions: vertices.iter().map(|(position, _)| *position).collect(),
            triangles: triangles.to_vec(),
            ..Mesh::default()
        });
        rig.skin(
            mesh,
            vertices.iter().map(|(_, joint)| [(joints[*joint], 1.0)]),
        );
        Source::from(rig.build().expect("it is whole"))
    }

    fn pairs(sources: &[Source; 2]) -> Vec<[u32; 2]> {
        with_rigs(sources, |rigs| {
            let bound = rigs.sides.map(|side| side.vertices.positions.clone());
            let poses = std::iter::once(bound);
            let (found, findings) = match_up(rigs.sides, rigs.joints, poses, 1.0, 1e-3);
            assert!(findings.is_empty(), "{findings:?}");
            found.pairs
        })
    }

    #[test]
    fn vertices_at_one_position_are_told_apart_by_their_weights() {
        let corner = Vec3::new(1.0, 1.0, 0.0);
        let of = |[one, other]: [usize; 2]| {
            [
                (Vec3::ZERO, 0),
                (Vec3::X, one),
                (Vec3::Y, 0),
                (Vec3::X, other),
                (corner, 0),
            ]
        };
        let before = plate(&of([0, 1]), &[[0, 1, 2], [3, 4, 2]]);
        let after = plate(&of([1, 0]), &[[0, 3, 2], [1, 4, 2]]);
        assert_eq!(
            pairs(&[before, after]),
            [[0, 0], [1, 3], [2, 2], [3, 1], [4, 4]]
        );
    }

    #[test]
    fn a_vertex_that_was_split_is_in_two_pairs() {
        let corners = [(Vec3::ZERO, 0), (Vec3::X, 0), (Vec3::Y, 0), (Vec3::Z, 0)];
        let before = plate(&corners, &[[0, 1, 2], [0, 2, 3]]);
        let split: Vec<_> = corners.into_iter().chain([corners[0]]).collect();
        let after = plate(&split, &[[0, 1, 2], [4, 2, 3]]);
        assert_eq!(
            pairs(&[before, after]),
            [[0, 0], [1, 1], [2, 2], [3, 3], [0, 4]]
        );
    }

    #[test]
    fn a_vertex_that_moved_far_keeps_its_counterpart_if_the_others_are_in_order() {
        let strip = |last: Vec3, order: [usize; 8]| {
            let places = [0.0_f32, 1.0, 2.0, 3.0].map(|x| [0.0, 1.0].map(|y| Vec3::new(x, y, 0.0)));
            let mut places = places.as_flattened().to_vec();
            places[7] = last;
            let vertices = order.map(|index| (places[index], 0));
            plate(
                &vertices,
                &[0, 1, 2, 3, 4, 5].map(|first| [first, first + 1, first + 2]),
            )
        };
        let of = |last: Vec3, order| {
            with_rigs(
                &[
                    strip(Vec3::new(3.0, 1.0, 0.0), [0, 1, 2, 3, 4, 5, 6, 7]),
                    strip(last, order),
                ],
                |rigs| {
                    let bound = rigs.sides.map(|side| side.vertices.positions.clone());
                    let (found, _) =
                        match_up(rigs.sides, rigs.joints, std::iter::once(bound), 3.0, 1e-3);
                    found.pairs.contains(&[7, 7])
                },
            )
        };
        let far = Vec3::new(3.0, 1.0, 9.0);
        assert!(of(far, [0, 1, 2, 3, 4, 5, 6, 7]));
        assert!(
            !of(far, [6, 5, 4, 3, 2, 1, 0, 7]),
            "the order is another one"
        );
        assert!(
            !of(Vec3::splat(f32::NAN), [0, 1, 2, 3, 4, 5, 6, 7]),
            "it is nowhere"
        );
    }

    #[test]
    fn a_pose_must_fit_both_sides() {
        let row = |count: u8| {
            (0..count)
                .map(|x| DVec3::X * f64::from(x))
                .collect::<Vec<_>>()
        };
        let used = [10, 20].map(|count: usize| (0..count).collect::<Vec<_>>());
        let score = |counts: [u8; 2]| Cloud::new(counts.map(row), &used).score(&used, 0.5);
        assert!(score([10, 20]).is_infinite());
        let used = [11, 10].map(|count: usize| (0..count).collect::<Vec<_>>());
        let cloud = Cloud::new([row(11), row(10)], &used);
        assert!(
            cloud.score(&used, 0.5) <= 0.0,
            "one of eleven may lack a counterpart"
        );
    }

    /// Two plates, one in front of the other, which rounding moves to one place.
    #[test]
    fn parts_of_two_meshes_at_one_place_are_not_one() {
        let plates = |heights: [f32; 2]| {
            let mut rig = AssetBuilder::new();
            for (name, height) in ["a", "b"].into_iter().zip(heights) {
                let joint = rig.node(name, None, Trs::IDENTITY);
                let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
                let mesh = rig.mesh(Mesh {
                    name: name.to_owned(),
                    positions: corners.map(|corner| corner + Vec3::Z * height).to_vec(),
                    triangles: vec![[0, 1, 2]],
                    ..Mesh::default()
                });
                rig.attach(mesh, joint);
            }
            Source::from(rig.build().expect("it is whole"))
        };
        let found = pairs(&[plates([0.0, 4e-5]), plates([2e-5, 2e-5])]);
        assert_eq!(found, (0..6).map(|vertex| [vertex; 2]).collect::<Vec<_>>());
    }
}
