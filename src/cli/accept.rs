//! `skincheck accept`: approves what models look like now.

use std::iter;

use clap::Args as ClapArgs;

use super::load::FileArgs;
use super::report::Console;
use super::test::{ChosenArgs, examine, limits, refuse_failures};
use crate::golden::{self, Report, Request};
use crate::shown;
use crate::units::amount;
use crate::work::{Stage, Work};

/// Approve the current poses and images of models
///
/// Unchanged approvals are not rewritten. skincheck test lists the changes, and its --report html=FILE shows them.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck accept
  skincheck accept characters/hero.glb
  skincheck accept 'characters/*.glb'
  skincheck accept --new
  skincheck accept --prune

Exit codes: 0 done, 2 could not run (a model cannot be read, a folder cannot be written).")]
pub(super) struct Args {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Only what has no approval yet, and nothing of a model that has changed
    #[arg(long)]
    new: bool,
    /// Remove approvals no longer tested, and approve nothing
    #[arg(long, conflicts_with_all = ["models", "new"])]
    prune: bool,
    #[command(flatten)]
    file: FileArgs,
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
    let plan = golden::plan(&Request {
        config: args.chosen.config.clone(),
        models: args.chosen.models.clone(),
        changes: None,
        shard: None,
        timeout: Some(args.file.search_time()?),
    })?;
    console.warn_of_links(&plan.links);
    let limits = limits(&args.file, &plan.config)?;
    let done = examine(&plan, &limits, console, |case, examined| {
        let files = if args.prune {
            Vec::new()
        } else {
            let budget = args.file.budget(iter::once(case.path.as_path()))?;
            let work = Work::on(&case.path, Stage::Images, budget)?;
            work.part("approving");
            golden::accept(case, &examined, args.new)?
        };
        Ok((examined, files))
    })?;
    let (mut examined, mut approved) = (Vec::new(), 0);
    for (one, files) in done {
        let path = shown::path(&one.report.path);
        if !files.is_empty() {
            approved += 1;
            let files = amount(files.len(), "file");
            console.note(format_args!("approved {path}: {files} changed"));
        }
        if let Some(failure) = &one.report.failure {
            Console::error(&anyhow::anyhow!("{path}: {failure}"));
        }
        examined.push(one);
    }
    if args.prune {
        let pruned = golden::prune(&plan, &examined)?;
        for path in &pruned {
            console.note(format_args!(
                "removed from approvals: {}",
                shown::path(path)
            ));
        }
        if pruned.is_empty() {
            console.note("nothing to prune");
        }
    }
    let mut report = Report::default();
    report.models = examined.into_iter().map(|one| one.report).collect();
    if !args.prune && approved == 0 && report.summary().failed == 0 {
        console.note("nothing to approve");
    }
    refuse_failures(&report)
}
