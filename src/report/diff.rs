//! The report of `diff`.

pub(super) mod html;
mod text;

use std::borrow::Cow;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::codes;
use super::format::{Format, View};
use super::junit;
use super::results::{Case, Model, Results};
use crate::diff::{Kind, Report};
use crate::finding::Finding;
use crate::rig::ClipId;

pub use html::{ImageError, PageImages};
pub(super) use text::heading;

/// Two models and their differences.
#[derive(Debug)]
pub struct Compared {
    /// The paths as given: before and after.
    pub paths: [String; 2],
    /// The differences.
    pub report: Report,
}

/// The differences of two models, or of the models of two folders.
#[derive(Debug)]
pub struct Comparison {
    /// The folders as given: before and after; `None` for two models.
    pub folders: Option<[String; 2]>,
    /// The engines that see the models, with their options: before and after.
    pub engines: [Option<String>; 2],
    /// Sorted by path.
    pub models: Vec<Pair>,
    /// The number of pairs that were not compared because the run was interrupted.
    pub left: usize,
}

/// The result for a model.
#[derive(Debug)]
pub enum Pair {
    /// The model is in both folders and was compared.
    Compared(Compared),
    /// The model is in one folder only.
    Alone {
        /// Its path.
        path: String,
        /// [`Kind::ModelMissing`] or [`Kind::ModelAdded`].
        kind: Kind,
    },
    /// The model is in both folders and could not be compared.
    Failed {
        /// The paths: before and after.
        paths: [String; 2],
        /// The error message.
        reason: String,
    },
}

/// The number of models by result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Pairs without a difference.
    pub same: usize,
    /// Pairs with a difference.
    pub different: usize,
    /// Models without a counterpart in AFTER.
    pub missing: usize,
    /// Models without a counterpart in BEFORE.
    pub added: usize,
    /// Pairs that could not be compared.
    pub failed: usize,
    /// Pairs that were not compared because the run was interrupted.
    pub left: usize,
}

impl Comparison {
    /// Counts the models by result.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts {
            left: self.left,
            ..Counts::default()
        };
        for pair in &self.models {
            *match pair {
                Pair::Compared(compared) if compared.report.is_same() => &mut counts.same,
                Pair::Compared(_) => &mut counts.different,
                Pair::Alone { kind, .. } if *kind == Kind::ModelAdded => &mut counts.added,
                Pair::Alone { .. } => &mut counts.missing,
                Pair::Failed { .. } => &mut counts.failed,
            } += 1;
        }
        counts
    }

    /// Whether every model has a counterpart and none differs.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.left == 0 && self.counts().same == self.models.len()
    }

    /// Renders the report.
    ///
    /// * `images` – for the page on two models; the page on two folders has none.
    #[must_use]
    pub fn write(&self, format: Format, images: &PageImages) -> String {
        let run = Run {
            folders: self.folders.as_ref(),
            counts: self.counts(),
        };
        let results = Results {
            passes: self.is_same(),
            interrupted: self.left,
            declared: codes::of_diff(),
            models: self.models.iter().map(|pair| self.model(pair)).collect(),
            ..Results::new("diff", run)
        };
        let view = View::default();
        let html = || html::write(self, images);
        results.write((format, view), || text::write(self), html)
    }

    fn model<'a>(&'a self, pair: &'a Pair) -> Model<'a, Details<'a>> {
        match pair {
            Pair::Compared(compared) => Model {
                findings: Cow::Borrowed(&compared.report.findings),
                passes: compared.report.is_same(),
                tests: Some(tests(compared)),
                details: Some(Details {
                    paths: &compared.paths,
                    engines: &self.engines,
                    same: compared.report.is_same(),
                    resampled: compared.report.resampled(),
                    report: &compared.report,
                }),
                ..blank(&compared.paths)
            },
            Pair::Alone { path, kind } => Model {
                findings: vec![self.alone(*kind)].into(),
                ..blank(std::slice::from_ref(path))
            },
            Pair::Failed { paths, reason } => Model {
                failure: Some(reason),
                ..blank(paths)
            },
        }
    }

    /// The finding on a model without a counterpart.
    fn alone(&self, kind: Kind) -> Finding {
        let other = usize::from(kind == Kind::ModelMissing);
        let other = self.folders.as_ref().map_or("", |folders| &folders[other]);
        kind.finding(format!("no model of this path in {other}"))
    }
}

/// What only a comparison says of a run.
#[derive(Serialize, JsonSchema)]
pub(super) struct Run<'a> {
    /// Before and after, as given; `None` for two models.
    folders: Option<&'a [String; 2]>,
    counts: Counts,
}

/// What only a comparison says of a model.
#[derive(Serialize, JsonSchema)]
pub(super) struct Details<'a> {
    /// Before and after, as given.
    paths: &'a [String; 2],
    /// The engines that see them, as `--as-before` and `--as-after` read them; `None` for the model itself.
    engines: &'a [Option<String>; 2],
    /// Whether no take differs and no finding is a difference.
    same: bool,
    /// If the models are the same apart from resampling, the keys per second after.
    resampled: Option<f64>,
    #[serde(flatten)]
    report: &'a Report,
}

/// A model that differs, without details.
///
/// * `paths` – before and after, or the only one.
fn blank(paths: &[String]) -> Model<'_, Details<'_>> {
    let last = paths.last().map_or("", String::as_str);
    Model {
        title: paths.join(" and "),
        passes: false,
        ..Model::new(Path::new(last))
    }
}

/// One test of JUnit for everything that both models have, and one each for the rest pose and every clip.
fn tests(compared: &Compared) -> Vec<Case> {
    let report = &compared.report;
    let clips = report.takes.iter().filter_map(|take| take.clip_ids);
    let clips: Vec<ClipId> = clips.map(|[before, _]| before).collect();
    let others = report.differences();
    let others = others.filter(|own| !clips.iter().any(|clip| own.is_of(*clip)));
    let mut tests = vec![test("model", others.collect(), None)];
    tests.extend(report.takes.iter().map(|take| {
        let name = match &take.clips {
            Some([name, _]) => format!("clip \"{name}\""),
            None => "rest pose".to_owned(),
        };
        let measured = take.differs.then(|| text::measured(report, take));
        test(&name, report.differences_of(take), measured)
    }));
    tests
}

/// * `measured` – how far its surface is off, if it differs.
fn test(name: &str, own: Vec<&Finding>, measured: Option<String>) -> Case {
    let kind = own.first().map_or("surface", |first| first.code.0);
    let lines = own.into_iter().map(junit::line).chain(measured);
    Case::failing(name, kind, &lines.collect::<Vec<String>>())
}

/// `, the same apart from resampling at 24 fps`, or nothing.
fn apart(report: &Report) -> String {
    let rate = report.resampled();
    rate.map_or_else(String::new, |rate| {
        let rate = (1000.0 * rate).round() / 1000.0;
        format!(", the same apart from resampling at {rate} fps")
    })
}
