//! The baseline: read before anything is checked, written after.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use skincheck::baseline::Baseline;
use skincheck::lint::Report;
use skincheck::paths::read_text;
use skincheck::shown;

use super::{BaselineArgs, folder_of};
use crate::cli::output::Target;
use crate::cli::report::Console;

/// What is done with a baseline.
pub(super) enum Use {
    /// There is none.
    None,
    /// All that is found is accepted.
    Write { path: PathBuf },
    /// What it holds is accepted.
    Compare {
        path: PathBuf,
        baseline: Baseline,
        prune: bool,
    },
}

impl BaselineArgs {
    /// Reads the baseline that there is.
    pub(super) fn open(&self) -> anyhow::Result<Use> {
        if let Some(path) = &self.write_baseline {
            return Ok(Use::Write { path: path.clone() });
        }
        let Some(path) = &self.baseline else {
            return Ok(Use::None);
        };
        let shown = || shown::path(path);
        let text = read_text(path).map_err(|error| unreadable(path, error))?;
        Ok(Use::Compare {
            path: path.clone(),
            baseline: Baseline::parse(&text).with_context(shown)?,
            prune: self.prune,
        })
    }
}

fn unreadable(path: &Path, error: io::Error) -> anyhow::Error {
    let shown = shown::path(path);
    if error.kind() == io::ErrorKind::NotFound {
        return anyhow!(
            "{shown}: there is no such baseline; --write-baseline {shown} accepts all that is found now"
        );
    }
    anyhow::Error::from(error).context(format!("{shown}: the baseline cannot be read"))
}

impl Use {
    /// Leaves in `report` what is not accepted; writes the baseline where that is asked for.
    pub(super) fn apply(&self, report: &mut Report, console: Console) -> anyhow::Result<()> {
        match self {
            Self::None => {}
            Self::Write { path } if report.files.iter().all(|file| file.failure.is_some()) => {
                console.warn(format_args!(
                    "{}: not written, for no file could be checked",
                    shown::path(path)
                ));
            }
            Self::Write { path } => {
                let baseline = Baseline::of(report, folder_of(path));
                write(path, &baseline, "accepted", console)?;
                baseline.apply(report, folder_of(path));
                if let Some(accepted) = &mut report.accepted {
                    accepted.just_now = true;
                }
            }
            Self::Compare {
                path,
                baseline,
                prune,
            } => {
                if *prune {
                    let pruned = baseline.pruned(report, folder_of(path));
                    if pruned != *baseline {
                        write(path, &pruned, "left", console)?;
                    }
                }
                baseline.apply(report, folder_of(path));
            }
        }
        Ok(())
    }
}

fn write(path: &Path, baseline: &Baseline, what: &str, console: Console) -> anyhow::Result<()> {
    Target::File(path.to_owned()).write(baseline.to_json().as_bytes())?;
    let (count, shown) = (baseline.len(), shown::path(path));
    console.note(format_args!("{shown}: findings {what}: {count}"));
    Ok(())
}
