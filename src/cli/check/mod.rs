//! `skincheck check`: the rules on models.

mod choice;
mod close_ups;
mod output;
mod patches;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::ensure;
use clap::builder::{
    FalseyValueParser, OsStringValueParser, PossibleValuesParser, TypedValueParser,
};
use clap::{Args as ClapArgs, ValueHint};

use super::load::{FileArgs, below_config, config_choice};
use super::moving::PAGE_IN_CI;
use super::number::{self, choices};
use super::output::{Target, ensure_distinct};
use super::part::ChangeArgs;
use super::part::ShardArgs;
use super::program;
use super::report::{Console, Outcome};
use super::report_target::{ReportTarget, formats, remove_earlier_pages};
use super::supervise;
use super::threads;
use crate::check::config::{
    Exclusion, FILE_NAME, Layer, Selector, load_skeleton, preset_names, skeleton_file,
};
use crate::check::{self, Acceptance, ConfigChoice, NewBaseline, Report, Request};
use crate::engines::TargetEngine;
use crate::finding::Level;
use crate::import;
use crate::lint::{RangeOfMotion, SampleTimes};
use crate::report::Format;
use crate::report::check::Moving;
use crate::shown;
use close_ups::CloseUpWriter;

/// Check rigs and animations against the rules
///
/// A file's configuration is the nearest skincheck.toml in its folder or above.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck check hero.glb
  skincheck check
  skincheck check assets --deny-warnings
  skincheck check 'assets/**/*.fbx' --report junit=out.xml --report sarif=out.sarif
  skincheck check assets --engine unity --ignore G,W112
  skincheck check hero.glb --engine unreal:weights=16
  skincheck check takes --preset mocap
  skincheck check generated --preset generated --skeleton mixamo
  skincheck check assets --artifacts pictures --report html=findings.html
  skincheck check assets --write-baseline accepted.json
  skincheck check assets --baseline accepted.json --format github
  skincheck check assets --since origin/main
  git diff -z --name-only HEAD~1 | skincheck check assets --files-from -
  skincheck check assets --shard 3/16 --exit-zero --report json=shard-3.json

Exit codes: 0 clean, 1 errors found (with --deny-warnings: or warnings), 2 could not run (a mistake in the \
configuration, an unreadable file), 130 interrupted, with a report on the files checked so far.")]
pub(super) struct Args {
    /// Models, folders of models, and patterns such as 'assets/**/*.glb'
    ///
    /// Default: the current folder, if it has a skincheck.toml.
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<PathBuf>,
    /// Exclude paths matching this gitignore-style pattern, such as 'wip/'
    ///
    /// Others: '*.obj', '!hero.obj'. May be given several times.
    #[arg(long, value_name = "PATTERN", value_parser = Exclusion::parse, allow_hyphen_values = true)]
    exclude: Vec<Exclusion>,
    /// Apply exclusions also to files named on the command line, for pre-commit
    #[arg(long, hide_short_help = true)]
    force_exclude: bool,
    /// Also check files excluded by .gitignore and .ignore
    #[arg(long, hide_short_help = true)]
    no_ignore: bool,
    /// Number of files checked at once (default: one per processor plus one, at most 9; never more than 256)
    #[arg(
        long,
        value_name = "N",
        value_parser = number::from_one::<NonZeroUsize>,
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    jobs: Option<NonZeroUsize>,
    /// Draw each finding with a location to PNG files in this folder
    ///
    /// Each is drawn at its time and in the bind pose.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    artifacts: Option<PathBuf>,
    /// Use the clips of another file; joints are matched by name
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    animation: Option<PathBuf>,
    #[command(flatten)]
    changes: ChangeArgs,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    reports: ReportArgs,
    #[command(flatten)]
    baseline: BaselineArgs,
    #[command(flatten)]
    scale: ScaleArgs,
    #[command(flatten)]
    file: FileArgs,
}

impl Args {
    /// The files to check; without any, those in the current folder.
    fn files(&self) -> Vec<PathBuf> {
        match self.files.as_slice() {
            [] => vec![".".into()],
            files => files.to_vec(),
        }
    }

    /// Whether it goes on when a model exceeds its budget: with other models, or with a report on that one.
    pub(in crate::cli) fn is_of_many(&self) -> bool {
        let names_one = matches!(self.files.as_slice(), [file] if file.is_file());
        let has_report = !self.reports.reports.is_empty()
            || self.reports.format != Format::Text
            || self.baseline.write_baseline.is_some()
            || self.artifacts.is_some();
        !names_one || has_report
    }

    /// Whether findings are drawn.
    fn draws(&self) -> bool {
        self.artifacts.is_some() || self.reports.has_page()
    }

    pub(in crate::cli) fn reads_stdin(&self) -> bool {
        self.changes.are_on_stdin()
    }

    /// How to read a model.
    ///
    /// * `images` – whether to read textures.
    fn import(&self, images: bool) -> anyhow::Result<import::Options> {
        let mut import = import::Options {
            animation: self.animation.clone(),
            ..self.file.options(images)?
        };
        let rules = &self.rules;
        below_config(&mut import, rules.config.as_deref(), rules.no_config);
        Ok(import)
    }

    fn request(&self) -> anyhow::Result<Request> {
        let changes = self.changes.read()?;
        ensure!(
            !self.files.is_empty() || changes.is_some() || Path::new(FILE_NAME).is_file(),
            "no model is named, and this folder has no {FILE_NAME}; name models or folders, or run skincheck init here"
        );
        Ok(Request {
            files: self.files(),
            changes,
            config: self.rules.config(),
            layer: self.layer()?,
            force_exclude: self.force_exclude,
            no_ignore: self.no_ignore,
            accepted: self.baseline.acceptance(),
            import: self.import(false)?,
            jobs: self.jobs,
            cache: self
                .scale
                .cache()
                .or_else(|| supervise::verdicts(self.draws())),
            shard: self.scale.shard.shard()?,
        })
    }

    /// The rule settings of the command line.
    fn layer(&self) -> anyhow::Result<Layer> {
        let rules = &self.rules;
        let verbose = self.reports.verbose.then_some(Level::Info);
        let skeleton = rules
            .skeleton
            .as_deref()
            .map(|named| load_skeleton(named, Path::new("")));
        Ok(Layer {
            engine: rules.engine.clone(),
            preset: rules.preset.clone(),
            select: (!rules.select.is_empty()).then(|| rules.select.clone()),
            ignore: rules.ignore.clone(),
            level: rules.level.or(verbose),
            exclude: self.exclude.clone(),
            deny_warnings: rules.deny_warnings.then_some(true),
            deny_unchecked: rules.deny_unchecked.then_some(true),
            range_of_motion: rules.range_of_motion,
            moments: rules.moments,
            contract: skeleton.transpose()?,
            ..Layer::default()
        })
    }

    /// The requested output files.
    fn outputs(&self) -> impl Iterator<Item = Target> {
        outputs(&self.reports, &self.baseline)
    }
}

/// The requested output files.
pub(super) fn outputs<'a>(
    reports: &'a ReportArgs,
    baseline: &'a BaselineArgs,
) -> impl Iterator<Item = Target> + use<'a> {
    let reports = reports.reports.iter();
    let baseline = baseline.write_baseline.as_deref();
    let paths = reports.map(|report| report.path.as_path()).chain(baseline);
    paths.map(Target::from)
}

/// Which rules, and how strict they are.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Rules")]
#[expect(clippy::struct_excessive_bools, reason = "one per option")]
struct RuleArgs {
    /// Use this configuration for all files
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// Use no configuration
    #[arg(long, conflicts_with_all = ["config", "prune"], hide_short_help = true)]
    no_config: bool,
    /// Target engine or format, such as unity or unreal:influences=unlimited
    ///
    /// Its limits, its unit and axes, and what it does to weights (W106 to W108). skincheck rules --engines lists engines,
    /// their options and sources.
    #[arg(long, value_name = "NAME[:OPTION=VALUE,…]", conflicts_with = "prune")]
    engine: Option<TargetEngine>,
    /// Levels and limits for a discipline
    ///
    /// The configuration overrides them.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(preset_names()), conflicts_with = "prune")]
    preset: Option<String>,
    /// Skeleton that models must have, such as mixamo
    ///
    /// mixamo, vrm, unreal, unreal4, roblox-r15, or the path of a file such as studio.toml.
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "prune", value_hint = ValueHint::FilePath)]
    skeleton: Option<String>,
    /// Check only these rules: codes, names, family letters or all, such as W,C518
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = Selector::parse)]
    select: Vec<Selector>,
    /// Check all rules except these
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = Selector::parse)]
    ignore: Vec<Selector>,
    /// Minimum level shown and counted (default: hint; with --verbose: info)
    #[arg(long, value_name = "LEVEL", value_parser = choices([("info", Level::Info), ("hint", Level::Hint), ("warning", Level::Warning), ("error", Level::Error)]))]
    level: Option<Level>,
    /// Fail on warnings too
    #[arg(long)]
    deny_warnings: bool,
    /// Fail if a rule could not be checked on a file
    #[arg(long, hide_short_help = true)]
    deny_unchecked: bool,
    /// Exit with 0 whatever is found
    ///
    /// Files that cannot be checked still exit with 2, except in a shard: skincheck merge reports them.
    #[arg(long, hide_short_help = true)]
    exit_zero: bool,
    /// Rotate each joint about its axes to test the skinning: in models without clips (auto), in all, or in none
    #[arg(long, value_name = "WHEN", value_parser = choices([("auto", RangeOfMotion::WithoutClips), ("always", RangeOfMotion::Always), ("never", RangeOfMotion::Never)]), hide_short_help = true)]
    range_of_motion: Option<RangeOfMotion>,
    /// Check clips at a limited number of sample times (auto), or at every key and midpoint, which may take long (all)
    #[arg(long, value_name = "WHICH", value_parser = choices([("auto", SampleTimes::Limited), ("all", SampleTimes::All)]), hide_short_help = true)]
    moments: Option<SampleTimes>,
}

/// What is written, and where.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Report")]
pub(super) struct ReportArgs {
    /// Format of the report on standard output
    #[arg(long, value_name = "NAME", default_value = "text", value_parser = formats(&Format::ALL))]
    format: Format,
    /// Also write a report to a file; may be given several times
    #[arg(long = "report", value_name = "NAME=FILE", value_parser = ReportTarget::parse)]
    pub(in crate::cli) reports: Vec<ReportTarget>,
    /// Also show infos, notes, unchecked rules and configurations
    ///
    /// The notes are those of importers; unchecked rules are listed per file.
    #[arg(long, short)]
    verbose: bool,
    /// Also list what the rules measured, for any model, with the limits
    #[arg(long, hide_short_help = true)]
    measures: bool,
}

/// The findings that are accepted already.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Baseline")]
pub(super) struct BaselineArgs {
    /// Report only findings not in this file, and list resolved ones
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    baseline: Option<PathBuf>,
    /// Accept all current findings and write them to this file
    ///
    /// Its entries for other files and rules stay.
    #[arg(long, value_name = "FILE", conflicts_with = "baseline", value_hint = ValueHint::FilePath)]
    write_baseline: Option<PathBuf>,
    /// Remove resolved findings from the baseline file, using the rules of the configuration
    #[arg(
        long,
        requires = "baseline",
        conflicts_with = "write_baseline",
        hide_short_help = true
    )]
    pub(super) prune: bool,
}

/// How a run is kept short.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Scale")]
struct ScaleArgs {
    /// Folder of the cache; unchanged files are not checked again (default: the user's cache folder)
    #[arg(long, value_name = "DIR", env = "SKINCHECK_CACHE", value_parser = folder_or_empty(), value_hint = ValueHint::DirPath, hide_short_help = true)]
    cache: Option<PathBuf>,
    /// Check every file, and cache no verdicts
    #[arg(long, env = "SKINCHECK_NO_CACHE", value_parser = FalseyValueParser::new(), hide_short_help = true)]
    no_cache: bool,
    #[command(flatten)]
    shard: ShardArgs,
}

impl ScaleArgs {
    /// The folder that is named, or the user's if the name is empty.
    fn cache(&self) -> Option<PathBuf> {
        let named = self.cache.as_deref();
        let named = named.filter(|named| !named.as_os_str().is_empty());
        let folder = named.map(Path::to_owned).or_else(check::Cache::user_folder);
        folder.filter(|_| !self.no_cache)
    }
}

/// Accepts an empty name, which a CI service passes for a variable that is not set.
fn folder_or_empty() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

impl RuleArgs {
    fn config(&self) -> ConfigChoice {
        config_choice(self.config.as_deref(), self.no_config)
    }
}

impl BaselineArgs {
    pub(super) fn acceptance(&self) -> Acceptance {
        match (&self.write_baseline, &self.baseline) {
            (Some(path), _) => Acceptance::All(path.clone()),
            (None, Some(path)) => Acceptance::Baseline {
                path: path.clone(),
                prune: self.prune,
            },
            (None, None) => Acceptance::None,
        }
    }

    pub(super) fn write(
        &self,
        new: Option<&NewBaseline>,
        report: &Report,
        console: Console,
    ) -> anyhow::Result<()> {
        if let Some(new) = new {
            Target::File(new.path.clone()).write(new.baseline.to_json().as_bytes())?;
            let (path, count) = (shown::path(&new.path), new.baseline.len());
            let what = if new.pruned { "left" } else { "accepted" };
            console.note(format_args!("{path}: findings {what}: {count}"));
            if !new.pruned && report.summary().unreadable > 0 {
                console.note(
                    "files that cannot be read are never accepted; exclude them in skincheck.toml",
                );
            }
        } else if let Some(path) = &self.write_baseline {
            let path = shown::path(path);
            console.warn(format_args!(
                "{path}: not written, because no model was checked"
            ));
        }
        Ok(())
    }
}

/// Checks the files. If the user interrupts, reports on those checked so far.
pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    remove_earlier_pages(&args.reports.reports)?;
    CloseUpWriter::remove_earlier(args.artifacts.as_deref())?;
    let plan = check::plan(args.request()?)?;
    console.warn_of_links(plan.links());
    let skeleton = args
        .rules
        .skeleton
        .as_deref()
        .and_then(|named| skeleton_file(named, Path::new("")));
    let named = args
        .files
        .iter()
        .map(PathBuf::as_path)
        .chain(args.changes.list())
        .map(Path::to_owned)
        .chain(skeleton);
    let inputs: Vec<PathBuf> = plan.inputs().chain(named).collect();
    let inputs: Vec<Option<&Path>> = inputs.iter().map(|path| Some(path.as_path())).collect();
    ensure_distinct(args.outputs())?;
    for output in args.outputs() {
        output.check(&inputs)?;
    }
    CloseUpWriter::check(args.artifacts.as_deref())?;
    let has_page = args.reports.has_page();
    let jobs = args.jobs.map_or_else(threads::usual, check::threads);
    threads::start(jobs)?;
    let progress = console.weighted(plan.len(), plan.weight(), "checking");
    let mut outcome = check::run_until(
        &plan,
        &|weight| progress.add(weight),
        program::watch_signals(),
    );
    progress.finish();
    for output in args.outputs() {
        output.check_inputs(&outcome.files)?;
    }
    let mut moving = Moving::default();
    if args.draws() {
        let files = outcome.files.iter().map(PathBuf::as_path);
        let protected = inputs.iter().flatten().copied().chain(files);
        let close_ups = CloseUpWriter {
            import: &args.import(true)?,
            folder: args.artifacts.as_deref(),
            inputs: &protected.map(Path::to_owned).collect::<Vec<PathBuf>>(),
            page: has_page.then_some(PAGE_IN_CI),
            console,
        };
        moving = close_ups.write_all(&mut outcome.report)?;
    }
    args.reports
        .add_patches(&mut outcome.report, &args.import(false)?, jobs);
    let report = &outcome.report;
    let is_partial = report.unchecked_files > 0;
    if !is_partial {
        args.baseline
            .write(outcome.baseline.as_ref(), report, console)?;
    }
    args.reports.write(report, &moving, args.baseline.prune)?;
    for idle in &report.idle {
        console.warn(idle);
    }
    if let Some(failure) = &outcome.cache_failure {
        console.warn(format_args!("verdicts are not cached: {failure}"));
    }
    if plan.len() > 1 {
        let seconds = started.elapsed().as_secs_f64();
        let unchanged = match outcome.unchanged {
            0 => String::new(),
            unchanged => format!(", {unchanged} unchanged"),
        };
        console.note(format_args!("checked in {seconds:.1} s{unchanged}"));
    }
    if is_partial {
        return Ok(Outcome::Interrupted);
    }
    if args.scale.shard.is_given() && args.rules.exit_zero {
        // The merged report decides.
        return Ok(Outcome::Done);
    }
    let prune = args.baseline.prune;
    let passes = args.reports.conclude(report, prune, console);
    Ok(Outcome::of_check(
        passes.map(|passes| passes || args.rules.exit_zero),
    ))
}
