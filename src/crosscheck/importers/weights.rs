//! Stage: the vertices in the bind pose, their influences and morph offsets.

use std::collections::{BTreeMap, BTreeSet};

use super::both::Both;
use super::counterparts::Mismatch;
use super::matching::{Key, Matching};
use super::report::{Difference, Kind, Stage, StageReport};
use super::tally::Tally;
use super::vertex::{Record, Shown};
use crate::rig::Location;

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
    tally.finish()
}

fn describe(
    both: &Both<'_>,
    Mismatch { side, vertex, miss }: &Mismatch,
    worst: Difference,
) -> Difference {
    let (side, other, matching) = (*side, 1 - *side, &both.matching);
    let record = Record::of(both, side, *vertex);
    let nearest = miss.nearest.map(|vertex| Record::of(both, other, vertex));
    let names = names(matching, [Some(&record), nearest.as_ref()]);
    let mut says = [String::new(), String::new()];
    says[side] = said(&names, miss.kind, Some(&record));
    says[other] = said(&names, miss.kind, nearest.as_ref());
    let worst = worst
        .at(Location::mesh(
            matching.path_of_key(vertex.group(both, side)),
        ))
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
    let own = |path: String| path.rsplit('/').next().unwrap_or_default().to_owned();
    let short = named(&|key| own(matching.path_of_key(key)));
    if is_distinct(&short) {
        return short;
    }
    let paths = named(&|key| matching.path_of_key(key));
    if is_distinct(&paths) {
        return paths;
    }
    named(&|key| matching.numbered_path_of_key(key))
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
