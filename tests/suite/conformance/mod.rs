//! Compares poses with those that independent programs agree on.
//!
//! Runs on the models of `$SKINCHECK_CORPUS` (see the README of that folder for its format). Without that variable
//! there is nothing to compare with, and the test says so.

#![expect(
    clippy::print_stdout,
    reason = "the table is for those who run the test"
)]

mod distance;
mod truth;

use std::env;
use std::path::{Path, PathBuf};

use skincheck::import::{self, Options};
use skincheck::pose::{self, ModelPose};
use skincheck::rig::Asset;
use skincheck::rig::SkinningOptions;
use skincheck::skinning;
use skincheck::units::Seconds;

use crate::fixtures::posed::readable;
use crate::program;
use distance::{Deviation, compare};
use truth::{Model, Truth};

/// The largest deviation that passes, relative to the diagonal of the pose. The programs that made the truths mostly
/// agree to 1e-7, and to 1e-4 at worst; f32 at a diagonal's distance rounds by 6e-8.
const TOLERANCE: f64 = 1e-5;

/// Models whose nodes have no names. The names in the truth come from the program that made it, so only points are
/// compared.
/// are compared.
const NAMELESS: &[&str] = &[
    "SimpleSkin",
    "BoxAnimated",
    "luanti_simple_skin_step",
    "AG_Animation_Node_00",
    "AG_Animation_Node_02",
    "AG_Animation_Node_05",
    "AG_Animation_NodeMisc_00",
    "AG_Animation_NodeMisc_02",
    "AG_Animation_NodeMisc_04",
    "assimp_simple_skin",
];

#[test]
fn poses_are_those_that_independent_programs_agree_on() {
    let Some(corpus) = env::var_os("SKINCHECK_CORPUS").map(PathBuf::from) else {
        println!("SKINCHECK_CORPUS names no folder of models: nothing compared");
        return;
    };
    let mut models = truth::models(&corpus);
    // A build without assimp reads fewer formats.
    models.retain(|model| readable(&model.path.to_lowercase()));
    assert!(
        !models.is_empty(),
        "{}: no model with a truth",
        corpus.display()
    );
    let results: Vec<Row> = models.iter().map(|model| judge(&corpus, model)).collect();
    println!("{:<48} tier  points   joints   found    verdict", "model");
    for row in &results {
        println!("{row}");
    }
    let passed = |tier: &str| {
        let of_tier = results.iter().filter(|row| row.model.tier == tier);
        let (all, good) = of_tier.fold((0, 0), |(all, good), row| {
            (all + 1, good + u32::from(row.passes()))
        });
        format!("{good} of {all}")
    };
    println!("tier A: {}, tier B: {}", passed("A"), passed("B"));
    let failed: Vec<String> = results.iter().filter_map(Row::failure).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn the_comparison_sees_a_posed_arm_that_is_a_hair_off() {
    let expected = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.5]];
    let mut moved = expected;
    moved[2][1] += 1e-3;
    let far = distance::between_sets(&moved, &expected);
    assert!((far - 1e-3).abs() < 1e-12, "{far}");
    let missing = distance::between_sets(&expected[..2], &expected);
    assert!(missing > 1.0, "{missing}");
}

#[test]
fn a_joint_that_is_nowhere_is_infinitely_far_off() {
    assert!(distance::worse(0.0, f64::NAN).is_infinite());
    assert!(distance::worse(0.5, 0.25) > 0.25);
}

/// One line of the table.
struct Row<'a> {
    model: &'a Model,
    outcome: Result<Deviation, String>,
}

impl Row<'_> {
    fn passes(&self) -> bool {
        let tolerance = self.model.tolerance.unwrap_or(0.0).max(TOLERANCE);
        matches!(&self.outcome, Ok(deviation) if deviation.worst() <= tolerance)
    }

    /// Whether any joint was compared, or none can be.
    fn finds_joints(&self) -> bool {
        let found = |deviation: &Deviation| deviation.found.0 > 0 || deviation.found.1 == 0;
        self.outcome.as_ref().is_ok_and(found) || NAMELESS.contains(&self.model.name.as_str())
    }

    fn failure(&self) -> Option<String> {
        match (self.passes(), self.finds_joints()) {
            (false, _) => Some(self.to_string()),
            (true, false) => Some(format!("no joint is found: {self}")),
            (true, true) => None,
        }
    }
}

impl std::fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:<48} {:<4}  ", self.model.name, self.model.tier)?;
        match &self.outcome {
            Ok(deviation) => {
                let (found, of) = deviation.found;
                let found = format!("{found}/{of}");
                let (points, joints) = (deviation.points, deviation.joints);
                write!(f, "{points:.1e}  {joints:.1e}  {found:<9}")?;
            }
            Err(error) => write!(f, "{error}  ")?,
        }
        f.write_str(if self.passes() { "ok" } else { "OFF" })
    }
}

fn judge<'a>(corpus: &Path, model: &'a Model) -> Row<'a> {
    let outcome = import::load(&corpus.join(&model.path), &options())
        .map_err(|error| error.to_string())
        .and_then(|asset| worst_of_samples(&asset, &truth::read(corpus, model)));
    Row { model, outcome }
}

fn options() -> Options {
    Options {
        images: false,
        ..program::reading()
    }
}

fn worst_of_samples(asset: &Asset, truth: &Truth) -> Result<Deviation, String> {
    let mut worst = Deviation::default();
    for sample in &truth.samples {
        let pose = posed(asset, truth.clip.as_deref(), sample.time)?;
        let deformed = skinning::deform(asset, &pose, &SkinningOptions::default());
        let deformed = deformed.map_err(|error| error.to_string())?;
        worst = worst.max(compare(asset, &pose, &deformed, sample));
    }
    Ok(worst)
}

/// After its last key, a clip holds its pose; without a clip, the model is at rest.
fn posed(asset: &Asset, clip: Option<&str>, time: f64) -> Result<ModelPose, String> {
    let pose = match clip {
        Some(name) => {
            let id = pose::find_clip(asset, name).map_err(|error| error.to_string())?;
            pose::sample(asset, &asset[id], Seconds(time))
        }
        None if asset.clips.is_empty() => Ok(pose::rest(asset)),
        None => pose::sample(asset, &asset.clips[0], Seconds(time)),
    };
    let pose = pose.map_err(|error| error.to_string())?;
    Ok(pose::model_pose(asset, &pose))
}
