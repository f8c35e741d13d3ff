//! The results of a run over many files.

use std::path::PathBuf;

use serde::Serialize;

use super::finding::Finding;
use super::motion::Thinned;
use super::profile::{Conversion, Profile};
use super::rule::{Code, Level};
use crate::rig::Note;

/// Every file, in the order in which they were named or found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The working directory, for relative paths; empty if it does not matter.
    pub folder: PathBuf,
    /// One per file.
    pub files: Vec<FileReport>,
    /// The comparison with a baseline, if any. The files then contain only new findings.
    pub accepted: Option<Accepted>,
    /// Whether some rules were not checked on any file because they were not requested, such as by `--cross`.
    pub left_out: bool,
    /// The level to show so that any finding can appear, if all checked rules are below the shown level.
    pub hidden: Option<Level>,
}

/// The results for one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileReport {
    /// As named, or as found below a named folder.
    pub path: PathBuf,
    /// The importer that read it; `None` if none could.
    pub importer: Option<String>,
    /// What the importer repaired, assumed or skipped.
    pub notes: Vec<Note>,
    /// The configuration that applies to it, if any.
    pub config: Option<PathBuf>,
    /// Its profile.
    pub profile: Option<&'static Profile>,
    /// Differences between its profile's engine and what the file states.
    pub conversions: Vec<Conversion>,
    /// Why it could not be read or checked.
    pub failure: Option<String>,
    /// In the order of the rules.
    pub findings: Vec<Finding>,
    /// Rules that were checked, in their order.
    pub checked: Vec<Code>,
    /// Rules that could not be checked, in their order.
    pub unchecked: Vec<Unchecked>,
    /// Clips that were not checked at all of their sample times.
    pub thinned: Vec<Thinned>,
    /// Whether warnings count as errors.
    pub deny_warnings: bool,
}

/// The comparison with a baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Accepted findings that still exist, which the report omits.
    pub still_there: usize,
    /// Whether they were accepted in this run.
    pub just_now: bool,
    /// Accepted findings that are gone.
    pub gone: Vec<Gone>,
}

/// An accepted finding that is gone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Gone {
    /// As it was accepted, relative to the baseline's folder.
    pub file: String,
    /// The rule's code.
    pub rule: String,
    /// What it was about, such as `mesh "Body"`.
    pub place: String,
}

/// A rule that could not be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unchecked {
    /// Which one.
    pub code: Code,
    /// Such as `not checkable with assimp`.
    pub reason: String,
}

/// Total counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// All files.
    pub files: usize,
    /// Files that could not be read.
    pub unreadable: usize,
    /// Findings of [`Level::Error`].
    pub errors: usize,
    /// Findings of [`Level::Warning`].
    pub warnings: usize,
    /// Findings of [`Level::Info`].
    pub infos: usize,
}

impl FileReport {
    /// How many findings there are of `level`.
    #[must_use]
    pub fn count(&self, level: Level) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.level == level)
            .count()
    }

    /// Whether findings of `level` make the check fail.
    #[must_use]
    pub fn fails_at(&self, level: Level) -> bool {
        match level {
            Level::Error => true,
            Level::Warning => self.deny_warnings,
            Level::Info => false,
        }
    }

    /// Whether it was checked, without findings that make the check fail.
    #[must_use]
    pub fn passes(&self) -> bool {
        let mut findings = self.findings.iter();
        self.failure.is_none() && !findings.any(|finding| self.fails_at(finding.level))
    }
}

impl Report {
    /// Whether every file was checked, without findings that make the check fail.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.files.iter().all(FileReport::passes)
    }

    /// Total counts.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let count = |level| self.files.iter().map(|file| file.count(level)).sum();
        Summary {
            files: self.files.len(),
            unreadable: self
                .files
                .iter()
                .filter(|file| file.failure.is_some())
                .count(),
            errors: count(Level::Error),
            warnings: count(Level::Warning),
            infos: count(Level::Info),
        }
    }
}
