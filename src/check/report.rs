//! The result of a run over many files, with the settings that had no effect.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::config::{Position, Resolved, Unmatched, UnmatchedName};
use super::shards::RunPart;
use crate::closeup::Shot;
use crate::finding::{Cause, Code, Finding, Level};
use crate::fix::Patch;
use crate::lint::{self, Conversion, Coverage, Reading, Thinned, Unchecked};
use crate::names::hint;
use crate::rig::Note;
use crate::shown::{self, unicode};
use crate::units::amount;
use crate::{fix, import};

/// The result for each file, in the order of the arguments.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The folder that relative paths refer to; empty if that does not matter.
    pub folder: PathBuf,
    /// One per file.
    pub files: Vec<FileReport>,
    /// The result of the comparison with a baseline, if there is one. In that case, files list only new findings.
    pub accepted: Option<Accepted>,
    /// The number of files that were not checked because the run was interrupted.
    pub unchecked_files: usize,
    /// The number of files that were not checked because the changes do not affect them.
    pub unaffected: usize,
    /// Settings without effect.
    pub idle: Vec<Idle>,
    /// The minimum level to show any finding, if all checked rules are below the shown level.
    pub hidden: Option<Level>,
    /// The part of a run that was checked, if it was not all of it.
    pub part: Option<RunPart>,
}

/// The findings in one file. The cache stores it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FileReport {
    /// The path as named, or as found below a named folder.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// The importer that read it; `None` if none could.
    pub importer: Option<String>,
    /// What the importer repaired, assumed or skipped.
    pub notes: Vec<Note>,
    /// The configuration that applies to it, if any.
    #[serde(serialize_with = "as_text_if_any")]
    pub config: Option<PathBuf>,
    /// The name of its preset.
    pub preset: Option<String>,
    /// Its target engine or format, with its options.
    pub engine: Option<String>,
    /// How that engine differs from the axes and unit in the file.
    pub conversions: Vec<Conversion>,
    /// The reason why it could not be read, or not be checked completely.
    pub failure: Option<String>,
    /// Whether `path` is a folder or a pattern without a model, instead of a model.
    pub has_no_models: bool,
    /// In the order of the rules.
    pub findings: Vec<Finding>,
    /// The settings by which they were found.
    #[serde(skip)]
    pub settings: Arc<Resolved>,
    /// Close-ups of findings, by index in `findings`, in ascending order.
    #[serde(skip)]
    pub images: Vec<(usize, CloseUpImage)>,
    /// The replacements of bytes that remove all findings of a code, each proved by [`fix`].
    #[serde(skip)]
    pub patches: Vec<(Code, Vec<Patch>)>,
    /// The checked rules, in order. Most files of a run share one list.
    pub checked: Arc<[Code]>,
    /// The rules that could not be checked, in order.
    pub unchecked: Vec<Unchecked>,
    /// Clips checked at only some of their sample times.
    pub thinned: Vec<Thinned>,
    /// What was looked at; `None` if it was not checked.
    pub coverage: Option<Coverage>,
    /// What the rules measured: for each limit, the value nearest to it.
    pub measures: Vec<Reading>,
    /// The names in its configuration that match nothing in it.
    pub unmatched_names: Vec<UnmatchedName>,
    /// Whether warnings fail the check.
    pub deny_warnings: bool,
    /// Whether rules that could not be checked fail the check.
    pub deny_unchecked: bool,
}

/// A path that is not Unicode comes back as [`unicode`] writes it.
fn as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    unicode(path).serialize(serializer)
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn as_text_if_any<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_deref().map(unicode).serialize(serializer)
}

/// A close-up of a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct CloseUpImage {
    /// The path it was written to, if any.
    pub path: Option<PathBuf>,
    /// A PNG file.
    pub png: Vec<u8>,
    /// From where it is seen.
    pub shot: Shot,
}

/// The findings that a baseline accepts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Accepted {
    /// The number of accepted findings, which the report leaves out.
    pub still_there: usize,
    /// Whether they were accepted only now.
    #[serde(skip)]
    pub just_now: bool,
    /// Accepted findings that no longer exist.
    pub gone: Vec<AcceptedFinding>,
}

/// A finding that a baseline accepts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct AcceptedFinding {
    /// The model's path relative to the baseline's folder, with `/` as the separator.
    pub file: String,
    /// The rule's code.
    pub rule: String,
    /// The subject of the finding, such as `mesh "Body"`.
    pub subject: String,
}

/// The number of models and findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Models, readable or not.
    pub files: usize,
    /// Models that could not be read, or not be checked to the end.
    pub unreadable: usize,
    /// Folders and patterns without a model.
    pub without_models: usize,
    /// Findings of [`Level::Error`].
    pub errors: usize,
    /// Findings of [`Level::Warning`].
    pub warnings: usize,
    /// Findings of [`Level::Hint`].
    pub hints: usize,
    /// Findings of [`Level::Info`].
    pub infos: usize,
}

impl FileReport {
    /// The number of findings of `level`.
    #[must_use]
    pub fn count(&self, level: Level) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.level == level)
            .count()
    }

    /// The highest level of a finding.
    #[must_use]
    pub fn worst_level(&self) -> Option<Level> {
        let levels = self.findings.iter().map(|finding| finding.level);
        levels.max()
    }

    /// The close-up of a finding, if there is one.
    ///
    /// * `index` – in `findings`.
    #[must_use]
    pub fn image(&self, index: usize) -> Option<&CloseUpImage> {
        let index = self
            .images
            .binary_search_by_key(&index, |(index, _)| *index);
        index.ok().map(|index| &self.images[index].1)
    }

    /// A code in it that no rule has: a record may come from another version, or be edited.
    pub(crate) fn unknown_rule(&self) -> Option<Code> {
        let findings = self.findings.iter();
        let reported = findings.flat_map(|finding| {
            let cause = finding.cause.as_ref().and_then(Cause::code);
            cause.into_iter().chain([finding.code])
        });
        let unchecked = self.unchecked.iter().map(|unchecked| unchecked.code);
        let measured = self.measures.iter().map(|reading| reading.rule);
        let mut codes = self
            .checked
            .iter()
            .copied()
            .chain(unchecked)
            .chain(measured)
            .chain(reported);
        codes.find(|code| lint::rules().all(|rule| rule.meta().code != *code))
    }

    /// Whether findings of `level` fail the check.
    #[must_use]
    pub fn fails_at(&self, level: Level) -> bool {
        match level {
            Level::Error => true,
            Level::Warning => self.deny_warnings,
            Level::Hint | Level::Info => false,
        }
    }

    /// The rules that found something that [`fix`] repairs without being asked for it, in order; none in other formats than glTF.
    #[must_use]
    pub fn fixable(&self) -> Vec<Code> {
        let is_gltf = import::importers_for(&self.path).any(|own| own.name() == "gltf");
        let codes = self.findings.iter().map(|finding| finding.code);
        let mut codes: Vec<Code> = codes
            .filter(|code| {
                let repair = fix::find_repair(*code);
                is_gltf && repair.is_some_and(|repair| repair.is_wanted(self.engine.is_some()))
            })
            .collect();
        codes.dedup();
        codes
    }

    /// Whether rules that could not be checked fail the check.
    #[must_use]
    pub fn fails_unchecked(&self) -> bool {
        self.deny_unchecked && !self.unchecked.is_empty()
    }

    /// Whether the model was checked without a finding that fails the check.
    #[must_use]
    pub fn passes(&self) -> bool {
        let mut findings = self.findings.iter();
        let fails = findings.any(|finding| self.fails_at(finding.level));
        self.failure.is_none() && !fails && !self.fails_unchecked()
    }
}

impl Report {
    /// The message that the run was interrupted, if it was.
    #[must_use]
    pub fn unfinished(&self) -> Option<String> {
        let files = amount(self.unchecked_files, "file");
        let was = || format!("interrupted, {files} not checked");
        (self.unchecked_files > 0).then(was)
    }

    /// Whether every file was checked without a finding that fails the check.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.unchecked_files == 0 && self.files.iter().all(FileReport::passes)
    }

    /// Counts models and findings.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let count = |level| self.files.iter().map(|file| file.count(level)).sum();
        let without_models = self.files.iter().filter(|file| file.has_no_models).count();
        let failed = self.files.iter().filter(|file| file.failure.is_some());
        Summary {
            files: self.files.len() - without_models,
            unreadable: failed.count() - without_models,
            without_models,
            errors: count(Level::Error),
            warnings: count(Level::Warning),
            hints: count(Level::Hint),
            infos: count(Level::Info),
        }
    }
}

/// A part of a configuration that has no effect, which is probably a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Idle {
    /// A pattern that matches neither a file of the run nor a model below the folder of the configuration.
    Pattern(Unmatched),
    /// A name of a clip or joint that matches nothing in any model that it applies to.
    Name {
        /// The configuration.
        path: PathBuf,
        /// The location of the name.
        position: Position,
        /// `clip` or `joint`.
        what: &'static str,
        /// The name or pattern.
        name: String,
        /// The most similar name in the models, if one is similar enough.
        nearest: Option<String>,
        /// The number of models.
        models: usize,
    },
    /// All selected rules are ignored or off.
    NoRules,
    /// Configured rules that are selected for no file.
    Unselected {
        /// The configuration.
        path: PathBuf,
        /// In the order of the text.
        rules: Vec<Code>,
    },
}

impl Idle {
    /// The configuration at fault, if it is a single one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Pattern(Unmatched { path, .. })
            | Self::Name { path, .. }
            | Self::Unselected { path, .. } => Some(path),
            Self::NoRules => None,
        }
    }

    /// The location in the configuration, if it is a single one.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::Pattern(Unmatched { position, .. }) | Self::Name { position, .. } => {
                Some(*position)
            }
            Self::NoRules | Self::Unselected { .. } => None,
        }
    }

    /// What is wrong, without the location.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::Pattern(Unmatched { pattern, .. }) => format!("no file matches {pattern}"),
            Self::Name {
                what,
                name,
                nearest,
                models,
                ..
            } => {
                let files = match models {
                    1 => "the file".to_owned(),
                    more => format!("any of the {more} files"),
                };
                let (name, hint) = (shown::escaped(name), hint(nearest.as_deref()));
                format!("no {what} named \"{name}\" in {files} this setting applies to{hint}")
            }
            Self::NoRules => "no rules left to check: all selected rules (--select, or select in skincheck.toml) are ignored \
                 or off; files are only read"
                .to_owned(),
            Self::Unselected { rules, .. } => {
                let rules: Vec<&str> = rules.iter().map(|code| code.0).collect();
                format!(
                    "configured, but not selected: {}; add them to `select`",
                    rules.join(", ")
                )
            }
        }
    }
}

impl Display for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = self.path() {
            write!(f, "{}:", shown::path(path))?;
            if let Some(position) = self.position() {
                write!(f, "{position}:")?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.message())
    }
}
