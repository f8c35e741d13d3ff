//! `skincheck crosscheck --importers`: two importers on the same files.

mod json;
mod text;

use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::Args as ClapArgs;
use skincheck::crosscheck::importers::{self, ImporterReport};
use skincheck::import::{self, Options};

use super::super::load::LimitArgs;
use super::super::output::Target;
use super::super::report::{Console, Outcome};

/// Which files, and which importers.
#[derive(Debug, ClapArgs)]
pub(super) struct ImporterArgs {
    /// Compare two importers stage by stage (default: the first two that take the file's extension)
    #[arg(
        long,
        value_name = "A,B",
        require_equals = true,
        num_args = 0..=1,
        default_missing_value = "",
        value_parser = pair
    )]
    importers: Option<Pair>,
    /// The models
    #[arg(value_name = "MODEL", required = true)]
    models: Vec<PathBuf>,
    /// For machines
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Two names of importers; `None` for those that suit the file.
#[derive(Debug, Clone)]
struct Pair(Option<[&'static str; 2]>);

fn pair(text: &str) -> Result<Pair, String> {
    if text.is_empty() {
        return Ok(Pair(None));
    }
    let known = || import::IMPORTERS.iter().map(|importer| importer.name());
    let name = |wanted: &str| {
        let found = known().find(|name| *name == wanted);
        found.ok_or_else(|| {
            let known: Vec<&str> = known().collect();
            format!(
                "no importer is called {wanted:?}; known are {}",
                known.join(", ")
            )
        })
    };
    match text.split(',').collect::<Vec<_>>().as_slice() {
        [a, b] if a == b => Err("expected two different importers".to_owned()),
        [a, b] => Ok(Pair(Some([name(a)?, name(b)?]))),
        _ => Err("expected two names of importers, such as fbx,assimp".to_owned()),
    }
}

/// A file and what came of it.
struct Compared<'a> {
    path: &'a Path,
    report: ImporterReport,
}

pub(super) fn run(args: &ImporterArgs, console: Console) -> anyhow::Result<Outcome> {
    let wanted = &args.importers;
    ensure!(wanted.is_some(), "say what to compare: --importers");
    let options = Options {
        limits: args.limits.resolve()?,
        images: false,
        ..Options::default()
    };
    let wanted = wanted.as_ref().and_then(|pair| pair.0);
    let mut compared = Vec::new();
    let mut failure = None;
    for path in &args.models {
        let spinner = console.spinner(format!("comparing {}", path.display()));
        let report = compare(path, wanted, &options);
        spinner.finish_and_clear();
        match report {
            Ok(report) => compared.push(Compared { path, report }),
            Err(error) => {
                if let Some(earlier) = failure.replace(error) {
                    console.error(&earlier);
                }
            }
        }
    }
    print(args, &compared)?;
    let agree = compared.iter().all(|compared| compared.report.agrees());
    Ok(match failure {
        Some(error) => Outcome::Failed(error),
        None if agree => Outcome::Done,
        None => Outcome::Differs,
    })
}

fn compare(
    path: &Path,
    wanted: Option<[&'static str; 2]>,
    options: &Options,
) -> anyhow::Result<ImporterReport> {
    let pair = wanted.map_or_else(|| importers::choose(path), Ok)?;
    Ok(importers::compare_file(path, pair, options)?)
}

fn print(args: &ImporterArgs, compared: &[Compared<'_>]) -> anyhow::Result<()> {
    let report = if args.json {
        let mut json = serde_json::to_string_pretty(&json::Document::of(compared))?;
        json.push('\n');
        json
    } else {
        text::write(compared)
    };
    Target::Stdout.write(report.as_bytes())
}
