//! `skincheck fix`: writes a repaired copy, with proof.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::iter;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::builder::TypedValueParser;
use clap::{Args as ClapArgs, ValueHint};

use super::load::{FileArgs, below_config, config_choice, file_name};
use super::number::{self, choices};
use super::output::{Target, print};
use super::program;
use super::report::Console;
use crate::check::config::{Layer, Resolved};
use crate::engines::TargetEngine;
use crate::finding::Code;
use crate::fix::{self, FixError, Options, REPAIRS};
use crate::import;
use crate::lint::Settings;
use crate::report::fix::Fix;
use crate::shown;
use crate::work::{Stage, Work};

/// Write a repaired copy of a glTF model, with proof that nothing else moved
///
/// The copy is read back, checked and compared with the model before anything is written. Repairs that do not remove what a rule found,
/// move anything else, or make another rule find something are undone and reported.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  skincheck fix hero.glb -o hero.fixed.glb
  skincheck fix hero.glb --dry-run
  skincheck fix hero.glb -o hero.fixed.glb --only W103,W109
  skincheck fix hero.glb -o hero.fixed.glb --engine unreal
  skincheck fix hero.glb -o hero.fixed.glb --json | jq .moved

Exit codes: 0 repaired, or nothing to repair; 1 nothing could be repaired; 2 could not run (bad arguments, unreadable model, no glTF); 130 interrupted.")]
pub(super) struct Args {
    /// A glTF model: .gltf, .glb or .vrm
    #[arg(value_hint = ValueHint::FilePath)]
    model: PathBuf,
    /// The copy, a file of the same kind
    ///
    /// In another folder than the model's, the files that the model names are copied next to it.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Repair only what these rules find, such as W103,W109
    ///
    /// Some are repaired only if they are named: C513, C521, C528, D602, G804, G818, W106 (also with an engine), W112 and W114.
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = codes(), hide_possible_values = true)]
    only: Vec<Code>,
    /// Use this configuration (default: the nearest skincheck.toml in the model's folder or above)
    ///
    /// What it switches off is not repaired, unless --only names it.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// Use no configuration
    #[arg(long, conflicts_with = "config", hide_short_help = true)]
    no_config: bool,
    /// The engine that the copy is for, such as unreal: its largest number of influences is kept
    ///
    /// It overrides that of the configuration.
    /// skincheck rules --engines lists engines and options.
    #[arg(long, value_name = "NAME[:OPTION=VALUE,…]")]
    engine: Option<TargetEngine>,
    /// The most vertices of a mesh that may follow other joints (D602, W114; default: 1 % of the mesh)
    #[arg(long, value_name = "N", value_parser = number::from_one::<NonZeroUsize>, allow_negative_numbers = true)]
    most: Option<NonZeroUsize>,
    /// Prove the repairs, but write nothing
    #[arg(long, conflicts_with = "output")]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    file: FileArgs,
}

/// `hero.fixed.glb` for `hero.glb`.
fn suggested(model: &Path) -> String {
    let end = model.extension().unwrap_or(OsStr::new("glb"));
    let name = model.with_extension(Path::new("fixed").with_extension(end));
    shown::shell_word(&shown::unicode(&name))
}

impl Args {
    /// What the rules judge by: the configuration, and the engine of the command line.
    fn settings(&self) -> anyhow::Result<Settings> {
        let config = config_choice(self.config.as_deref(), self.no_config).of(&self.model)?;
        let layer = Layer {
            engine: self.engine.clone(),
            ..Layer::default()
        };
        let layers = config.iter().flat_map(|config| config.layers(&self.model));
        Ok(Resolved::of(layers.chain([&layer])).settings)
    }

    /// How the model is read, which may name files below the folder of the configuration.
    fn import(&self) -> anyhow::Result<import::Options> {
        let mut import = self.file.options(true)?;
        below_config(&mut import, self.config.as_deref(), self.no_config);
        Ok(import)
    }
}

fn codes() -> impl TypedValueParser<Value = Code> {
    choices(REPAIRS.iter().map(|repair| (repair.code.0, repair.code)))
}

/// Returns whether something was repaired, or nothing had to be.
pub(super) fn run(args: &Args, console: Console) -> anyhow::Result<bool> {
    let shown = shown::path(&args.model);
    ensure!(
        args.output.is_some() || args.dry_run,
        "name the copy with -o {}, or see what would be repaired with --dry-run",
        suggested(&args.model)
    );
    let target = args.output.as_deref().map(Target::from);
    if let Some(target) = &target {
        ensure!(
            target.path().is_some(),
            "a copy cannot be written to standard output; name a file with -o"
        );
        target.check(&[Some(&args.model)])?;
        let extension = args.model.extension().unwrap_or_default();
        let extension = extension.to_string_lossy();
        // Another format is refused when it is read.
        if ["gltf", "glb", "vrm"].contains(&&*extension.to_ascii_lowercase()) {
            target.check_extension(&[&extension], "a copy is of the same kind as the model")?;
        }
    }
    program::abandon_at_signals();
    let budget = args.file.budget(iter::once(args.model.as_path()))?;
    let work = Work::on(&args.model, Stage::Main, budget).with_context(|| shown.clone())?;
    let options = Options {
        only: args.only.iter().copied().collect::<BTreeSet<Code>>(),
        settings: args.settings()?,
        most: args.most.map(NonZeroUsize::get),
        import: args.import()?,
        deadline: work.deadline(),
    };
    work.part("repairing");
    let spinner = console.spinner(&format!("repairing {shown}"));
    let fixed = fix::fix(&args.model, &options);
    spinner.finish_and_clear();
    let fixed = match fixed {
        // It names the model.
        Err(FixError::Import(error)) => return Err(error.into()),
        other => other.with_context(|| shown.clone())?,
    };
    if let Some(path) = &args.output {
        Target::from(path.as_path()).check_inputs(&fixed.named)?;
        fixed.write(path, &args.model)?;
    }
    let written = args.output.as_deref().filter(|_| fixed.file.is_some());
    let report = Fix::new(file_name(&args.model), written, &fixed.proof);
    if args.json {
        Target::Stdout.write(report.to_json().as_bytes())?;
    } else {
        print(&report.to_text())?;
    }
    Ok(fixed.file.is_some() || fixed.proof.undone.is_empty())
}
