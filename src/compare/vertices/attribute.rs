//! One attribute of all vertices.

use glam::{DVec3, Vec3};

use super::Known;
use crate::compare::{Culprit, Spread};
use crate::rig::InstanceId;

/// How two paths made one attribute of all vertices.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AttributeReport {
    /// Vertices that have it and for which there is a bound. All numbers below are of these.
    pub vertices: usize,
    /// Vertices for which rounding decides alone: directions of what is degenerate, and what f32 cannot hold.
    pub unpromised: usize,
    /// From the first path to the second.
    pub distance: Spread,
    /// The same in units in the last place of the exact value's largest component.
    pub ulp: Spread,
    /// The largest part of its bound that either path used up; 1 at most where both are right.
    pub used: f64,
    /// How many vertices are out of their bounds.
    pub wrong: WrongCounts,
    /// Of the wrong ones the farthest from what is right; if none is wrong, the one where the paths are farthest apart.
    pub worst: Option<WorstVertex>,
}

/// Vertices farther from what is right than rounding explains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WrongCounts {
    /// In the first path.
    pub first: usize,
    /// In the second path.
    pub second: usize,
}

/// The vertex to look at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorstVertex {
    /// Which instance of the asset.
    pub instance: InstanceId,
    /// Which vertex of its mesh.
    pub vertex: usize,
    /// By the first path; no number if it lacks the vertex.
    pub first: Vec3,
    /// By the second path.
    pub second: Vec3,
    /// What is right.
    pub exact: DVec3,
    /// How far each may be from it.
    pub bound: f64,
    /// From the first to the second.
    pub distance: f64,
    /// Which path is wrong, if one is.
    pub culprit: Option<Culprit>,
}

impl AttributeReport {
    /// Whether no vertex of either path is out of its bound.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.wrong == WrongCounts::default()
    }

    /// Which path is wrong anywhere.
    #[must_use]
    pub fn culprit(&self) -> Option<Culprit> {
        Culprit::of(self.wrong.first > 0, self.wrong.second > 0)
    }
}

/// What a value is, which says what a bound may promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Position,
    Direction,
}

impl Kind {
    /// Unit vectors are never more than 2 apart.
    fn is_promise(self, bound: f64) -> bool {
        match self {
            Self::Position => bound < f64::INFINITY,
            Self::Direction => bound < 2.0,
        }
    }
}

/// One attribute of one mesh.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lists<'a> {
    pub(super) instance: InstanceId,
    pub(super) first: &'a [Vec3],
    pub(super) second: &'a [Vec3],
    pub(super) known: &'a Known,
}

impl Lists<'_> {
    fn vertices(&self) -> impl Iterator<Item = WorstVertex> {
        let known = self.known.values.iter().zip(&self.known.bounds);
        known.enumerate().map(|(vertex, (exact, bound))| {
            let of = |list: &[Vec3]| list.get(vertex).copied().unwrap_or(Vec3::NAN);
            let (first, second) = (of(self.first), of(self.second));
            let is_wrong = |value: Vec3| part_used(value, *exact, *bound) > 1.0;
            WorstVertex {
                instance: self.instance,
                vertex,
                first,
                second,
                exact: *exact,
                bound: *bound,
                distance: distance(first.as_dvec3(), second.as_dvec3()),
                culprit: Culprit::of(is_wrong(first), is_wrong(second)),
            }
        })
    }
}

/// Compares one attribute of all meshes.
pub(super) fn compare<'a>(kind: Kind, meshes: impl Iterator<Item = Lists<'a>>) -> AttributeReport {
    let mut report = AttributeReport::default();
    let (mut distances, mut ulps) = (Vec::new(), Vec::new());
    for lists in meshes {
        for vertex in lists.vertices() {
            if !(vertex.exact.is_finite() && kind.is_promise(vertex.bound)) {
                report.unpromised += 1;
                continue;
            }
            report.include(&vertex);
            distances.push(vertex.distance);
            ulps.push(vertex.distance / last_place(vertex.exact));
        }
    }
    report.vertices = distances.len();
    report.distance = Spread::of(distances);
    report.ulp = Spread::of(ulps);
    report
}

impl AttributeReport {
    fn include(&mut self, vertex: &WorstVertex) {
        let (first, second) = vertex.used();
        self.used = self.used.max(first).max(second);
        self.wrong.first += usize::from(first > 1.0);
        self.wrong.second += usize::from(second > 1.0);
        let rank = WorstVertex::rank;
        if self.worst.is_none_or(|worst| rank(vertex) > rank(&worst)) {
            self.worst = Some(*vertex);
        }
    }
}

impl WorstVertex {
    fn used(&self) -> (f64, f64) {
        let used = |value| part_used(value, self.exact, self.bound);
        (used(self.first), used(self.second))
    }

    /// The larger, the worse: first whether it is wrong at all, then how far.
    fn rank(&self) -> (bool, f64) {
        let off = |value: Vec3| distance(value.as_dvec3(), self.exact);
        let far = match self.culprit {
            Some(_) => off(self.first).max(off(self.second)),
            None => self.distance,
        };
        (self.culprit.is_some(), far)
    }
}

/// The distance from what is right over what is allowed; infinite for what is no number, or not exact where it must be.
fn part_used(value: Vec3, exact: DVec3, bound: f64) -> f64 {
    let off = distance(value.as_dvec3(), exact);
    if off == 0.0 { 0.0 } else { off / bound }
}

/// Infinite if one of them is no number.
fn distance(a: DVec3, b: DVec3) -> f64 {
    let distance = a.distance(b);
    if distance.is_nan() {
        f64::INFINITY
    } else {
        distance
    }
}

/// The unit in the last place of an f32 as large as the largest component.
#[expect(
    clippy::cast_possible_truncation,
    reason = "its magnitude is what counts"
)]
fn last_place(value: DVec3) -> f64 {
    let largest = (value.abs().max_element() as f32).clamp(f32::MIN_POSITIVE, f32::MAX);
    let power = f32::from_bits(largest.to_bits() & 0xff80_0000);
    f64::from(power) * f64::from(f32::EPSILON)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "powers of two are exact")]
mod tests {
    use super::*;

    #[test]
    fn the_last_place_is_that_of_the_largest_component() {
        let epsilon = f64::from(f32::EPSILON);
        assert_eq!(last_place(DVec3::new(0.1, -1.5, 0.0)), epsilon);
        assert_eq!(last_place(DVec3::new(0.1, -4.0, 3.9)), 4.0 * epsilon);
        assert!(last_place(DVec3::ZERO) > 0.0);
    }
}
