//! Stage: the vertices in the bind pose, their influences and morph offsets.

use super::matching::Matching;
use super::record::{Paired, Record};
use super::report::{Kind, Off, Place, Stage, StageReport};
use super::shown::Shown;
use super::tally::{Details, Tally};
use super::vertices::Mismatch;

/// Most influences in a message about one vertex.
const SHOWN: usize = 5;

/// Reports vertices without a counterpart.
///
/// Importers join, split and order vertices as they like, so these are sets: every vertex of either importer must be
/// one of the other's too, in the mesh of the same joint, at the same place, with the same influences and morph offsets.
pub(super) fn compare(
    paired: Paired<'_>,
    shown: &[Shown; 2],
    mismatches: &[Mismatch],
) -> StageReport {
    let mut tally = Tally::new(Stage::Weights);
    tally.compared(shown[0].list.len().max(shown[1].list.len()));
    for mismatch in mismatches {
        tally.add(mismatch.kind, mismatch.apart, || details(paired, mismatch));
    }
    tally.finish()
}

fn details(paired: Paired<'_>, mismatch: &Mismatch) -> Details {
    let matching = paired.matching;
    let record = Record::of(paired, mismatch.side, mismatch.vertex);
    let other = 1 - mismatch.side;
    let nearest = mismatch
        .nearest
        .map(|vertex| Record::of(paired, other, vertex));
    let mut says = [String::new(), String::new()];
    says[mismatch.side] = said(matching, mismatch.kind, Some(&record));
    says[other] = match mismatch.kind {
        Kind::VertexMissing => "none".to_owned(),
        kind => said(matching, kind, nearest.as_ref()),
    };
    let off = Some(Off::Part(mismatch.apart));
    Details {
        place: Place {
            mesh: Some(matching.path_of_key(mismatch.group)),
            vertex: Some(record.position.as_dvec3().to_array()),
            ..Place::default()
        },
        says,
        off: off.filter(|_| mismatch.apart.is_finite()),
    }
}

fn said(matching: &Matching<'_>, kind: Kind, record: Option<&Record>) -> String {
    match (kind, record) {
        (_, None) => "none".to_owned(),
        (Kind::Influences, Some(record)) => influences(matching, record),
        (Kind::MorphOffsets, Some(record)) => format!("{} morph targets", record.morphs.len()),
        (_, Some(_)) => "a vertex".to_owned(),
    }
}

/// Such as `upper 0.75, lower 0.25`, the largest first.
fn influences(matching: &Matching<'_>, record: &Record) -> String {
    if record.influences.is_empty() {
        return "no weight".to_owned();
    }
    let mut sorted = record.influences.clone();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    let name = |path: String| path.rsplit('/').next().unwrap_or_default().to_owned();
    let shown = sorted.iter().take(SHOWN).map(|(key, weight)| {
        let name = name(matching.path_of_key(*key));
        format!("{name} {}", number(*weight))
    });
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if sorted.len() > SHOWN {
        text.push_str(", …");
    }
    text
}

/// Four decimals, or four digits if those are zero.
fn number(weight: f64) -> String {
    if weight.abs() >= 5e-4 {
        format!("{weight:.4}")
    } else {
        format!("{weight:.3e}")
    }
}
