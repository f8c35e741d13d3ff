//! Compares two importers on one file: the first stage at which they differ.
//!
//! Each stage builds on those before. The first that differs names the cause; later ones show its consequences:
//!
//! | stage | what must be the same |
//! |---|---|
//! | reading | whether the file can be read |
//! | joints and parents | names and hierarchy, without what an importer adds (`helpers`) |
//! | rest pose | world transforms of the joints, morph weights |
//! | inverse binds | the matrix of each joint that influences a mesh |
//! | weights | the set of vertices, each with position, influences and morph offsets |
//! | clips | names and ranges, and how each drives every joint's own transform |
//! | posed joints | world transforms over time |
//! | skinned vertices | positions at rest and over time, as sets of points |
//!
//! Only the meaning of a file is compared, not how it is stored: one importer may join vertices, another may use more
//! keys for a curve. `tolerance` states how much two correct answers may differ.

mod binds;
mod clips;
mod common;
mod distances;
mod driven;
mod helpers;
mod joints;
#[cfg(test)]
mod laws;
mod matching;
mod morphing;
mod morphs;
mod motion;
mod over_time;
mod points;
mod read;
mod record;
mod report;
mod rest;
mod sample_times;
mod search;
mod shown;
mod tally;
mod tolerance;
mod tracks;
mod tree;
mod vertices;
mod weights;

use crate::pose;
use crate::rig::{Asset, Bounds};
use crate::skinning::SkinningError;
use common::{Common, Posed, Scale, skinned};
use matching::Matching;
use morphs::MorphOrder;
use motion::Motion;
use record::Paired;
use report::StageReport as Report;
use tally::Tally;
use tree::Tree;

pub use read::{ImportersError, choose, compare_file, compare_read};
pub use report::{Difference, ImporterReport, Kind, Location, Off, Stage, StageReport};

/// Compares two importers' results for one file, both [valid](Asset::validate).
///
/// Lengths are in the common space of both, or, if their spaces differ, in metres with +Y up.
///
/// # Errors
///
/// [`SkinningError`] if there are too many vertices to skin.
pub fn compare(a: &Asset, b: &Asset) -> Result<ImporterReport, SkinningError> {
    let common = Common::of([a.space, b.space]);
    let matching = Matching::new(Tree::new(a, b), Tree::new(b, a));
    let rest = rest_of([a, b], &common);
    let points = skinned(a, &pose::rest(a), &common.from[0])?;
    let joints = rest[0].worlds.iter().map(|world| world.w_axis.truncate());
    let points = Bounds::of(points.into_iter().flatten());
    let scale = Scale::of(points, Bounds::of(joints));
    let morphs = MorphOrder::new(&matching);
    let paired = Paired {
        matching: &matching,
        morphs: &morphs,
    };
    let (shown, mismatches) = vertices::pair_up(paired);
    let motion = Motion {
        matching: &matching,
        morphs: &morphs,
        shown: &shown,
        common,
        scale,
        rest: &rest,
    };
    let mut stages = vec![
        read_by_both(),
        joints::compare(&matching),
        rest::compare(&matching, &morphs, &rest, scale),
        binds::compare(&matching, &rest, scale),
        weights::compare(paired, &shown, &mismatches),
    ];
    stages.extend(motion.compare()?);
    Ok(ImporterReport {
        importers: [a, b].map(|asset| asset.importer.clone()),
        spaces: [a, b].map(|asset| Some(asset.space)),
        metres_per_unit: common.metres_per_unit,
        diagonal: scale.diagonal,
        stages,
    })
}

fn rest_of(assets: [&Asset; 2], common: &Common) -> [Posed; 2] {
    [0, 1].map(|side| Posed::new(assets[side], pose::rest(assets[side]), &common.from[side]))
}

fn read_by_both() -> Report {
    let mut tally = Tally::new(Stage::Reading);
    tally.compared(1);
    tally.finish()
}
