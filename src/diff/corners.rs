//! The corners of triangles: vertices at one position and their counterparts on the other side share one.

use glam::DVec3;
use rayon::prelude::*;

use super::side::Side;
use crate::groups::Groups;

/// Positions of all vertices of both sides in one pose.
pub(super) type Poses = [Vec<DVec3>; 2];

/// The vertex of the other side that corresponds to one.
#[derive(Clone, Copy)]
pub(super) struct Counterpart {
    /// Its index among all vertices of its side.
    pub(super) vertex: u32,
    /// Whether it is only near, and so may not correspond.
    pub(super) is_loose: bool,
}

/// The number of the corner of each vertex of each side.
///
/// A corner is not the corner of two positions of one side, unless they are closer than `one_place`. So a vertex that
/// is gone does not share the corner of the vertex next to it, which is its counterpart for want of a better one.
pub(super) fn corners(
    sides: [&Side<'_>; 2],
    positions: &Poses,
    counterparts: &[Vec<Option<Counterpart>>; 2],
    one_place: f64,
) -> [Vec<u32>; 2] {
    let counts = [0, 1].map(|side: usize| positions[side].len());
    let first = [0, counts[0]];
    let mut groups = Groups::new(counts[0] + counts[1]);
    for side in [0, 1] {
        for [a, b] in coincident(sides[side], &positions[side]) {
            groups.join(first[side] + a, first[side] + b);
        }
    }
    // A corner has a position on each side, once it is joined with one.
    let mut is_joined = [0, 1].map(|side| {
        let all = 0..counts[0] + counts[1];
        let is_own = |vertex: usize| (vertex >= counts[0]) == (side == 1);
        all.map(is_own).collect::<Vec<bool>>()
    });
    for (apart, [before, after]) in nearest_first(positions, counterparts) {
        let own = [before, first[1] + after];
        let [a, b] = own.map(|vertex| groups.of(vertex) as usize);
        if a == b || apart > one_place && (is_joined[1][a] || is_joined[0][b]) {
            continue;
        }
        groups.join(a, b);
        let joined = groups.of(a) as usize;
        for is_joined in &mut is_joined {
            is_joined[joined] = is_joined[a] || is_joined[b];
        }
    }
    [0, 1].map(|side: usize| {
        let own = 0..counts[side];
        own.map(|vertex| groups.of(first[side] + vertex)).collect()
    })
}

/// Vertices at one position, each with the next one there.
fn coincident(side: &Side<'_>, positions: &[DVec3]) -> Vec<[usize; 2]> {
    let used = side.vertices.is_used.iter().enumerate();
    let used = used.filter(|(vertex, used)| **used && positions[*vertex].is_finite());
    // Zero instead of -0.
    let sorted = used.map(|(vertex, _)| ((positions[vertex] + DVec3::ZERO).to_array(), vertex));
    let mut sorted: Vec<([f64; 3], usize)> = sorted.collect();
    let order = |a: &[f64; 3], b: &[f64; 3]| {
        let [x, y, z] = [0, 1, 2].map(|axis| a[axis].total_cmp(&b[axis]));
        x.then(y).then(z)
    };
    sorted.par_sort_unstable_by(|a, b| order(&a.0, &b.0).then(a.1.cmp(&b.1)));
    let pairs = sorted.windows(2);
    let pairs = pairs.filter(|pair| order(&pair[0].0, &pair[1].0).is_eq());
    pairs.map(|pair| [pair[0].1, pair[1].1]).collect()
}

/// Each vertex before and its counterpart, and each vertex after and its own, with their distance.
fn nearest_first(
    positions: &Poses,
    counterparts: &[Vec<Option<Counterpart>>; 2],
) -> Vec<(f64, [usize; 2])> {
    let of = |side: usize| {
        let own = counterparts[side].iter().enumerate();
        own.filter_map(move |(vertex, found)| {
            let other = found.as_ref()?.vertex as usize;
            let pair = if side == 0 {
                [vertex, other]
            } else {
                [other, vertex]
            };
            let [a, b] = [positions[0][pair[0]], positions[1][pair[1]]];
            Some((a.distance(b), pair))
        })
    };
    let mut pairs: Vec<(f64, [usize; 2])> = of(0).chain(of(1)).collect();
    pairs.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    pairs
}
