//! What is done with a baseline.

use std::io;
use std::path::{Path, PathBuf};

use super::baseline::{Baseline, BaselineError};
use super::report::Report;
use crate::paths::read_text;
use crate::shown;

/// How a baseline is used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Acceptance {
    /// There is none.
    #[default]
    None,
    /// All that is found is accepted, and becomes the baseline at this path.
    All(PathBuf),
    /// Accepts the findings in the baseline at this path.
    Baseline {
        /// Its file.
        path: PathBuf,
        /// Whether findings that are gone are taken out of it.
        prune: bool,
    },
}

/// Why the baseline that is to be compared with cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptedError {
    /// There is none.
    #[error(
        "{0}: no such baseline; --write-baseline {0} accepts all current findings",
        shown::path(path)
    )]
    Missing {
        /// Its path.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("{}: the baseline cannot be read", shown::path(path))]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// In the system's words.
        source: io::Error,
    },
    /// It is something else.
    #[error("{}", shown::path(path))]
    Wrong {
        /// Its path.
        path: PathBuf,
        /// The cause.
        source: BaselineError,
    },
}

/// A baseline that a run has made, to be written by its caller.
#[derive(Debug, Clone, PartialEq)]
pub struct NewBaseline {
    /// Where it belongs.
    pub path: PathBuf,
    /// What it holds.
    pub baseline: Baseline,
    /// Whether an older one was pruned, instead of accepting all that was found.
    pub pruned: bool,
}

/// The baseline of a plan, once read.
#[derive(Debug)]
pub(super) enum Known {
    None,
    All(PathBuf),
    Baseline {
        path: PathBuf,
        baseline: Baseline,
        prune: bool,
    },
}

impl Acceptance {
    /// Removes accepted findings from `report`; returns the baseline to be written, if any.
    ///
    /// # Errors
    ///
    /// [`AcceptedError`]: the baseline cannot be used.
    pub fn apply(self, report: &mut Report) -> Result<Option<NewBaseline>, AcceptedError> {
        Ok(self.read()?.apply(report))
    }

    pub(super) fn read(self) -> Result<Known, AcceptedError> {
        match self {
            Self::None => Ok(Known::None),
            Self::All(path) => Ok(Known::All(path)),
            Self::Baseline { path, prune } => Ok(Known::Baseline {
                baseline: read(&path)?,
                path,
                prune,
            }),
        }
    }
}

fn read(path: &Path) -> Result<Baseline, AcceptedError> {
    let owned = || path.to_owned();
    let text = read_text(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => AcceptedError::Missing { path: owned() },
        _ => AcceptedError::Unreadable {
            path: owned(),
            source,
        },
    })?;
    let path = owned();
    Baseline::parse(&text).map_err(|source| AcceptedError::Wrong { path, source })
}

impl Known {
    /// The baseline that is read.
    pub(super) fn input(&self) -> Option<&Path> {
        match self {
            Self::Baseline { path, .. } => Some(path),
            Self::None | Self::All(_) => None,
        }
    }

    /// Removes accepted findings from `report`; returns the baseline to be written, if any. A run that finds no model
    /// makes none.
    pub(super) fn apply(&self, report: &mut Report) -> Option<NewBaseline> {
        match self {
            Self::None => None,
            Self::All(_) if report.files.iter().all(|file| file.has_no_models) => None,
            Self::All(path) => {
                let baseline = Baseline::of(report, folder_of(path));
                baseline.apply(report, folder_of(path));
                if let Some(accepted) = &mut report.accepted {
                    accepted.just_now = true;
                }
                Some(new(path, baseline, false))
            }
            Self::Baseline {
                path,
                baseline,
                prune,
            } => {
                let folder = folder_of(path);
                let pruned = prune.then(|| baseline.pruned(report, folder));
                baseline.apply(report, folder);
                let changed = pruned.filter(|pruned| pruned != baseline);
                changed.map(|pruned| new(path, pruned, true))
            }
        }
    }
}

fn new(path: &Path, baseline: Baseline, pruned: bool) -> NewBaseline {
    NewBaseline {
        path: path.to_owned(),
        baseline,
        pruned,
    }
}

/// The folder of a file that may not be there.
fn folder_of(path: &Path) -> &Path {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}
