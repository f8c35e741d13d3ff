//! `skincheck accept`: approves what models look like now.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use skincheck::check::config::ModelPattern;
use skincheck::golden::{self, Approval, Report, Request};
use skincheck::shown;

use super::load::FileArgs;
use super::report::Console;
use super::test::{examine, limits, refuse_failures};

/// Approve the poses and pictures of models as they are now
///
/// Unchanged approvals are not rewritten. skincheck test lists the changes, and its --report DIR shows them.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck accept
  skincheck accept characters/hero.glb
  skincheck accept 'characters/*.glb' --clip 'Walk*'
  skincheck accept --prune

Exit codes: 0 done, 2 could not run (a model cannot be read, a folder cannot be written).")]
pub(super) struct Args {
    /// Only these models: paths or patterns relative to the configuration, such as hero.glb or 'characters/*'
    #[arg(value_name = "FILTER")]
    models: Vec<ModelPattern>,
    /// Only clips with this name, where * stands for any characters; may be given several times
    #[arg(long, value_name = "NAME")]
    clip: Vec<String>,
    /// Remove approvals that are no longer tested
    #[arg(long, conflicts_with_all = ["models", "clip"])]
    prune: bool,
    /// Configuration (default: the nearest skincheck.toml in this folder or above)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
    #[command(flatten)]
    file: FileArgs,
}

pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<()> {
    let plan = golden::plan(&Request {
        config: args.config.clone(),
        models: args.models.clone(),
        shard: None,
    })?;
    let limits = limits(&args.file)?;
    let approval = Approval {
        clips: args.clip.clone(),
        only_new: false,
        prune: args.prune,
    };
    let done = examine(&plan, &limits, console, |case, examined| {
        let files = golden::accept(case, &examined, &approval)?;
        Ok((examined, files))
    })?;
    let (mut examined, mut approved) = (Vec::new(), 0);
    for (one, files) in done {
        let path = shown::path(&one.report.path);
        if !files.is_empty() {
            approved += 1;
            console.note(format_args!(
                "approved {path}: files written or removed: {}",
                files.len()
            ));
        }
        if let Some(failure) = &one.report.failure {
            Console::error(&anyhow::anyhow!("{path}: {failure}"));
        }
        examined.push(one);
    }
    if args.prune {
        let removed = golden::remove(&golden::orphans(&plan, &examined)?)?;
        for path in &removed {
            console.note(format_args!("removed {}", shown::path(path)));
        }
    }
    if approved == 0 {
        console.note("nothing to approve");
    }
    let mut report = Report::default();
    report.models = examined.into_iter().map(|one| one.report).collect();
    refuse_failures(&report)
}
