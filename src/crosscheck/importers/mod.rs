//! Compares two importers on one file: the first stage at which they differ.
//!
//! Each stage builds on those before. The first that differs names the cause; later ones show its consequences:
//!
//! | stage | what must be the same |
//! |---|---|
//! | reading | whether the file can be read |
//! | joints and parents | names and hierarchy, without what an importer adds (`helpers` of `diff`) |
//! | rest pose | world transforms of the joints, morph weights |
//! | inverse binds | the matrix of each joint that influences a mesh |
//! | weights | the set of vertices, each with position, influences and morph offsets |
//! | clips | names and ranges, and how each drives every joint's own transform |
//! | posed joints | world transforms over time |
//! | skinned vertices | positions at rest and over time, as sets of points |
//!
//! Only the meaning of a file is compared, not how it is stored: one importer may join vertices, another may use more
//! keys for a curve. `both` states how much two correct answers may differ.
//!
//! [`diff`](crate::diff) asks another question: whether two rigs deform alike, as far as anyone sees. It normalizes
//! weights, ignores the axes of joints and nodes that deform nothing, and undoes a scale or a shift of the whole model.
//! Between two importers, each of these is a difference. So every stage compares by itself, with the distances and the
//! search of `diff`.

mod both;
mod clips;
mod driven;
mod joints;
#[cfg(test)]
mod laws;
mod matching;
mod place;
mod read;
mod report;
mod vertices;
mod weights;

use crate::rig::Asset;
use crate::skinning::SkinningError;
use both::Both;
use report::Tally;

pub use read::{ImportersError, choose, compare_file, compare_read};
pub use report::{Difference, ImporterReport, Kind, Off, Stage, StageReport};

/// Compares two importers' results for one file, both [valid](Asset::validate).
///
/// Lengths are in the common space of both, or, if their spaces differ, in metres with +Y up.
///
/// # Errors
///
/// [`SkinningError`] if there are too many vertices to skin.
pub fn compare(a: &Asset, b: &Asset) -> Result<ImporterReport, SkinningError> {
    let both = Both::new(a, b)?;
    let (shown, mismatches) = weights::pair_up(&both);
    let mut stages = vec![
        read_by_both(&both),
        joints::compare(&both.matching),
        joints::compare_rest(&both),
        joints::compare_binds(&both),
        weights::compare(&both, &shown, &mismatches),
    ];
    stages.extend(clips::compare(&both, &shown)?);
    Ok(ImporterReport {
        importers: [a, b].map(|asset| asset.reader.to_string()),
        names: [a, b].map(|asset| asset.reader.code.name().to_owned()),
        metres_per_unit: both.metres_per_unit,
        diagonal: both.scale.diagonal,
        stages,
    })
}

fn read_by_both(both: &Both<'_>) -> StageReport {
    let mut tally = Tally::new(Stage::Reading);
    tally.compared(1);
    tally.finish(&both.matching)
}
