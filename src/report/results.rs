//! The results of a command, as the machine-readable formats take them, whatever the command.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::codes::Declared;
use crate::check::Accepted;
use crate::finding::{Code, Finding, Level};
use crate::paths::seen_from;
use crate::shown::{self, printable};
use crate::units::amount;

/// The results of a command.
///
/// * `R` – what only this command says of the run.
/// * `D` – what only this command says of a model.
pub(super) struct Results<'a, R, D> {
    /// The name of the command.
    pub(super) command: &'static str,
    /// Whether nothing makes the run fail.
    pub(super) passes: bool,
    /// The number of models that were not examined because the run was interrupted.
    pub(super) interrupted: usize,
    /// The folder that code scanning sees paths from; `None` leaves them as they are.
    pub(super) folder: Option<&'a Path>,
    /// The result of the comparison with a baseline, if there is one.
    pub(super) accepted: Option<&'a Accepted>,
    /// Parts of configurations without effect.
    pub(super) unused_settings: Vec<UnusedSetting>,
    /// The codes that findings may have.
    pub(super) declared: Vec<Declared>,
    pub(super) run: R,
    pub(super) models: Vec<Model<'a, D>>,
}

/// The results for a model.
pub(super) struct Model<'a, D> {
    pub(super) path: Cow<'a, Path>,
    /// For people: the path, or both paths.
    pub(super) title: String,
    /// Why it could not be examined, or not to the end.
    pub(super) failure: Option<&'a str>,
    pub(super) findings: Cow<'a, [Finding]>,
    /// The lowest level that makes the run fail.
    pub(super) fails_from: Level,
    /// Whether nothing about it makes the run fail.
    pub(super) passes: bool,
    /// The tests that JUnit shows, if they are not the findings.
    pub(super) tests: Option<Vec<Case>>,
    /// Rules without findings, and rules that could not be checked, for JUnit.
    pub(super) others: Vec<Case>,
    /// One per finding, or empty.
    pub(super) images: Vec<Shown>,
    /// `None` for a model that was not examined.
    pub(super) details: Option<D>,
}

/// A part of a configuration without effect.
#[derive(Clone, Serialize, JsonSchema)]
pub(super) struct UnusedSetting {
    /// The configuration; `None` for the settings of the run as a whole.
    pub(super) path: Option<String>,
    /// From 1; `None` for the configuration as a whole.
    pub(super) line: Option<usize>,
    /// From 1, in characters.
    pub(super) column: Option<usize>,
    /// In words.
    pub(super) message: String,
}

impl UnusedSetting {
    /// With the location, as `file:line:column: message`.
    pub(super) fn sentence(&self) -> String {
        let number = |number: Option<usize>| number.map(|number| number.to_string());
        let place = [self.path.clone(), number(self.line), number(self.column)];
        let place: Vec<String> = place.into_iter().flatten().collect();
        let all = [place.join(":"), self.message.clone()];
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let all: Vec<&str> = all.into_iter().filter(|part| !part.is_empty()).collect();
        printable(&all.join(": "))
    }
}

/// A test.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) outcome: Outcome,
}

/// How a test ended. Texts may have several lines.
#[derive(Clone)]
pub(super) enum Outcome {
    Passed,
    /// With an output.
    Said(String),
    Skipped(String),
    Failed(Cause),
    /// What was to be tested could not be.
    Error(Cause),
}

/// Why a test does not pass.
#[derive(Clone)]
pub(super) struct Cause {
    /// In kebab case.
    pub(super) kind: &'static str,
    /// One line.
    pub(super) message: String,
    /// Everything.
    pub(super) text: String,
}

impl Cause {
    /// With the lines of its text; the first is the message.
    pub(super) fn new(kind: &'static str, lines: &[String]) -> Self {
        Self {
            kind,
            message: lines.first().cloned().unwrap_or_default(),
            text: lines.join("\n"),
        }
    }
}

/// How to see a finding.
#[derive(Clone, Default, Serialize, JsonSchema)]
pub(super) struct Shown {
    /// The path of its close-up.
    pub(super) image: Option<String>,
    /// The path of its plot over time.
    pub(super) plot: Option<String>,
    /// The command that draws it.
    pub(super) render: Option<String>,
}

/// The number of models and findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Summary {
    /// Entries in `models`.
    models: usize,
    /// Models that could not be examined.
    failed: usize,
    /// Findings of level `error`.
    errors: usize,
    /// Findings of level `warning`.
    warnings: usize,
    /// Findings of level `info`.
    infos: usize,
}

impl<R, D> Results<'_, R, D> {
    /// Of a run that failed before it examined a model.
    pub(super) fn new(command: &'static str, run: R) -> Self {
        Self {
            command,
            passes: false,
            interrupted: 0,
            folder: None,
            accepted: None,
            unused_settings: Vec::new(),
            declared: Vec::new(),
            run,
            models: Vec::new(),
        }
    }

    /// The path of a model relative to the program's folder, however it was named: code scanning finds it in a repository by that
    /// path.
    pub(super) fn seen(&self, model: &Model<'_, D>) -> PathBuf {
        match self.folder {
            Some(folder) => seen_from(folder, &model.path),
            None => model.path.to_path_buf(),
        }
    }

    /// Counts models and findings.
    pub(super) fn summary(&self) -> Summary {
        let count = |level| self.models.iter().map(|model| model.count(level)).sum();
        let failed = self.models.iter().filter(|model| model.failure.is_some());
        Summary {
            models: self.models.len(),
            failed: failed.count(),
            errors: count(Level::Error),
            warnings: count(Level::Warning),
            infos: count(Level::Info),
        }
    }

    /// The description of a code, and its index.
    pub(super) fn declared(&self, code: Code) -> Option<(usize, &Declared)> {
        let mut declared = self.declared.iter().enumerate();
        declared.find(|(_, declared)| declared.code == code)
    }

    /// The message that the run was interrupted, if it was.
    pub(super) fn unfinished(&self) -> Option<String> {
        let files = amount(self.interrupted, "file");
        (self.interrupted > 0).then(|| format!("interrupted, {files} not checked"))
    }
}

impl<'a, D> Model<'a, D> {
    /// A model without findings.
    pub(super) fn new(path: impl Into<Cow<'a, Path>>) -> Self {
        let path = path.into();
        Self {
            title: shown::path(&path),
            path,
            failure: None,
            findings: Cow::default(),
            fails_from: Level::Error,
            passes: true,
            tests: None,
            others: Vec::new(),
            images: Vec::new(),
            details: None,
        }
    }

    /// A model that could not be examined.
    pub(super) fn failed((path, reason): &'a (String, String)) -> Self {
        Self {
            failure: Some(reason),
            passes: false,
            ..Self::new(Path::new(path))
        }
    }

    /// The number of findings of `level`.
    pub(super) fn count(&self, level: Level) -> usize {
        let findings = self.findings.iter();
        findings.filter(|finding| finding.level == level).count()
    }
}
