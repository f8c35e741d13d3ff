//! `skincheck check`: the rules on models.

mod output;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, ValueEnum, ValueHint};
use skincheck::backend::Driver;
use skincheck::check::config::{Layer, Selector};
use skincheck::check::{self, Acceptance, ConfigChoice, NewBaseline, Request};
use skincheck::lint::{ClipMoments, Level, PROFILES, RangeOfMotion, find_profile};
use skincheck::shown;

use super::backend::DriverArgs;
use super::load::ReadArgs;
use super::number;
use super::output::Target;
use super::report::Console;
use super::threads;
use output::FileTarget;
pub(super) use output::is_colorful;

/// Check rigs and animations by the rules that skincheck rules lists
///
/// A file's configuration is the nearest skincheck.toml in its folder or above.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck check hero.glb
  skincheck check assets --deny-warnings
  skincheck check 'assets/**/*.fbx' --report junit=out.xml --report sarif=out.sarif
  skincheck check assets --profile unity --ignore G,W112
  skincheck check assets --cross
  skincheck check assets --write-baseline accepted.json
  skincheck check assets --baseline accepted.json --format github

Rules of family X, the cross-checks, read a file with a second importer, and skin and draw it on two paths. They test \
importers and drivers rather than the rig, and take far longer than all others, so they run only with --cross, --select \
or the configuration.

Exit codes: 0 clean, 1 errors were found (with --deny-warnings: or warnings), 2 could not run (a mistake in the \
configuration, a file that cannot be read).")]
pub(super) struct Args {
    /// Models, folders of models, and patterns such as 'assets/**/*.glb'
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<PathBuf>,
    /// Number of files checked at once (default: one per processor plus one, at most 9; never more than 256)
    #[arg(
        long,
        value_name = "N",
        value_parser = number::from_one::<NonZeroUsize>,
        allow_negative_numbers = true
    )]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    reports: ReportArgs,
    #[command(flatten)]
    baseline: BaselineArgs,
    #[command(flatten)]
    driver: DriverArgs,
    #[command(flatten)]
    read: ReadArgs,
}

impl Args {
    /// The OpenGL of the cross-checks.
    pub(super) fn driver(&self) -> Driver {
        self.driver.driver()
    }

    fn request(&self) -> anyhow::Result<Request> {
        Ok(Request {
            files: self.files.clone(),
            config: self.rules.config(),
            layer: self.layer(),
            accepted: self.baseline.acceptance(),
            import: self.read.options(false)?,
            driver: self.driver(),
            jobs: self.jobs,
            timeout: Some(self.read.timeout()?),
        })
    }

    /// What the command line says about the rules.
    fn layer(&self) -> Layer {
        let rules = &self.rules;
        let verbose = self.reports.verbose.then_some(Level::Info);
        Layer {
            profile: rules.profile.as_deref().and_then(find_profile),
            select: (!rules.select.is_empty()).then(|| rules.select.clone()),
            ignore: rules.ignore.clone(),
            cross: rules.cross.then_some(true),
            level: rules.level.map(Level::from).or(verbose),
            deny_warnings: rules.deny_warnings.then_some(true),
            deny_unchecked: rules.deny_unchecked.then_some(true),
            range_of_motion: rules.range_of_motion.map(Into::into),
            moments: rules.moments.map(Into::into),
            ..Layer::default()
        }
    }

    /// The files that are asked for.
    fn outputs(&self) -> impl Iterator<Item = Target> {
        let reports = self.reports.reports.iter();
        let baseline = self.baseline.write_baseline.as_deref();
        let paths = reports.map(|report| report.path.as_path()).chain(baseline);
        paths.map(Target::from)
    }
}

/// Which rules, and how strict they are.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Rules")]
struct RuleArgs {
    /// Use this configuration for all files
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// Use no configuration
    #[arg(long, conflicts_with = "config")]
    no_config: bool,
    /// Engine or format that the models are made for
    #[arg(long, value_name = "NAME", value_parser = profile_names())]
    profile: Option<String>,
    /// Check only these rules: codes, names, family letters or all, separated by commas
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = Selector::parse)]
    select: Vec<Selector>,
    /// Check all rules except these
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = Selector::parse)]
    ignore: Vec<Selector>,
    /// Also cross-check (family X): with a second importer, and skinning and drawing on the CPU and in OpenGL
    #[arg(long)]
    cross: bool,
    /// Lowest level that is shown and counted (default: warning; with --verbose: info)
    #[arg(long, value_name = "LEVEL", value_enum)]
    level: Option<LevelArg>,
    /// Fail on warnings too
    #[arg(long)]
    deny_warnings: bool,
    /// Fail if a rule could not be checked on a file
    #[arg(long)]
    deny_unchecked: bool,
    /// Rotate joints about each axis, to see how the skin follows: in models without clips (auto), in all, or in none
    #[arg(long, value_name = "WHEN", value_enum)]
    range_of_motion: Option<RangeArg>,
    /// Check clips at as many sample times as usually reveal a fault (auto), or at every key and midpoint, however long
    /// that takes (all)
    #[arg(long, value_name = "WHICH", value_enum)]
    moments: Option<MomentsArg>,
}

/// What is written, and where.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Report")]
struct ReportArgs {
    /// Format of the report on standard output
    #[arg(long, value_name = "NAME", default_value = "text", value_parser = output::format_names())]
    format: String,
    /// Also write a report to a file; may be given several times
    #[arg(long = "report", value_name = "NAME=FILE", value_parser = FileTarget::parse)]
    reports: Vec<FileTarget>,
    /// Also show infos, importers' notes, what could not be checked in each file, and the configurations in use
    #[arg(long, short)]
    verbose: bool,
}

/// What is accepted already.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Baseline")]
struct BaselineArgs {
    /// Report only what is not in this baseline, and what of it is gone
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    baseline: Option<PathBuf>,
    /// Accept all current findings, and write them to this file
    #[arg(long, value_name = "FILE", conflicts_with = "baseline", value_hint = ValueHint::FilePath)]
    write_baseline: Option<PathBuf>,
    /// Take out of the baseline what is gone
    #[arg(long, requires = "baseline", conflicts_with = "write_baseline")]
    prune: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LevelArg {
    Info,
    Warning,
    Error,
}

impl From<LevelArg> for Level {
    fn from(level: LevelArg) -> Self {
        match level {
            LevelArg::Info => Self::Info,
            LevelArg::Warning => Self::Warning,
            LevelArg::Error => Self::Error,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RangeArg {
    Auto,
    Always,
    Never,
}

impl From<RangeArg> for RangeOfMotion {
    fn from(range: RangeArg) -> Self {
        match range {
            RangeArg::Auto => Self::WithoutClips,
            RangeArg::Always => Self::Always,
            RangeArg::Never => Self::Never,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MomentsArg {
    Auto,
    All,
}

impl From<MomentsArg> for ClipMoments {
    fn from(moments: MomentsArg) -> Self {
        match moments {
            MomentsArg::Auto => Self::Limited,
            MomentsArg::All => Self::All,
        }
    }
}

fn profile_names() -> PossibleValuesParser {
    PossibleValuesParser::new(PROFILES.iter().map(|profile| profile.name))
}

impl RuleArgs {
    fn config(&self) -> ConfigChoice {
        match &self.config {
            Some(path) => ConfigChoice::File(path.clone()),
            None if self.no_config => ConfigChoice::None,
            None => ConfigChoice::Nearest,
        }
    }
}

impl BaselineArgs {
    fn acceptance(&self) -> Acceptance {
        match (&self.write_baseline, &self.baseline) {
            (Some(path), _) => Acceptance::All(path.clone()),
            (None, Some(path)) => Acceptance::Baseline {
                path: path.clone(),
                prune: self.prune,
            },
            (None, None) => Acceptance::None,
        }
    }

    fn write(&self, new: Option<&NewBaseline>, console: Console) -> anyhow::Result<()> {
        if let Some(new) = new {
            Target::File(new.path.clone()).write(new.baseline.to_json().as_bytes())?;
            let (path, count) = (shown::path(&new.path), new.baseline.len());
            let what = if new.pruned { "left" } else { "accepted" };
            console.note(format_args!("{path}: findings {what}: {count}"));
        } else if let Some(path) = &self.write_baseline {
            let path = shown::path(path);
            console.warn(format_args!(
                "{path}: not written, for no file could be checked"
            ));
        }
        Ok(())
    }
}

/// Whether nothing was found that makes the check fail.
pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<bool> {
    let plan = check::plan(args.request()?)?;
    let named = args.files.iter().map(PathBuf::as_path);
    let inputs: Vec<Option<&Path>> = plan.inputs().chain(named).map(Some).collect();
    for output in args.outputs() {
        output.check(&inputs)?;
    }
    threads::start(args.jobs.map_or_else(threads::usual, check::threads))?;
    let progress = console.progress(plan.len(), "checking");
    let outcome = check::run(&plan, &|| progress.inc(1));
    progress.finish_and_clear();
    for output in args.outputs() {
        output.check_inputs(&outcome.files)?;
    }
    args.baseline.write(outcome.baseline.as_ref(), console)?;
    let report = &outcome.report;
    args.reports.write(report, args.baseline.prune)?;
    args.reports
        .tell_what_is_gone(report, args.baseline.prune, console);
    for idle in &outcome.idle {
        console.warn(idle);
    }
    let summary = report.summary();
    anyhow::ensure!(
        summary.unreadable == 0,
        "{} of {} models could not be checked",
        summary.unreadable,
        summary.files
    );
    let mut empty = report.files.iter().filter(|file| file.has_no_models);
    if let Some(file) = empty.next() {
        anyhow::bail!("no models found in {}", shown::path(&file.path));
    }
    Ok(report.passes())
}
