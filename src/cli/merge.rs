//! `skincheck merge`: one report from the shards of a run.

use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, ValueHint};

use super::check::{BaselineArgs, ReportArgs, outputs};
use super::output::ensure_distinct;
use super::report::Console;
use super::report_target::remove_earlier_pages;
use crate::report::check::{Moving, merge};

/// Make one report from the shards of a check
///
/// Reads the JSON reports that check --shard wrote. Missing or duplicate shards are errors, as are shards of different runs.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck merge shard-*.json
  skincheck merge shard-*.json --format sarif --baseline accepted.json

Exit codes: as for check; 2 also if the shards do not form one run.")]
pub(super) struct Args {
    /// The JSON report of each shard
    #[arg(required = true, value_name = "REPORT", value_hint = ValueHint::FilePath)]
    shards: Vec<PathBuf>,
    #[command(flatten)]
    reports: ReportArgs,
    #[command(flatten)]
    baseline: BaselineArgs,
}

/// Whether nothing was found that makes the check fail.
pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<bool> {
    remove_earlier_pages(&args.reports.reports)?;
    let inputs: Vec<Option<&Path>> = args
        .shards
        .iter()
        .map(|path| Some(path.as_path()))
        .collect();
    ensure_distinct(outputs(&args.reports, &args.baseline))?;
    for output in outputs(&args.reports, &args.baseline) {
        output.check(&inputs)?;
    }
    let mut report = merge(&args.shards)?;
    let baseline = args.baseline.acceptance().apply(&mut report)?;
    args.baseline.write(baseline.as_ref(), &report, console)?;
    let prune = args.baseline.prune;
    args.reports.write(&report, &Moving::default(), prune)?;
    args.reports.conclude(&report, prune, console)
}
