//! `skincheck test`: compares models with their approvals.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::{Args as ClapArgs, ValueHint};

use super::load::FileArgs;
use super::moving::{FRAME, PAGE_IN_CI};
use super::output::ensure_distinct;
use super::part::ChangeArgs;
use super::part::ShardArgs;
use super::report::Console;
use super::report_target::{ON_STDOUT, ReportTarget, formats, remove_earlier_pages, write_all};
use super::threads;
use crate::golden::{self, Case, Examined, Limits, ModelPattern, Plan, Report, Request};
use crate::paths::real;
use crate::report::Format;
use crate::shown;
use crate::work;

/// Compare models with their approved poses and images
///
/// skincheck.toml lists the models in [[test]] tables; skincheck accept approves them.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
A minimal skincheck.toml:
  [[test]]
  model = \"characters/*.glb\"

Examples:
  skincheck test
  skincheck test --report html=review.html
  skincheck test characters/hero.glb
  skincheck test --since origin/main
  skincheck test --config assets/skincheck.toml --report junit=test.xml

Exit codes: 0 all as approved, 1 something has changed (or, if the variable CI is set, is not approved or no longer \
tested), 2 could not run (a mistake in the configuration, an unreadable model or approval).")]
pub(super) struct Args {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Pass in CI even if approved models, clips or images are no longer tested
    #[arg(long)]
    allow_orphans: bool,
    /// Format of the report
    #[arg(long, value_name = "NAME", default_value = "text", value_parser = formats(&ON_STDOUT), help_heading = "Report")]
    format: Format,
    /// Also write a page to review and approve changes (html=out.html), or a report such as junit=out.xml; may be given several
    /// times
    #[arg(long = "report", value_name = "NAME=FILE", value_parser = ReportTarget::parse, help_heading = "Report")]
    reports: Vec<ReportTarget>,
    #[command(flatten)]
    changes: ChangeArgs,
    #[command(flatten)]
    shard: ShardArgs,
    #[command(flatten)]
    file: FileArgs,
}

/// The models to test or to approve.
#[derive(Debug, ClapArgs)]
pub(super) struct ChosenArgs {
    /// Only these models: paths of models or folders, or patterns such as 'characters/*'
    ///
    /// Patterns are relative to the configuration.
    #[arg(value_name = "MODEL", value_hint = ValueHint::AnyPath)]
    pub(super) models: Vec<ModelPattern>,
    /// Configuration (default: the nearest skincheck.toml)
    ///
    /// It is searched in the folder of MODEL and above, or in this folder and above.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
}

impl Args {
    pub(super) fn reads_stdin(&self) -> bool {
        self.changes.are_on_stdin()
    }
}

/// Returns whether nothing has changed, and nothing is unapproved if that matters.
pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<bool> {
    remove_earlier_pages(&args.reports)?;
    let plan = golden::plan(&Request {
        config: args.chosen.config.clone(),
        models: args.chosen.models.clone(),
        changes: args.changes.read()?,
        shard: args.shard.shard()?,
        timeout: Some(args.file.search_time()?),
    })?;
    console.warn_of_links(&plan.links);
    let models = plan.cases.iter().map(|case| Some(case.path.as_path()));
    let inputs: Vec<Option<&Path>> = models
        .chain([Some(plan.config.as_path()), args.changes.list()])
        .collect();
    ensure_distinct(args.reports.iter().map(ReportTarget::target))?;
    for target in &args.reports {
        target.target().check(&inputs)?;
    }
    let mut limits = limits(&args.file, &plan.config)?;
    let room = (PAGE_IN_CI - FRAME) / plan.cases.len().max(1);
    limits.page = Some(room).filter(|_| args.reports.iter().any(ReportTarget::is_page));
    let examined = examine(&plan, &limits, console, |_, examined| Ok(examined))?;
    let orphans = golden::orphans(&plan, &examined)?;
    let mut report = Report::default();
    report.config.clone_from(&plan.config);
    report.unaffected = plan.cases.len() - examined.len();
    report.must_be_approved = is_ci();
    report.must_be_tested = is_ci() && !args.allow_orphans;
    report.models = examined.into_iter().map(|one| one.report).collect();
    report.orphans = orphans;
    let command = accept_command(args.chosen.config.as_deref());
    let write = |format, view| crate::report::golden::write(&report, format, view, &command);
    write_all(args.format, &args.reports, write, console)?;
    refuse_failures(&report)?;
    Ok(report.passes())
}

/// Fails if a model could not be tested.
pub(super) fn refuse_failures(report: &Report) -> anyhow::Result<()> {
    let failed = report.summary().failed;
    ensure!(
        failed == 0,
        "{failed} of {} models could not be tested",
        report.models.len()
    );
    Ok(())
}

/// Examines all models, several at once. The results are in order, without those of models that no change affects.
///
/// * `then` – called for each.
pub(super) fn examine<T: Send>(
    plan: &Plan,
    limits: &Limits,
    console: Console,
    then: impl Fn(&Case, Examined) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    let progress = console.progress(plan.cases.len(), "testing");
    let examined = work::each(&plan.cases, threads::usual(), |case| {
        let examined = golden::examine(case, limits);
        let done = examined.map(|examined| then(case, examined));
        progress.inc(1);
        done.transpose().with_context(|| shown::path(&case.path))
    });
    let examined: anyhow::Result<Vec<Option<T>>> = examined.into_iter().collect();
    progress.finish_and_clear();
    Ok(examined?.into_iter().flatten().collect())
}

/// * `config` – the configuration, whose folder is read from.
pub(super) fn limits(file: &FileArgs, config: &Path) -> anyhow::Result<Limits> {
    let mut import = file.options(true)?;
    let folder = real(config).parent().map(Path::to_owned);
    import.read_from.extend(folder);
    Ok(Limits { import, page: None })
}

/// The start of the command that approves.
fn accept_command(config: Option<&Path>) -> String {
    let named = config.map(|path| {
        crate::report::golden::accept_line("skincheck accept --config", &shown::path(path))
    });
    named.unwrap_or_else(|| "skincheck accept".to_owned())
}

/// Whether this runs in CI, which sets this variable.
fn is_ci() -> bool {
    let set = std::env::var_os("CI");
    set.is_some_and(|value| !value.is_empty() && value != "0" && value != "false")
}
