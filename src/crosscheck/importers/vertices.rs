//! Matches the vertices of two importers.

use std::collections::HashMap;

use super::matching::Key;
use super::record::{Bits, Paired, Record};
use super::report::Kind;
use super::search::Search;
use super::shown::{Shown, Vertex};

/// A vertex without a counterpart.
pub(super) struct Mismatch {
    pub(super) side: usize,
    pub(super) group: Key,
    pub(super) vertex: Vertex,
    pub(super) kind: Kind,
    /// The most similar vertex of the other importer.
    pub(super) nearest: Option<Vertex>,
    /// A difference of weights, or of offsets as a fraction of the mesh's diagonal; infinite for a missing vertex.
    pub(super) apart: f64,
}

/// Finds the counterparts of all vertices in both directions, and reports those without one.
pub(super) fn pair_up(paired: Paired<'_>) -> ([Shown; 2], Vec<Mismatch>) {
    let mut shown = [0, 1].map(|side| Shown::new(paired.matching, side));
    pair_equal(paired, &mut shown);
    let mut mismatches = Vec::new();
    for side in [0, 1] {
        let alike = pair_alike(paired, &shown, side, &mut mismatches);
        for (number, counterpart) in alike {
            shown[side].counterparts[number] = Some(counterpart);
        }
    }
    (shown, mismatches)
}

/// Pairs vertices that are equal bit by bit, as nearly all are, whatever their order and number.
fn pair_equal(paired: Paired<'_>, shown: &mut [Shown; 2]) {
    let bits = [0, 1].map(|side| -> Vec<Bits> {
        let instances = &paired.matching.trees[side].asset.instances;
        let bits = |vertex: &Vertex| {
            let group = paired.matching.key(side, instances[vertex.instance].node);
            Record::of(paired, side, *vertex).bits(group)
        };
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
    paired: Paired<'_>,
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
        let search = Search::new(paired, &shown[1 - side], 1 - side, group);
        for number in lonely {
            let vertex = shown[side].list[number];
            let record = Record::of(paired, side, vertex);
            match search.best(&record) {
                Ok(counterpart) => pairs.push((number, counterpart)),
                Err(miss) => mismatches.push(Mismatch {
                    side,
                    group,
                    vertex,
                    kind: miss.kind,
                    nearest: miss.nearest.map(|number| shown[1 - side].list[number]),
                    apart: miss.apart,
                }),
            }
        }
    }
    pairs
}
