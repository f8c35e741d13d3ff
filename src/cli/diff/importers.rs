//! `skincheck diff FILE --importers`, and `crosscheck --importers`: one file, read by two importers.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, anyhow, bail};

use super::{Args, Models, compare, work_on};
use crate::cli::load::FileArgs;
use crate::cli::output::ensure_distinct;
use crate::cli::report::{Console, Outcome};
use crate::cli::report_target::{ReportTarget, write_all};
use crate::diff::{DiffError, Kind, Options, Source};
use crate::import::{self, ImportError, Importer};
use crate::report::Format;
use crate::report::diff::{Comparison, PageImages, Pair};
use crate::rig::Asset;
use crate::shown;

/// Two importers by name; `None` to choose them by the file's format.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Importers(Option<[&'static str; 2]>);

impl FromStr for Importers {
    type Err = ImportersError;

    fn from_str(text: &str) -> Result<Self, ImportersError> {
        match text.split(',').collect::<Vec<_>>().as_slice() {
            [""] => Ok(Self(None)),
            [a, b] if a == b => Err(ImportersError::Same),
            [a, b] => Ok(Self(Some([known(a)?, known(b)?]))),
            _ => Err(ImportersError::Count),
        }
    }
}

fn known(wanted: &str) -> Result<&'static str, ImportersError> {
    let mut names = names();
    let found = names.find(|name| *name == wanted);
    found.ok_or_else(|| ImportersError::Unknown {
        wanted: wanted.to_owned(),
    })
}

fn names() -> impl Iterator<Item = &'static str> {
    import::IMPORTERS.iter().map(|importer| importer.name())
}

/// The reason why a text does not name two importers.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum ImportersError {
    #[error("expected two importers, such as fbx,assimp")]
    Count,
    #[error("expected two different importers")]
    Same,
    #[error("no importer is named {wanted:?}; expected one of {}", names().collect::<Vec<_>>().join(", "))]
    Unknown { wanted: String },
}

impl Importers {
    /// These, or the first two that support the file at `path`, by its name.
    fn of(&self, path: &Path) -> anyhow::Result<[&'static str; 2]> {
        if let Some(pair) = self.0 {
            return Ok(pair);
        }
        let known: Vec<&str> = import::importers_for(path).map(Importer::name).collect();
        match known.as_slice() {
            [first, second, ..] => Ok([first, second]),
            [] => bail!("no importer of this build supports this file"),
            [only] => bail!(
                "only the importer {only} of this build supports this file; a comparison needs two"
            ),
        }
    }
}

/// `diff FILE --importers`.
pub(super) fn run(args: &Args, importers: &Importers, console: Console) -> anyhow::Result<Outcome> {
    ensure_distinct(args.reports.iter().map(ReportTarget::target))?;
    for target in &args.reports {
        target.target().check(&[Some(&args.before)])?;
    }
    let options = args.options(None)?.strict();
    let read = Read {
        importers,
        reading: args.file.options(args.room().is_some())?,
        file: &args.file,
        options: &options,
        room: args.room(),
        console,
    };
    let (pair, images) = read.compare(&args.before)?;
    let comparison = of(vec![pair]);
    args.write(&comparison, &images, console)?;
    Ok(Outcome::of_check(Ok(comparison.is_same())))
}

/// `crosscheck --importers`: the same for each of several models, with the report on standard output.
pub(in crate::cli) fn crosscheck(
    models: &[PathBuf],
    importers: &Importers,
    file: &FileArgs,
    format: Format,
    console: Console,
) -> anyhow::Result<Outcome> {
    let options = Options::default().strict();
    let read = Read {
        importers,
        reading: file.options(false)?,
        file,
        options: &options,
        room: None,
        console,
    };
    let pairs = models.iter().map(|path| match read.compare(path) {
        Ok((pair, _)) => pair,
        Err(error) => {
            let (path, reason) = Console::model_error(path, error);
            Pair::Failed {
                paths: [path.clone(), path],
                reason,
            }
        }
    });
    let comparison = of(pairs.collect());
    let write = |format, view| comparison.write(format, view, &PageImages::default());
    write_all(format, &[], write, console)?;
    let (failed, all) = (comparison.counts().failed, models.len());
    if failed > 0 {
        return Ok(Outcome::Failed(anyhow!(
            "{failed} of {all} models could not be compared"
        )));
    }
    Ok(Outcome::of_check(Ok(comparison.is_same())))
}

fn of(models: Vec<Pair>) -> Comparison {
    Comparison {
        folders: None,
        engines: [None, None],
        models,
        left: 0,
    }
}

/// How files are read and compared.
struct Read<'a> {
    importers: &'a Importers,
    reading: import::Options,
    file: &'a FileArgs,
    options: &'a Options,
    /// For the models in motion of a page, if one is written.
    room: Option<usize>,
    console: Console,
}

impl Read<'_> {
    /// Reads a file with both importers, and compares what they read. If only one can read it, that is a difference.
    fn compare(&self, path: &Path) -> anyhow::Result<(Pair, PageImages)> {
        let work = work_on(self.file, [path, path])?;
        let importers = self.importers.of(path).with_context(|| shown::path(path))?;
        let alone = |side: usize, error: &ImportError| Pair::Alone {
            path: shown::unicode(path),
            kind: [Kind::ModelAdded, Kind::ModelMissing][side],
            message: format!("{} cannot read it: {}", importers[side], innermost(error)),
        };
        let sources = match importers.map(|importer| self.load(path, importer)) {
            [Ok(before), Ok(after)] => [before, after].map(Source::from),
            [Err(error), Ok(_)] if is_about_the_importer(&error) => {
                return Ok((alone(0, &error), PageImages::default()));
            }
            [Ok(_), Err(error)] if is_about_the_importer(&error) => {
                return Ok((alone(1, &error), PageImages::default()));
            }
            [Err(error), _] | [_, Err(error)] => return Err(error.into()),
        };
        let models = Models {
            paths: [path, path],
            importers: Some(importers),
            sources,
        };
        match compare(&models, self.options, &work, self.room, self.console) {
            Ok((compared, images)) => Ok((Pair::Compared(Box::new(compared)), images)),
            Err(error) if is_unrelated(&error) => {
                let unrelated = Pair::Alone {
                    path: shown::unicode(path),
                    kind: Kind::Unrelated,
                    message: format!(
                        "what {} and {} read has nothing in common",
                        importers[0], importers[1]
                    ),
                };
                Ok((unrelated, PageImages::default()))
            }
            Err(error) => Err(error),
        }
    }

    fn load(&self, path: &Path, importer: &str) -> Result<Asset, ImportError> {
        let options = import::Options {
            importer: Some(importer.to_owned()),
            ..self.reading.clone()
        };
        import::load(path, &options)
    }
}

/// Whether nothing that one importer reads corresponds to what the other reads.
fn is_unrelated(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(DiffError::NothingInCommon))
}

/// Whether another importer may succeed with the same file.
fn is_about_the_importer(error: &ImportError) -> bool {
    matches!(
        error,
        ImportError::Refused { .. } | ImportError::Worker { .. } | ImportError::Invalid { .. }
    )
}

fn innermost(error: &ImportError) -> String {
    let error: &dyn std::error::Error = error;
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.last().map_or_else(String::new, ToString::to_string)
}
