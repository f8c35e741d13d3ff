//! `skincheck crosscheck`: the CPU path against the OpenGL path.

mod run;

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::ensure;
use clap::Args as ClapArgs;

use super::backend::DriverArgs;
use super::diff::importers::{self, Importers};
use super::load::{FileArgs, model_formats};
use super::report::{Console, Outcome};
use super::report_target::{ON_STDOUT, formats};
use super::skin::Method;
use crate::pose::Times;
use crate::report::Format;

/// Skin and draw models on the CPU and in OpenGL, and compare the results
///
/// Vertices are compared with the exact result, pixels with each other.
/// With --importers, read models with two importers, and compare as diff --importers does.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Compares the rest pose and the first clip unless --clip, --all-clips or --pose is given.

A vertex may differ from the exact result (computed in f64) by the f32 rounding error bound (for any evaluation order). \
Pixels whose samples are certainly covered, or certainly not, must be equal; pixels decided by rounding (\"open\") may differ.

Examples:
  skincheck crosscheck hero.glb
  skincheck crosscheck *.fbx --all-clips --times keys
  skincheck crosscheck hero.glb --clip Walk --times 0,0.5,1.2 --artifacts out
  skincheck crosscheck hero.glb --gl software --format json | jq '.models[].passes'
  skincheck crosscheck --importers hero.fbx
  skincheck crosscheck --importers=gltf,assimp *.glb --format json

Exit codes: 0 both paths agree, 1 they do not, 2 could not run (no OpenGL, unreadable model).")]
pub(super) struct Args {
    #[arg(required = true, value_name = "MODEL", help = model_formats!())]
    models: Vec<PathBuf>,
    /// Compare two importers instead
    ///
    /// Default: the first two that support the file's extension.
    #[arg(
        long,
        value_name = "A,B",
        require_equals = true,
        num_args = 0..=1,
        default_missing_value = "",
        value_parser = Importers::from_str,
        conflicts_with_all = OF_PATHS
    )]
    importers: Option<Importers>,
    /// Format of the report
    #[arg(long, value_name = "NAME", default_value = "text", value_parser = formats(&ON_STDOUT))]
    format: Format,
    /// Write images of each disagreement to this folder
    ///
    /// Three images: expected (CPU), actual (OpenGL) and their difference.
    #[arg(long, value_name = "DIR")]
    artifacts: Option<PathBuf>,
    #[command(flatten)]
    file: FileArgs,
    #[command(flatten)]
    pose: TakeArgs,
    /// Blend matrices (linear) or rigid motions (dual-quaternion); auto uses the method an FBX file asks for, and
    /// linear for all other formats
    #[arg(long, value_enum, value_name = "METHOD", default_value_t = Method::Auto, help_heading = "Skinning", hide_short_help = true)]
    skinning: Method,
    #[command(flatten)]
    pub(super) driver: DriverArgs,
}

/// Options that do not apply to a comparison of importers.
const OF_PATHS: [&str; 8] = [
    "importer",
    "clip",
    "all_clips",
    "times",
    "pose",
    "skinning",
    "gl",
    "artifacts",
];

impl Args {
    /// The models to compare.
    pub(super) fn models(&self) -> &[PathBuf] {
        &self.models
    }
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<Outcome> {
    let Some(wanted) = &args.importers else {
        return Ok(Outcome::of_check(run::run(args, console)));
    };
    refuse_pairs(&args.models)?;
    importers::crosscheck(&args.models, wanted, &args.file, args.format, console)
}

/// Refuses a missing file that looks like a value of `--importers`, whose value must follow `=`.
fn refuse_pairs(models: &[PathBuf]) -> anyhow::Result<()> {
    let missing = models.iter().filter(|path| !path.exists());
    for text in missing.filter_map(|path| path.to_str()) {
        let is_pair = text.contains(',') && Importers::from_str(text).is_ok();
        ensure!(
            !is_pair,
            "{text}: no such file; to name two importers, write --importers={text}"
        );
    }
    Ok(())
}

/// Which poses.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Pose")]
struct TakeArgs {
    /// Clip to compare, by name or index
    #[arg(long, value_name = "NAME|INDEX")]
    clip: Option<String>,
    /// Compare every clip
    #[arg(long, conflicts_with = "clip")]
    all_clips: bool,
    /// Sample times of each clip: a number of times, its keys, or seconds such as 0,0.5,1.2s
    ///
    /// N times are spread evenly from start to end; keys are its key times, at most 200.
    #[arg(long, value_name = "N|keys|LIST", default_value = "7", value_parser = Times::from_str)]
    times: Times,
    /// Pose without a clip: the file's rest pose, the bind pose, or a TOML or JSON file of joints
    #[arg(long, value_name = "rest|bind|FILE", conflicts_with_all = ["clip", "all_clips"])]
    pose: Option<PathBuf>,
}
