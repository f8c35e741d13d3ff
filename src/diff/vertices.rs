//! Matches vertices by position, normal, texture coordinates and weights, never by index.

use std::collections::BTreeMap;

use glam::DVec3;
use rayon::prelude::*;

use super::align::{Clouds, Similarity};
use super::joints::JointPairs;
use super::nearest::Nearest;
use super::report::{Finding, Kind};
use super::side::Side;

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

/// A pose that aligns the surfaces this well is accepted at once; relative to the diagonal.
const GOOD: f64 = 1e-4;

/// A pose other than the bind pose must align the surfaces this well.
const FAIR: f64 = 1e-3;

/// The number of vertices of a side on which a pose is tried.
const TRIED: usize = 400;

/// Positions of all vertices of both sides in one pose.
pub(super) type Poses = [Vec<DVec3>; 2];

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
) -> (VertexPairs, Vec<Finding>) {
    let used = sides.map(|side| {
        let used = side.vertices.is_used.iter().enumerate();
        let used = used.filter_map(|(vertex, used)| used.then_some(vertex));
        used.collect::<Vec<usize>>()
    });
    let mut best: Option<(f64, usize, Cloud)> = None;
    // 1. Choose the pose in which both surfaces coincide: mostly the bind pose, else a pose of a clip.
    for (number, positions) in poses.enumerate() {
        let cloud = Cloud::new(positions, &used);
        let score = cloud.score(&used) / diagonal;
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
    let mut matcher = Matcher {
        sides,
        joints,
        diagonal,
        reach: tolerance.max(REACH * diagonal),
        counterparts: [0, 1].map(|side| vec![None; sides[side].vertices.positions.len()]),
    };
    matcher.pair(&cloud, &used);
    // 3. Pair meshes that were moved as a whole, and so found no counterpart, with the meshes of the same name.
    let (moved, mut findings) = matcher.pair_moved(&used);
    findings.extend(matcher.missing(&used));
    let in_bind_pose = number == 0 || !moved.is_empty();
    let found = matcher.finish(moved, in_bind_pose);
    (found, findings)
}

/// The used vertices of both sides, in search trees.
struct Cloud {
    positions: Poses,
    /// For each side, the vertices in `trees`, in their order.
    vertices: [Vec<usize>; 2],
    trees: [Nearest; 2],
}

impl Cloud {
    fn new(positions: Poses, used: &[Vec<usize>; 2]) -> Self {
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

    /// The distance within which nine of ten vertices have a neighbour on the other side.
    fn score(&self, used: &[Vec<usize>; 2]) -> f64 {
        let of = |side: usize| {
            let step = used[side].len().div_ceil(TRIED).max(1);
            let tried = used[side].iter().step_by(step);
            let apart = tried.map(|vertex| {
                let found = self.trees[1 - side].to(self.positions[side][*vertex]);
                found.map_or(f64::INFINITY, |(_, distance)| distance)
            });
            let mut apart: Vec<f64> = apart.collect();
            apart.sort_by(f64::total_cmp);
            // One vertex in ten may lack a counterpart: added or removed parts say nothing about the pose.
            let rank = (apart.len() * 9 / 10).min(apart.len().saturating_sub(1));
            apart.get(rank).copied().unwrap_or(0.0)
        };
        of(0).max(of(1))
    }
}

struct Matcher<'a> {
    sides: [&'a Side<'a>; 2],
    joints: &'a JointPairs,
    diagonal: f64,
    /// The largest distance of a counterpart.
    reach: f64,
    /// For each vertex of each side, its counterpart, and whether that is only near.
    counterparts: [Vec<Option<Counterpart>>; 2],
}

#[derive(Clone, Copy)]
struct Counterpart {
    vertex: u32,
    is_loose: bool,
}

impl Matcher<'_> {
    fn pair(&mut self, cloud: &Cloud, used: &[Vec<usize>; 2]) {
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

    /// The most similar of the other side's vertices at the nearest position.
    fn counterpart(&self, cloud: &Cloud, side: usize, vertex: usize) -> Option<Counterpart> {
        let (tree, vertices) = (&cloud.trees[1 - side], &cloud.vertices[1 - side]);
        let position = cloud.positions[side][vertex];
        let (nearest, distance) = tree.to(position)?;
        if distance > self.reach {
            return None;
        }
        // Split vertices (at seams and hard edges) share a position, so the nearest vertex alone would be arbitrary.
        let radius = distance + ONE_PLACE * self.diagonal;
        let mut there = tree.within(position, radius, MOST_AT_ONE_PLACE);
        // Among equally similar vertices the lowest index wins, whatever the order in which the tree returns them.
        there.sort_unstable();
        let found = |vertex: usize| Counterpart {
            vertex: u32::try_from(vertex).expect("skinning allows fewer vertices"),
            is_loose: distance > LOOSE * self.diagonal,
        };
        if there.len() < 2 {
            return Some(found(vertices[nearest]));
        }
        let own = self.weights(side, vertex);
        let strangeness = |other: &usize| self.strangeness(side, vertex, vertices[*other], &own);
        let ranked = there.iter().map(|other| (strangeness(other), other));
        let best = ranked.min_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(_, best)| found(vertices[*best]))
    }

    /// The dissimilarity of two vertices at one position.
    fn strangeness(&self, side: usize, vertex: usize, other: usize, own: &[(usize, f64)]) -> f64 {
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

    /// Weights by joint of the model before, ascending.
    fn weights(&self, side: usize, vertex: usize) -> Vec<(usize, f64)> {
        let weights = self.sides[side].weights_of(vertex).unwrap_or_default();
        self.joints.named_before(side, &weights)
    }

    /// Pairs surfaces of the same name of which most vertices have no counterpart, if a similarity aligns them.
    fn pair_moved(&mut self, used: &[Vec<usize>; 2]) -> (Vec<usize>, Vec<Finding>) {
        // Candidates: surfaces without counterparts, and namesakes whose vertices matched other surfaces by chance.
        let mut astray = [0, 1].map(|side| self.astray(side, used));
        for side in [0, 1] {
            let namesakes = self.taken_by_others(side, &astray[1 - side]);
            astray[side].extend(namesakes);
        }
        let (mut moved, mut findings) = (Vec::new(), Vec::new());
        for &before in &astray[0] {
            let name = &self.sides[0].surfaces[before].name;
            let is_namesake = |after: &&usize| {
                let other = &self.sides[1].surfaces[**after].name;
                other == name || astray[0].len() == 1 && astray[1].len() == 1
            };
            let Some(&after) = astray[1].iter().find(is_namesake) else {
                continue;
            };
            let own = [before, after];
            let of = |side: usize| -> Vec<usize> {
                let range = self.sides[side].surfaces[own[side]].range.clone();
                let own = used[side].iter().copied();
                own.filter(|vertex| range.contains(vertex)).collect()
            };
            let vertices = [of(0), of(1)];
            let points = |side: usize| -> Vec<DVec3> {
                let own = vertices[side].iter();
                let positions = &self.sides[side].vertices.positions;
                own.map(|vertex| positions[*vertex]).collect()
            };
            let clouds = Clouds {
                points: [points(0), points(1)],
                landmarks: Vec::new(),
                motions: Vec::new(),
            };
            // The rotation, scale and translation that carry one onto the other. Without them, it is a different mesh.
            let Some(similarity) = Similarity::find(&clouds) else {
                continue;
            };
            let matrix = similarity.matrix();
            let mut positions = self.sides.map(|side| side.vertices.positions.clone());
            for vertex in &vertices[1] {
                let position = &mut positions[1][*vertex];
                *position = matrix.transform_point3(*position);
            }
            // Matches that these vertices found by chance are dropped before the vertices are matched anew.
            for (counterparts, vertices) in self.counterparts.iter_mut().zip(&vertices) {
                for vertex in vertices {
                    counterparts[*vertex] = None;
                }
            }
            self.pair(&Cloud::new(positions, &vertices), &vertices);
            let name = name.clone();
            let how = similarity.describe(self.diagonal);
            let message = format!("mesh \"{name}\" is {how} against its joints");
            findings.push(Finding::new(Kind::MeshMoved, message).mesh(&name));
            moved.push(before);
        }
        (moved, findings)
    }

    /// Surfaces of which most vertices have no counterpart.
    fn astray(&self, side: usize, used: &[Vec<usize>; 2]) -> Vec<usize> {
        let counts = self.counts(side, used);
        let astray = counts.iter().enumerate();
        let astray = astray.filter(|(_, [without, all])| 2 * without > *all);
        astray.map(|(surface, _)| surface).collect()
    }

    /// Surfaces with the name of one of `others`, whose counterparts lie in surfaces of other names.
    fn taken_by_others(&self, side: usize, others: &[usize]) -> Vec<usize> {
        let [here, there] = [self.sides[side], self.sides[1 - side]];
        let is_taken = |surface: &usize| {
            let own = &here.surfaces[*surface];
            let is_named = others
                .iter()
                .any(|other| there.surfaces[*other].name == own.name);
            let found = self.counterparts[side][own.range.clone()].iter().flatten();
            let at_home =
                |found: &&Counterpart| surface_name(there, found.vertex as usize) == own.name;
            let (count, at_home) = (found.clone().count(), found.filter(at_home).count());
            is_named && count > 0 && 2 * at_home < count
        };
        (0..here.surfaces.len()).filter(is_taken).collect()
    }

    /// The number of vertices of each surface without a counterpart, and the number of all its vertices.
    fn counts(&self, side: usize, used: &[Vec<usize>; 2]) -> Vec<[usize; 2]> {
        let mut counts = vec![[0; 2]; self.sides[side].surfaces.len()];
        for vertex in &used[side] {
            let surface = self.sides[side].vertices.surfaces[*vertex] as usize;
            counts[surface][0] += usize::from(self.counterparts[side][*vertex].is_none());
            counts[surface][1] += 1;
        }
        counts
    }

    fn missing(&self, used: &[Vec<usize>; 2]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (side, kind, where_) in [
            (0, Kind::MeshMissing, "after"),
            (1, Kind::MeshAdded, "before"),
        ] {
            for (surface, [without, all]) in self.counts(side, used).into_iter().enumerate() {
                let name = &self.sides[side].surfaces[surface].name;
                let finding = if 2 * without > all {
                    let message = format!("mesh \"{name}\" has no counterpart {where_}");
                    Finding::new(kind, message)
                } else if without > 0 {
                    let message = format!(
                        "{without} of {all} vertices of mesh \"{name}\" have no counterpart {where_}"
                    );
                    Finding::new(Kind::MeshShape, message)
                } else {
                    continue;
                };
                findings.push(finding.mesh(name));
            }
        }
        findings
    }

    fn finish(self, moved: Vec<usize>, in_bind_pose: bool) -> VertexPairs {
        let [before, after] = self.counterparts;
        let matched = [&before, &after].map(|list| list.iter().flatten().count());
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
        // A surface corresponds to the surface in which most of its pairs end; the map's order breaks ties.
        let mut votes: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for [a, b] in &pairs {
            let surface = |side: usize, vertex: u32| {
                self.sides[side].vertices.surfaces[vertex as usize] as usize
            };
            *votes.entry((surface(0, *a), surface(1, *b))).or_default() += 1;
        }
        let mut surfaces: Vec<Option<(usize, usize)>> = vec![None; self.sides[0].surfaces.len()];
        for ((before, after), count) in votes {
            let best = &mut surfaces[before];
            if best.is_none_or(|(_, most)| count > most) {
                *best = Some((after, count));
            }
        }
        VertexPairs {
            pairs,
            is_loose,
            matched,
            in_bind_pose,
            surfaces: surfaces
                .into_iter()
                .map(|best| best.map(|(after, _)| after))
                .collect(),
            moved,
        }
    }
}

fn surface_name<'s>(side: &'s Side<'_>, vertex: usize) -> &'s str {
    &side.surfaces[side.vertices.surfaces[vertex] as usize].name
}

/// The sum of all differences of two lists that ascend by joint: 0 to 2.
pub(super) fn weights_apart(a: &[(usize, f64)], b: &[(usize, f64)]) -> f64 {
    differences(a, b)
        .map(|(_, difference)| difference.abs())
        .sum()
}

/// How much larger each joint's weight is in `b` than in `a`; both ascend by joint.
pub(super) fn differences<'a>(
    a: &'a [(usize, f64)],
    b: &'a [(usize, f64)],
) -> impl Iterator<Item = (usize, f64)> + 'a {
    let of = |list: &[(usize, f64)], joint: usize| {
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
