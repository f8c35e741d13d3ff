//! The report of `diff`.

pub(super) mod html;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Serialize;

use super::format::{Format, View};
use super::results::{Case, Model, Results};
use super::words::{sentence, significant};
use super::{codes, junit};
use crate::diff::{Difference, Kind, Report, Take, Verdict};
use crate::finding::Level;
use crate::rig::ClipId;
use crate::shown::printable;
use crate::units::{amount, first_few, time_with_frame};

pub use html::{ImageError, PageImages};

/// Two models and their differences.
#[derive(Debug)]
pub struct Compared {
    /// The paths as given: before and after.
    pub paths: [String; 2],
    /// The importers that read them, if they are one file.
    pub importers: Option<[&'static str; 2]>,
    /// The differences.
    pub report: Report,
}

impl Compared {
    /// What both are called: the paths, and the importers if they are one file.
    fn names(&self) -> [String; 2] {
        let Some(importers) = self.importers else {
            return self.paths.clone();
        };
        [0, 1].map(|side: usize| format!("{} ({})", self.paths[side], importers[side]))
    }
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
    Compared(Box<Compared>),
    /// The model is in one folder only, or only one importer can read it.
    Alone {
        /// Its path.
        path: String,
        /// [`Kind::ModelMissing`] or [`Kind::ModelAdded`], or [`Kind::Unrelated`] of what two importers read.
        kind: Kind,
        /// What is missing, as a sentence without a full stop.
        message: String,
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
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
    pub fn write(&self, format: Format, view: View, images: &PageImages) -> String {
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
        let html = || html::write(self, images);
        results.write((format, view), || text(self, view), html)
    }

    fn model<'a>(&'a self, pair: &'a Pair) -> Model<'a, Details<'a>> {
        match pair {
            Pair::Compared(compared) => Model {
                findings: {
                    let findings = compared.report.findings.iter();
                    findings.map(|own| own.finding.clone()).collect()
                },
                passes: compared.report.is_same(),
                tests: Some(tests(compared)),
                details: Some(Details {
                    paths: &compared.paths,
                    engines: &self.engines,
                    same: compared.report.is_same(),
                    report: &compared.report,
                }),
                title: compared.names().join(" and "),
                ..blank(&compared.paths)
            },
            Pair::Alone {
                path,
                kind,
                message,
            } => Model {
                findings: vec![kind.found(message.clone()).finding].into(),
                ..blank(std::slice::from_ref(path))
            },
            Pair::Failed { paths, reason } => Model {
                failure: Some(reason),
                ..blank(paths)
            },
        }
    }
}

/// What only a comparison says of a run.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct Run<'a> {
    /// Before and after, as given; `None` for two models.
    folders: Option<&'a [String; 2]>,
    counts: Counts,
}

/// What only a comparison says of a model.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Diff"))]
pub(super) struct Details<'a> {
    /// Before and after, as given.
    paths: &'a [String; 2],
    /// The engines that skin them, as `--engine-before` and `--engine-after` read them; `None` for the model itself.
    engines: &'a [Option<String>; 2],
    /// Whether no take differs and no finding is a difference.
    same: bool,
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
    let clips: Vec<ClipId> = report
        .takes
        .iter()
        .filter_map(|take| take.clip_ids)
        .map(|[before, _]| before)
        .collect();
    let others = report
        .differences()
        .filter(|own| !clips.iter().any(|clip| own.finding.is_of(*clip)));
    let mut tests = vec![test("model", others.collect(), None)];
    tests.extend(report.takes.iter().map(|take| {
        let name = match &take.clips {
            Some([name, _]) => format!("clip \"{name}\""),
            None => "rest pose".to_owned(),
        };
        let differs = take.verdict.differs();
        let measured = differs.then(|| measured(report, take));
        test(&name, report.differences_of(take), measured)
    }));
    tests
}

/// * `measured` – how far its surface is off, if it differs.
fn test(name: &str, own: Vec<&Difference>, measured: Option<String>) -> Case {
    let kind = own.first().map_or("surface", |first| first.kind.name());
    let lines = own.into_iter().map(|own| junit::line(&own.finding));
    let lines = lines.chain(measured);
    Case::failing(name, kind, &lines.collect::<Vec<String>>())
}

/// The most findings of one kind that are listed one by one.
const MOST_OF_A_KIND: usize = 8;

/// Renders the report as text. Of the models of two folders, those without a difference are only counted.
fn text(comparison: &Comparison, view: View) -> String {
    let mut parts = Vec::new();
    for pair in &comparison.models {
        parts.push(match pair {
            Pair::Compared(compared)
                if comparison.folders.is_some() && compared.report.is_same() =>
            {
                continue;
            }
            Pair::Compared(compared) => of_models(compared, view),
            Pair::Alone {
                path,
                kind,
                message,
            } => {
                let [path, message] = [path, message].map(|text| printable(text));
                format!("{path}: {}: {message}\n", view.bad(kind.name()))
            }
            Pair::Failed { paths, reason } => {
                format!(
                    "{}: {}: {}\n",
                    both(paths),
                    view.bad("error"),
                    printable(reason)
                )
            }
        });
    }
    if let Some(folders) = &comparison.folders {
        parts.push(format!("{}: {}\n", both(folders), counts(comparison)));
    }
    parts.join("\n")
}

/// `12 models: 10 the same, 1 different, 1 missing after`.
pub(super) fn counts(comparison: &Comparison) -> String {
    let counts = comparison.counts();
    let parts = [
        (counts.same, "the same"),
        (counts.different, "different"),
        (counts.missing, "missing after"),
        (counts.added, "missing before"),
        (counts.failed, "not comparable"),
        (counts.left, "not compared because interrupted"),
    ];
    let all = parts.iter().map(|(count, _)| count).sum();
    let parts: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    format!("{}: {}", amount(all, "model"), parts.join(", "))
}

fn both(paths: &[String; 2]) -> String {
    let [before, after] = paths.each_ref().map(|path| printable(path));
    format!("{before} and {after}")
}

/// The verdict, then the differences, then all else.
fn of_models(compared: &Compared, view: View) -> String {
    let report = &compared.report;
    let verdict = if report.is_same() {
        view.good("same")
    } else {
        view.bad("DIFFERENT")
    };
    let [before, after] = compared.names().map(|name| printable(&name));
    let mut lines = vec![format!("{before} and {after}: {verdict}")];
    lines.extend(of_level(report, Level::Error, "  ", view));
    let (same, differing): (Vec<&Take>, Vec<&Take>) = report
        .takes
        .iter()
        .partition(|take| !take.verdict.differs());
    let differing = differing.into_iter();
    lines.extend(differing.map(|take| format!("  {}", measured(report, take))));
    if !same.is_empty() {
        lines.push(format!("  {}: {}", view.good("same"), alike(report, &same)));
    }
    let remarks = of_level(report, Level::Info, "    ", view);
    if !remarks.is_empty() {
        lines.push("  remarks:".to_owned());
        lines.extend(remarks);
    }
    if let Some(parts) = not_compared(report) {
        lines.push(format!("  not compared: {parts}"));
    }
    lines.push(view.faint(format_args!(
        "  {}, tolerance {}",
        matched(report),
        report.tolerance
    )));
    lines.join("\n") + "\n"
}

/// The findings of a level, by kind in the order of the stages.
fn of_level(report: &Report, level: Level, indent: &str, view: View) -> Vec<String> {
    let findings = report.findings.iter();
    let own = findings.filter(|own| own.finding.level == level);
    let mut seen: BTreeMap<Kind, usize> = BTreeMap::new();
    let mut lines = Vec::new();
    for own in own {
        let seen = seen.entry(own.kind).or_default();
        *seen += 1;
        if *seen <= MOST_OF_A_KIND {
            let (heading, sentence) = (heading(own.kind), sentence(&own.finding));
            let heading = match level {
                Level::Error => view.bad(heading),
                _ => heading,
            };
            lines.push(format!("{indent}{heading}: {sentence}"));
        }
    }
    for (kind, seen) in seen {
        if let Some(more @ 1..) = seen.checked_sub(MOST_OF_A_KIND) {
            let heading = heading(kind);
            lines.push(format!(
                "{indent}{more} more of {heading}; --format json lists all"
            ));
        }
    }
    lines
}

/// The most clips that are named in a line.
const MOST_CLIPS: usize = 4;

/// `rest pose, clips "Walk", "Run" and 3 more; surfaces at most 0.02 mm apart at 412 times; between them at most 0.01 mm can be missed`.
fn alike(report: &Report, takes: &[&Take]) -> String {
    let names = takes.iter().map(|take| name_of(take));
    let mut text = first_few(names, MOST_CLIPS);
    if takes.iter().any(|take| take.verdict == Verdict::Ignored) {
        text += " (apart from what is ignored)";
    }
    if report.matched.vertices.contains(&0) {
        return text + "; no vertices to compare";
    }
    let largest = takes
        .iter()
        .map(|take| take.surface.max)
        .fold(0.0, f64::max);
    let _ = write!(text, "; {}", near(report, largest));
    let sum = |of: fn(&Take) -> usize| takes.iter().map(|take| of(take)).sum::<usize>();
    let (times, all) = (sum(|take| take.samples), sum(|take| take.all_samples));
    if takes.iter().any(|take| take.clips.is_some()) {
        let of = if times == all {
            String::new()
        } else {
            format!(" of {all}")
        };
        let _ = write!(text, " at {times}{of} times");
    }
    let missed = takes
        .iter()
        .filter_map(|take| take.missed)
        .fold(0.0, f64::max);
    if missed > 0.0 {
        let missed = report.lengths.plain(missed);
        let _ = write!(text, "; between them at most {missed} can be missed");
    }
    text
}

/// How near surfaces are that are the same within the tolerance.
fn near(report: &Report, largest: f64) -> String {
    if largest > 0.0 {
        format!("surfaces at most {} apart", report.lengths.plain(largest))
    } else {
        "surfaces equal".to_owned()
    }
}

/// What either model has and is not compared, if anything.
pub(super) fn not_compared(report: &Report) -> Option<String> {
    let parts = &report.not_compared;
    (!parts.is_empty()).then(|| printable(&parts.join(", ")))
}

/// `keys (root-motion)`, or `keys` of the kind with that name.
pub(super) fn heading(kind: Kind) -> String {
    let (stage, kind) = (kind.stage().name(), kind.name());
    if stage == kind {
        return stage.to_owned();
    }
    format!("{stage} ({kind})")
}

pub(super) fn matched(report: &Report) -> String {
    let matched = &report.matched;
    let vertices = |side: usize| {
        format!(
            "{} of {}",
            matched.vertices[side], matched.all_vertices[side]
        )
    };
    let size = report.lengths.size();
    format!(
        "matched {}, {} vertices before and {} after, {}; diagonal {size}",
        amount(matched.joints, "node"),
        vertices(0),
        vertices(1),
        amount(matched.clips, "clip")
    )
}

/// `rest pose`, or `clip "Walk" as "Walking"`.
fn name_of(take: &Take) -> String {
    match &take.clips {
        None => "rest pose".to_owned(),
        Some([before, after]) if before == after => format!("clip \"{}\"", printable(before)),
        Some([before, after]) => {
            format!("clip \"{}\" as \"{}\"", printable(before), printable(after))
        }
    }
}

/// How far a take that differs is off.
fn measured(report: &Report, take: &Take) -> String {
    let verdict = match take.verdict {
        Verdict::Same => "same",
        Verdict::Ignored => "same (apart from what is ignored)",
        Verdict::Timing => "DIFFERENT (timing only; compared on its own time line)",
        Verdict::Different => "DIFFERENT",
    };
    let surface = &take.surface;
    let mut text = format!("{}: {verdict}", name_of(take));
    if report.matched.vertices.contains(&0) {
        text.push_str("; no vertices to compare");
    } else if surface.max <= take.limit {
        let _ = write!(text, "; {}", near(report, surface.max));
    } else {
        let share = significant(100.0 * surface.max / report.diagonal);
        let _ = write!(
            text,
            "; surface off by up to {} ({share} % of the diagonal)",
            report.lengths.plain(surface.max)
        );
    }
    let is_off = take.verdict == Verdict::Different;
    let worst = surface.worst.as_ref().filter(|_| surface.max > 0.0);
    if let (true, Some(worst)) = (is_off, worst) {
        let joint = worst.joint.as_ref().map_or_else(String::new, |joint| {
            format!(" (moved by `{}`)", printable(joint))
        });
        let _ = write!(
            text,
            "; worst at {}: vertex {}{} of mesh \"{}\"{joint}",
            time_with_frame(worst.time.0, worst.frame),
            worst.vertex,
            worst.index_after(),
            printable(&worst.mesh)
        );
    } else if let (true, Some(worst)) = (is_off, &take.joint) {
        let _ = write!(
            text,
            "; worst joint at {}: `{}`, {}",
            time_with_frame(worst.time.0, worst.frame),
            printable(&worst.joint),
            report.lengths.plain(worst.total)
        );
    }
    if take.samples < take.all_samples {
        let _ = write!(text, "; {} of {} times", take.samples, take.all_samples);
    }
    text
}
