//! Applies a baseline to a run.

use std::io;
use std::path::{Path, PathBuf};

use super::baseline::{Baseline, BaselineError};
use super::report::Report;
use crate::paths::read_text;
use crate::shown;

/// How a run uses a baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Acceptance {
    /// It uses none.
    #[default]
    None,
    /// Accepts all findings, and writes them to the baseline at this path. Entries of an older one for files and rules
    /// outside the run are kept.
    All {
        /// The path of the baseline.
        path: PathBuf,
        /// Whether to accept the files that cannot be read or checked, too.
        unreadable: bool,
    },
    /// Accepts the findings in the baseline at this path.
    Baseline {
        /// The path of the baseline.
        path: PathBuf,
        /// Whether to remove accepted findings that are gone.
        prune: bool,
    },
}

/// Why the baseline cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptedError {
    /// The file does not exist.
    #[error(
        "{0}: no such baseline; --write-baseline {0} accepts all current findings",
        shown::path(path)
    )]
    Missing {
        /// Its path.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("{}: the baseline cannot be read", shown::path(path))]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not a baseline.
    #[error("{}", shown::path(path))]
    Wrong {
        /// Its path.
        path: PathBuf,
        /// The cause.
        source: BaselineError,
    },
}

/// A baseline to be written by the caller of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct NewBaseline {
    /// The path to write to.
    pub path: PathBuf,
    /// The content.
    pub baseline: Baseline,
    /// Whether an older baseline was pruned, instead of accepting all findings.
    pub pruned: bool,
}

/// The baseline of a plan, as read.
#[derive(Debug)]
pub(super) enum Known {
    None,
    All {
        path: PathBuf,
        before: Baseline,
        unreadable: bool,
    },
    Baseline {
        path: PathBuf,
        baseline: Baseline,
        prune: bool,
    },
}

impl Acceptance {
    /// Removes accepted findings from `report`; returns the baseline to write, if any.
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
            Self::All { path, unreadable } => Ok(Known::All {
                before: match read(&path) {
                    Err(AcceptedError::Missing { .. }) => Baseline::default(),
                    before => before?,
                },
                path,
                unreadable,
            }),
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
    /// The path of the baseline that is read.
    pub(super) fn input(&self) -> Option<&Path> {
        match self {
            Self::Baseline { path, .. } => Some(path),
            Self::None | Self::All { .. } => None,
        }
    }

    /// Removes accepted findings from `report`; returns the baseline to write, if any. A run that finds no model, or was
    /// interrupted, accepts nothing.
    pub(super) fn apply(&self, report: &mut Report) -> Option<NewBaseline> {
        match self {
            Self::None => None,
            Self::All { .. }
                if report.unchecked_files > 0
                    || report.files.iter().all(|file| file.has_no_models) =>
            {
                None
            }
            Self::All {
                path,
                before,
                unreadable,
            } => {
                let baseline = before.renewed(report, folder_of(path), *unreadable);
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
                let prunes = *prune && report.unchecked_files == 0;
                let pruned = prunes.then(|| baseline.pruned(report, folder));
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

/// The folder of a file that may not exist yet.
fn folder_of(path: &Path) -> &Path {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::FileReport;

    #[test]
    fn an_interrupted_run_accepts_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let accepted = |unchecked_files| {
            let all = Acceptance::All {
                path: folder.path().join("accepted.json"),
                unreadable: false,
            };
            let mut report = Report {
                files: vec![FileReport::default()],
                unchecked_files,
                ..Report::default()
            };
            let new = all.apply(&mut report).expect("there is none yet");
            (new.is_some(), report.accepted.is_some())
        };
        assert_eq!(accepted(0), (true, true));
        assert_eq!(accepted(1), (false, false));
    }
}
