//! Applies a baseline to a run.

use std::io;
use std::path::{Path, PathBuf};

use super::baseline::{Baseline, Record};
use super::record::{self, RecordError};
use super::report::Report;
use crate::paths::folder_of;
use crate::shown;

/// How a run uses a baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Acceptance {
    /// It uses none.
    #[default]
    None,
    /// Accepts all findings, and writes them to the baseline at this path. Entries of an older one for files and rules
    /// outside the run are kept.
    All(PathBuf),
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
    /// The file is not a baseline.
    #[error(
        "{}: the baseline cannot be used; write a new one to another path with --write-baseline",
        shown::path(path)
    )]
    Unusable {
        /// Its path.
        path: PathBuf,
        /// The cause.
        source: RecordError,
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

/// A request, and the baseline that it names; an empty one if there is none.
#[derive(Debug)]
pub(super) struct Known {
    acceptance: Acceptance,
    baseline: Baseline,
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
        let baseline = match &self {
            Self::None => Ok(Baseline::default()),
            Self::All(path) if !path.exists() => Ok(Baseline::default()),
            Self::All(path) | Self::Baseline { path, .. } => read(path),
        };
        Ok(Known {
            baseline: baseline?,
            acceptance: self,
        })
    }
}

fn read(path: &Path) -> Result<Baseline, AcceptedError> {
    let path = path.to_owned();
    match record::read::<Record>(&path) {
        Ok(record) => Ok(record.into()),
        Err(RecordError::Unreadable(error)) if error.kind() == io::ErrorKind::NotFound => {
            Err(AcceptedError::Missing { path })
        }
        Err(source) => Err(AcceptedError::Unusable { path, source }),
    }
}

impl Known {
    /// The path of the baseline that is read.
    pub(super) fn input(&self) -> Option<&Path> {
        match &self.acceptance {
            Acceptance::Baseline { path, .. } => Some(path),
            Acceptance::None | Acceptance::All(_) => None,
        }
    }

    /// Removes accepted findings from `report`; returns the baseline to write, if any. A run that finds no model, or was
    /// interrupted, accepts nothing.
    pub(super) fn apply(&self, report: &mut Report) -> Option<NewBaseline> {
        let is_partial = report.unchecked_files > 0;
        match &self.acceptance {
            Acceptance::None => None,
            Acceptance::All(_)
                if is_partial || report.files.iter().all(|file| file.has_no_models) =>
            {
                None
            }
            Acceptance::All(path) => {
                let baseline = self.baseline.renewed(report, folder_of(path));
                baseline.apply(report, folder_of(path));
                if let Some(accepted) = &mut report.accepted {
                    accepted.just_now = true;
                }
                Some(new(path, baseline, false))
            }
            Acceptance::Baseline { path, prune } => {
                let folder = folder_of(path);
                let pruned = (*prune && !is_partial).then(|| self.baseline.pruned(report, folder));
                self.baseline.apply(report, folder);
                let changed = pruned.filter(|pruned| *pruned != self.baseline);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::FileReport;

    #[test]
    fn an_interrupted_run_accepts_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let accepted = |unchecked_files| {
            let all = Acceptance::All(folder.path().join("accepted.json"));
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
