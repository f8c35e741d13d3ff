//! Stage: the vertices in the bind pose, their influences and morph offsets.
//!
//! `diff` pairs a vertex with the most similar one nearby, however different that is. Here, a counterpart is equal within
//! the tolerances, and a vertex without one is a difference.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::DVec3;

use super::both::{Both, POSITION, WEIGHT};
use super::matching::{Key, Matching};
use super::place::Place;
use super::report::{Difference, Kind, Stage, StageReport, Tally};
use super::vertices::{Bits, Record, Shown, Vertex};
use crate::diff::nearest::Nearest;
use crate::rig::Bounds;

/// A vertex without a counterpart.
pub(super) struct Mismatch {
    pub(super) side: usize,
    pub(super) vertex: Vertex,
    pub(super) miss: Miss,
}

/// Why a vertex has no counterpart.
pub(super) struct Miss {
    pub(super) kind: Kind,
    /// The most similar vertex of the other importer; `None` if none is near.
    pub(super) nearest: Option<Vertex>,
    /// A difference of weights, or of offsets as a fraction of the mesh's diagonal; infinite for a missing vertex.
    pub(super) apart: f64,
}

impl Miss {
    /// No vertex is near.
    const MISSING: Self = Self {
        kind: Kind::VertexMissing,
        nearest: None,
        apart: f64::INFINITY,
    };

    /// Whether it is more similar: what is compared later differs less.
    fn is_nearer_than(&self, other: &Self) -> bool {
        (self.kind, -self.apart) > (other.kind, -other.apart)
    }
}

/// Finds the counterparts of all vertices in both directions, and reports those without one.
pub(super) fn pair_up(both: &Both<'_>) -> ([Shown; 2], Vec<Mismatch>) {
    let mut shown = [0, 1].map(|side| Shown::new(both, side));
    pair_equal(both, &mut shown);
    let mut mismatches = Vec::new();
    for side in [0, 1] {
        let alike = pair_alike(both, &shown, side, &mut mismatches);
        for (number, counterpart) in alike {
            shown[side].counterparts[number] = Some(counterpart);
        }
    }
    (shown, mismatches)
}

/// Pairs vertices that are equal bit by bit, as nearly all are, whatever their order and number.
fn pair_equal(both: &Both<'_>, shown: &mut [Shown; 2]) {
    let bits = [0, 1].map(|side| -> Vec<Bits> {
        let bits = |vertex: &Vertex| Record::of(both, side, *vertex).bits(vertex.group(both, side));
        shown[side].list.iter().map(bits).collect()
    });
    for (side, other) in [(0, 1), (1, 0)] {
        let known: HashMap<&Bits, usize> = bits[other].iter().zip(0..).collect();
        let counterparts = bits[side].iter().map(|bits| known.get(bits).copied());
        shown[side].counterparts = counterparts.collect();
    }
}

/// Pairs the remaining vertices within tolerance. Returns indices of vertices and their counterparts.
fn pair_alike(
    both: &Both<'_>,
    shown: &[Shown; 2],
    side: usize,
    mismatches: &mut Vec<Mismatch>,
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (&group, numbers) in &shown[side].groups {
        let lonely: Vec<usize> = numbers
            .iter()
            .copied()
            .filter(|&number| shown[side].counterparts[number].is_none())
            .collect();
        if lonely.is_empty() {
            continue;
        }
        let search = Search::new(both, &shown[1 - side], 1 - side, group);
        for number in lonely {
            let vertex = shown[side].list[number];
            let record = Record::of(both, side, vertex);
            match search.best(&record) {
                Ok(counterpart) => pairs.push((number, counterpart)),
                Err(miss) => mismatches.push(Mismatch { side, vertex, miss }),
            }
        }
    }
    pairs
}

/// Most vertices at one position that are tried as counterparts.
const MOST_CANDIDATES: usize = 256;

/// A search among the vertices of one joint's meshes.
struct Search<'a> {
    both: &'a Both<'a>,
    shown: &'a Shown,
    side: usize,
    numbers: &'a [usize],
    nearest: Nearest,
    /// How far apart two positions or offsets may be, in mesh space.
    radius: f64,
    /// The first vertex that is not finite; those cannot be distinguished.
    nonfinite: Option<usize>,
}

impl<'a> Search<'a> {
    fn new(both: &'a Both<'a>, shown: &'a Shown, side: usize, group: Key) -> Self {
        let numbers = shown.groups.get(&group).map_or(&[][..], Vec::as_slice);
        let position = |number: &usize| shown.list[*number].position(both, side).as_dvec3();
        let positions: Vec<DVec3> = numbers.iter().map(position).collect();
        Self {
            radius: POSITION * Bounds::of(positions.iter().copied()).diagonal(),
            nonfinite: positions.iter().position(|position| !position.is_finite()),
            nearest: Nearest::new(positions),
            both,
            shown,
            side,
            numbers,
        }
    }

    /// The index of a vertex that equals `record` within the tolerances.
    fn best(&self, record: &Record) -> Result<usize, Miss> {
        let position = record.position.as_dvec3();
        if !position.is_finite() {
            let nonfinite = self.nonfinite.map(|index| self.numbers[index]);
            return nonfinite.ok_or(Miss::MISSING);
        }
        let mut nearest: Option<Miss> = None;
        for index in self.nearest.within(position, self.radius, MOST_CANDIDATES) {
            let number = self.numbers[index];
            let vertex = self.shown.list[number];
            let other = Record::of(self.both, self.side, vertex);
            let (weights, morphs) = (record.weights_apart(&other), record.morphs_apart(&other));
            let (kind, apart) = if weights > WEIGHT {
                (Kind::Influences, weights)
            } else if morphs > self.radius {
                (Kind::MorphOffsets, morphs * POSITION / self.radius)
            } else {
                return Ok(number);
            };
            let miss = Miss {
                kind,
                nearest: Some(vertex),
                apart,
            };
            if nearest
                .as_ref()
                .is_none_or(|nearest| miss.is_nearer_than(nearest))
            {
                nearest = Some(miss);
            }
        }
        Err(nearest.unwrap_or(Miss::MISSING))
    }
}

/// Most influences in a message about one vertex.
const SHOWN: usize = 5;

/// Reports vertices without a counterpart.
///
/// Importers weld, split and order vertices as they like, so these are sets: every vertex of one importer must be one of the
/// other's, in the mesh of the same joint, at the same position, with the same influences and morph offsets.
pub(super) fn compare(both: &Both<'_>, shown: &[Shown; 2], mismatches: &[Mismatch]) -> StageReport {
    let mut tally = Tally::new(Stage::Weights);
    tally.compared(shown[0].list.len().max(shown[1].list.len()));
    for mismatch in mismatches {
        tally.add(mismatch.miss.kind, mismatch.miss.apart, |worst| {
            describe(both, mismatch, worst)
        });
    }
    tally.finish(&both.matching)
}

fn describe(
    both: &Both<'_>,
    Mismatch { side, vertex, miss }: &Mismatch,
    worst: Difference<Place>,
) -> Difference<Place> {
    let (side, other, matching) = (*side, 1 - *side, &both.matching);
    let record = Record::of(both, side, *vertex);
    let nearest = miss.nearest.map(|vertex| Record::of(both, other, vertex));
    let names = names(matching, [Some(&record), nearest.as_ref()]);
    let mut says = [String::new(), String::new()];
    says[side] = said(&names, miss.kind, Some(&record));
    says[other] = said(&names, miss.kind, nearest.as_ref());
    let worst = worst
        .at(vertex.place(both, side))
        .vertex(record.position.as_dvec3())
        .saying(says);
    if miss.apart.is_finite() {
        worst.off_part(miss.apart)
    } else {
        worst
    }
}

/// The names of joints in messages.
type Names = BTreeMap<Key, String>;

/// The shortest names that distinguish all joints of both vertices: their own, paths, or numbered paths.
fn names(matching: &Matching<'_>, records: [Option<&Record>; 2]) -> Names {
    let influences = records
        .into_iter()
        .flatten()
        .flat_map(|record| &record.influences);
    let keys: BTreeSet<Key> = influences.map(|(key, _)| *key).collect();
    let named = |name: &dyn Fn(Key) -> String| -> Names {
        keys.iter().map(|&key| (key, name(key))).collect()
    };
    let is_distinct = |names: &Names| names.values().collect::<BTreeSet<_>>().len() == names.len();
    let short = named(&|key| matching.name(key));
    if is_distinct(&short) {
        return short;
    }
    let paths = named(&|key| matching.path(key));
    if is_distinct(&paths) {
        return paths;
    }
    named(&|key| matching.numbered_path(key))
}

fn said(names: &Names, kind: Kind, record: Option<&Record>) -> String {
    match (kind, record) {
        (_, None) => "none".to_owned(),
        (Kind::Influences, Some(record)) => influences(names, record),
        (Kind::MorphOffsets, Some(record)) => format!("{} morph targets", record.morphs.len()),
        (_, Some(_)) => "a vertex".to_owned(),
    }
}

/// Such as `upper 0.75, lower 0.25`, the largest first.
fn influences(names: &Names, record: &Record) -> String {
    if record.influences.is_empty() {
        return "no weight".to_owned();
    }
    let mut sorted = record.influences.clone();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    let shown = sorted
        .iter()
        .take(SHOWN)
        .map(|(key, weight)| format!("{} {}", names[key], number(*weight)));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if sorted.len() > SHOWN {
        text.push_str(", …");
    }
    text
}

/// Four decimals, or four significant digits if those are zero.
fn number(weight: f64) -> String {
    if weight.abs() >= 5e-4 {
        format!("{weight:.4}")
    } else {
        format!("{weight:.3e}")
    }
}
