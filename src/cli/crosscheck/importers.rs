//! `skincheck crosscheck --importers`: two importers on the same files.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::ensure;

use super::Args;
use super::run::Output;
use crate::cli::output::Target;
use crate::cli::program;
use crate::cli::report::Console;
use crate::crosscheck::importers::{self, ImporterReport};
use crate::import::{self, Options};
use crate::report::importers::Compared;
use crate::report::{Format, importers as report};
use crate::shown;

/// Two importers by name; `None` to choose them by the file's format.
#[derive(Debug, Clone)]
pub(super) struct Pair(Option<[&'static str; 2]>);

impl FromStr for Pair {
    type Err = PairError;

    fn from_str(text: &str) -> Result<Self, PairError> {
        match text.split(',').collect::<Vec<_>>().as_slice() {
            [""] => Ok(Self(None)),
            [a, b] if a == b => Err(PairError::Same),
            [a, b] => Ok(Self(Some([known(a)?, known(b)?]))),
            _ => Err(PairError::Count),
        }
    }
}

fn known(wanted: &str) -> Result<&'static str, PairError> {
    let mut names = names();
    let found = names.find(|name| *name == wanted);
    found.ok_or_else(|| PairError::Unknown {
        wanted: wanted.to_owned(),
    })
}

fn names() -> impl Iterator<Item = &'static str> {
    import::IMPORTERS.iter().map(|importer| importer.name())
}

/// The reason why a text does not name two importers.
#[derive(Debug, thiserror::Error)]
pub(super) enum PairError {
    #[error("expected two importers, such as fbx,assimp")]
    Count,
    #[error("expected two different importers")]
    Same,
    #[error("no importer is named {wanted:?}; expected one of {}", names().collect::<Vec<_>>().join(", "))]
    Unknown { wanted: String },
}

/// Compares the importers on all models. Returns whether they agree.
pub(super) fn run(args: &Args, wanted: &Pair, console: Console) -> anyhow::Result<bool> {
    refuse_pairs(&args.models)?;
    let options = Options {
        isolation: program::isolation(),
        limits: args.read.file.limits()?,
        images: false,
        ..Options::default()
    };
    let mut out = Output::new(args.format());
    for path in &args.models {
        let model = shown::unicode(path);
        let spinner = console.spinner(&format!("comparing {model}"));
        let report = compare(path, wanted, &options);
        spinner.finish_and_clear();
        let compared = report.map(|report| Compared { model, report });
        out.add(path, compared, report::of_model)?;
    }
    if args.format() != Format::Text {
        let text = report::write(&out.compared, &out.errors, args.format());
        Target::Stdout.write(text.as_bytes())?;
    }
    out.agrees(|compared| compared.report.agrees())
}

/// Refuses a missing file that looks like a value of `--importers`, whose value must follow `=`.
fn refuse_pairs(models: &[PathBuf]) -> anyhow::Result<()> {
    let missing = models.iter().filter(|path| !path.exists());
    for text in missing.filter_map(|path| path.to_str()) {
        let is_pair = text.contains(',') && Pair::from_str(text).is_ok();
        ensure!(
            !is_pair,
            "{text}: no such file; to name two importers, write --importers={text}"
        );
    }
    Ok(())
}

fn compare(path: &Path, wanted: &Pair, options: &Options) -> anyhow::Result<ImporterReport> {
    let pair = wanted.0.map_or_else(|| importers::choose(path), Ok)?;
    Ok(importers::compare_file(path, pair, options)?)
}
