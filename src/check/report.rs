//! The result of a run over many files.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use crate::lint::{Code, Conversion, Finding, Level, Profile, Thinned, Unchecked};
use crate::rig::Note;
use crate::units::amount;

/// Every file, in the order in which they were named or found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Where the program ran, which relative paths are relative to; empty if that does not matter.
    pub folder: PathBuf,
    /// One a file.
    pub files: Vec<FileReport>,
    /// How it compares with what was accepted before, if it was compared. Then the files hold only what is new.
    pub accepted: Option<Accepted>,
    /// How many files were not checked because the run was interrupted.
    pub unchecked_files: usize,
    /// Whether some rules were not requested, such as by `--cross`.
    pub left_out: bool,
    /// The level that has to be shown for any finding to be shown, if less is: all rules that were checked are below.
    pub hidden: Option<Level>,
}

/// The findings in one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileReport {
    /// As it was named, or found below a folder that was named.
    pub path: PathBuf,
    /// Which importer read it; `None` if none could.
    pub importer: Option<String>,
    /// What the importer repaired, assumed or skipped.
    pub notes: Vec<Note>,
    /// The configuration that is for it, if one is.
    pub config: Option<PathBuf>,
    /// The engine or format it is made for.
    pub profile: Option<&'static Profile>,
    /// Where its profile's engine differs from the axes and unit in the file.
    pub conversions: Vec<Conversion>,
    /// Why it could not be read, or checked to the end.
    pub failure: Option<String>,
    /// Whether `path` is a folder or a pattern in which no model was found, rather than a model.
    pub has_no_models: bool,
    /// In the order of the rules.
    pub findings: Vec<Finding>,
    /// Images of some findings, by their places in `findings`, in ascending order.
    pub images: Vec<(usize, CloseUpImage)>,
    /// Rules that were checked, in their order; most files of a run share one list.
    pub checked: Arc<[Code]>,
    /// Rules that could not be checked, in their order.
    pub unchecked: Vec<Unchecked>,
    /// Clips that were not checked at all of their sample times.
    pub thinned: Vec<Thinned>,
    /// Whether warnings count as errors do.
    pub deny_warnings: bool,
    /// Whether rules that could not be checked make the check fail.
    pub deny_unchecked: bool,
}

/// A close-up of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloseUpImage {
    /// Where it was written, if it was.
    pub path: Option<PathBuf>,
    /// A PNG file.
    pub png: Vec<u8>,
}

/// Findings that were accepted before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Findings that are still there, and left out of the report.
    pub still_there: usize,
    /// Whether they were accepted only now.
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

/// How much there is of everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Models, readable or not.
    pub files: usize,
    /// Models that could not be read, or not be checked to the end.
    pub unreadable: usize,
    /// Folders and patterns in which no model was found.
    pub without_models: usize,
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

    /// The image of a finding, if there is one.
    ///
    /// * `index` – in `findings`.
    #[must_use]
    pub fn image(&self, index: usize) -> Option<&CloseUpImage> {
        let place = self
            .images
            .binary_search_by_key(&index, |(index, _)| *index);
        place.ok().map(|place| &self.images[place].1)
    }

    /// Whether findings of `level` make a check fail.
    #[must_use]
    pub fn fails_at(&self, level: Level) -> bool {
        match level {
            Level::Error => true,
            Level::Warning => self.deny_warnings,
            Level::Info => false,
        }
    }

    /// Whether rules that could not be checked make the check fail.
    #[must_use]
    pub fn fails_unchecked(&self) -> bool {
        self.deny_unchecked && !self.unchecked.is_empty()
    }

    /// Whether it was checked, and nothing was found that makes a check fail.
    #[must_use]
    pub fn passes(&self) -> bool {
        let mut findings = self.findings.iter();
        let fails = findings.any(|finding| self.fails_at(finding.level));
        self.failure.is_none() && !fails && !self.fails_unchecked()
    }
}

impl Report {
    /// That the run was interrupted, in words, if it was.
    #[must_use]
    pub fn unfinished(&self) -> Option<String> {
        let files = amount(self.unchecked_files, "file");
        let was = || format!("interrupted, {files} not checked");
        (self.unchecked_files > 0).then(was)
    }

    /// Whether every file was checked, and nothing was found in any that makes a check fail.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.unchecked_files == 0 && self.files.iter().all(FileReport::passes)
    }

    /// How much there is of everything.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let count = |level| self.files.iter().map(|file| file.count(level)).sum();
        let without_models = self.files.iter().filter(|file| file.has_no_models);
        let without_models = without_models.count();
        let failed = self.files.iter().filter(|file| file.failure.is_some());
        Summary {
            files: self.files.len() - without_models,
            unreadable: failed.count() - without_models,
            without_models,
            errors: count(Level::Error),
            warnings: count(Level::Warning),
            infos: count(Level::Info),
        }
    }
}
