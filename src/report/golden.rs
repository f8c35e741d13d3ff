//! The report of `test`.

pub(super) mod html;

use std::fmt::Write;

use serde::Serialize;

use super::codes;
use super::diff::heading;
use super::format::{Format, View};
use super::junit::line;
use super::results::{Case, Cause, Model, Outcome, Results};
use super::words::significant;
use crate::diff::{Difference, Tolerance};
use crate::finding::{Finding, Level};
use crate::golden::{ClipReport, ImageReport, ModelReport, Orphan, Report, Verdict};
use crate::shown::{path, printable, shell_word, unicode};
use crate::units::{amount, first_few};

/// Renders the report of a test.
///
/// * `command` – the start of approving commands, such as `skincheck accept`.
#[must_use]
pub fn write(report: &Report, format: Format, view: View, command: &str) -> String {
    let summary = report.summary();
    let models = report.models.iter().map(|own| model(report, own));
    let orphans = report.orphans.iter().map(|orphan| untested(report, orphan));
    let run = Run {
        config: unicode(&report.config),
        same: summary.same,
        changed: summary.changed,
        new: summary.new,
        unaffected: report.unaffected,
    };
    let results = Results {
        passes: report.passes() && summary.failed == 0,
        declared: codes::of_test(),
        models: models.chain(orphans).collect(),
        ..Results::new("test", run)
    };
    let html = || html::write(report, command);
    results.write((format, view), || text(report, view, command), html)
}

/// What only a test says of a run: the configuration, and models by status.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct Run {
    /// The path of the configuration.
    config: String,
    /// The number of models as approved.
    same: usize,
    /// The number of models with changes.
    changed: usize,
    /// The number of models with new items and no changes.
    new: usize,
    /// The number of models that were not tested, because no change affects them.
    unaffected: usize,
}

/// What only a test says of a model.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Test"))]
pub(super) struct Details<'a> {
    /// Relative to the configuration, with slashes.
    name: &'a str,
    /// `same`, `changed`, `new` or `failed`.
    verdict: &'static str,
    /// The folder of its approvals.
    approved: String,
    tolerance: Tolerance,
    clips: Vec<Clip<'a>>,
}

/// One clip of a model, or its rest pose.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
struct Clip<'a> {
    /// The worse of the two verdicts, on numbers and on images.
    verdict: Verdict,
    #[serde(flatten)]
    report: &'a ClipReport,
}

fn model<'a>(report: &Report, model: &'a ModelReport) -> Model<'a, Details<'a>> {
    let failure = model.failure.as_deref();
    let verdict = model.verdict();
    let clips = model.clips.iter().map(|report| Clip {
        verdict: report.verdict(),
        report,
    });
    Model {
        failure,
        findings: report.findings(model).into(),
        passes: failure.is_none()
            && verdict != Verdict::Changed
            && (verdict == Verdict::Same || !report.must_be_approved),
        tests: Some(tests(report, model)),
        details: Some(Details {
            name: &model.name,
            verdict: failure.map_or(verdict.name(), |_| "failed"),
            approved: unicode(&model.approved),
            tolerance: model.tolerance,
            clips: clips.collect(),
        }),
        ..Model::new(model.path.as_path())
    }
}

/// An approval that is not tested, in place of a model.
fn untested<'a>(report: &Report, orphan: &'a Orphan) -> Model<'a, Details<'a>> {
    let finding = report.untested(orphan);
    let outcome = outcome("untested", std::slice::from_ref(&finding));
    Model {
        passes: finding.level < Level::Error,
        findings: vec![finding].into(),
        tests: Some(vec![Case::new(of_orphan(orphan), outcome)]),
        ..Model::new(orphan.path.as_path())
    }
}

/// One test of JUnit for the model and one for each clip. What is not approved is a failure if it fails the run, and a
/// skipped test otherwise.
fn tests(report: &Report, model: &ModelReport) -> Vec<Case> {
    let whole = Case::new("model", outcome("changed", &changes(&model.differences)));
    let clips = model.clips.iter().map(|clip| {
        let findings = report.findings_of(clip);
        let name = format!("clip \"{}\"", clip.name);
        Case::new(name, outcome(clip.verdict().name(), &findings))
    });
    std::iter::once(whole).chain(clips).collect()
}

fn outcome(kind: &'static str, findings: &[Finding]) -> Outcome {
    let lines: Vec<String> = findings.iter().map(line).collect();
    if lines.is_empty() {
        Outcome::Passed
    } else if findings.iter().any(|finding| finding.level == Level::Error) {
        Outcome::Failed(Cause::new(kind, &lines))
    } else {
        Outcome::Skipped(lines.first().cloned().unwrap_or_default())
    }
}

/// The shell command that approves a model in its current state.
///
/// * `command` – the start of the command, such as `skincheck accept`.
#[must_use]
pub fn accept_line(command: &str, model: &str) -> String {
    format!("{command} {}", shell_word(model))
}

fn changes(differences: &[Difference]) -> Vec<Finding> {
    differences.iter().map(|own| own.finding.clone()).collect()
}

/// `keys (root-motion): …`.
fn sentence(own: &Difference) -> String {
    format!("{}: {}", heading(own.kind), printable(&own.finding.message))
}

/// The remarks on a clip, line by line: on its numbers, and on images where these agree.
fn lines(clip: &ClipReport) -> Vec<String> {
    let mut lines: Vec<String> = clip.differences.iter().map(sentence).collect();
    lines.extend(clip.note.clone());
    let images = clip.images.iter().filter(|image| image.decides());
    let (new, others): (Vec<_>, Vec<_>) = images.partition(|image| image.verdict == Verdict::New);
    lines.extend(others.into_iter().filter_map(image_line));
    match new.len() {
        0 => {}
        1 => lines.extend(image_line(new[0])),
        count => lines.push(format!("{count} images are not approved yet")),
    }
    lines
}

fn image_line(image: &ImageReport) -> Option<String> {
    Some(format!("{}: {}", image.file, image.why()?))
}

/// The file or folder of an approval that is not tested, and the clip in it.
fn of_orphan(orphan: &Orphan) -> String {
    let clip = orphan.clip.as_ref();
    let clip = clip.map_or_else(String::new, |clip| {
        format!(", clip \"{}\"", printable(clip))
    });
    format!("{}{clip}", path(&orphan.path))
}

/// What to do about approvals that are not tested.
///
/// * `command` – the start of approving commands, such as `skincheck accept`.
fn orphan_remedy(command: &str) -> String {
    format!("restore the models or their tests, or remove these approvals with {command} --prune")
}

/// The largest distance of a vertex, with its unit.
fn farthest(clip: &ClipReport) -> String {
    let largest = clip.largest.filter(|largest| largest.is_finite());
    largest.map_or_else(String::new, |largest| {
        let share = significant(100.0 * largest);
        format!("; farthest vertex {share} % of the diagonal")
    })
}

/// The clips that differ from their approval in something.
fn remarkable(model: &ModelReport) -> impl Iterator<Item = &ClipReport> {
    let clips = model.clips.iter();
    clips.filter(|clip| clip.verdict() != Verdict::Same)
}

/// The most clips without any approval that are listed one by one.
const MOST_NEW: usize = 2;

/// Whether nothing of the clip is approved.
fn is_new(clip: &ClipReport) -> bool {
    let is_new = |image: &ImageReport| image.verdict == Verdict::New;
    clip.verdict() == Verdict::New && clip.note.is_none() && clip.images.iter().all(is_new)
}

/// `clips "Walk", "Run" and 12 more, with 56 images`.
fn of_new(clips: &[&ClipReport]) -> String {
    let names = clips
        .iter()
        .map(|clip| format!("\"{}\"", printable(&clip.name)));
    let names = first_few(names, MOST_NEW);
    let images = clips.iter().map(|clip| clip.images.len()).sum();
    format!("clips {names}, with {}", amount(images, "image"))
}

/// The most lines on a clip, or on a model as a whole; the other formats list everything.
const MOST_LINES: usize = 8;

/// The most orphans that are listed one by one.
const MOST_ORPHANS: usize = 12;

/// Renders the report as text.
///
/// * `command` – the start of approving commands, such as `skincheck accept`.
fn text(report: &Report, view: View, command: &str) -> String {
    let mut page = String::new();
    let mut add = |line: String| writeln!(page, "{line}").expect("a String takes all of it");
    for model in &report.models {
        of_model(model, view).into_iter().for_each(&mut add);
    }
    if !report.orphans.is_empty() {
        let fails = if report.must_be_tested {
            ", which fails in CI"
        } else {
            ""
        };
        add(format!("approved but no longer tested{fails}:"));
        for orphan in report.orphans.iter().take(MOST_ORPHANS) {
            add(format!("  {}", of_orphan(orphan)));
        }
        if let Some(more @ 1..) = report.orphans.len().checked_sub(MOST_ORPHANS) {
            add(format!("  and {more} more; --format json lists all"));
        }
        add(orphan_remedy(command));
    }
    add(summary(report));
    let open: Vec<&ModelReport> = report
        .models
        .iter()
        .filter(|model| model.failure.is_none() && model.verdict() != Verdict::Same)
        .collect();
    if !open.is_empty() {
        add("approve the changes, which --report html=FILE shows, with:".to_owned());
    }
    for model in open {
        add(format!("  {}", accept_line(command, &model.name)));
    }
    page
}

fn of_model(model: &ModelReport, view: View) -> Vec<String> {
    let name = path(&model.path);
    if let Some(failure) = &model.failure {
        let (failed, failure) = (view.bad("FAILED"), printable(failure));
        return vec![format!("{name}: {failed}: {failure}")];
    }
    let verdict = shown(model.verdict(), view);
    let mut all = vec![format!(
        "{name}: {verdict} (tolerance: {})",
        model.tolerance
    )];
    let own: Vec<String> = model.differences.iter().map(sentence).collect();
    all.extend(limited(&own, "  "));
    let new: Vec<&ClipReport> = remarkable(model).filter(|clip| is_new(clip)).collect();
    let share_a_line = new.len() > MOST_NEW;
    if share_a_line {
        let verdict = shown(Verdict::New, view);
        all.push(format!("  {}: {verdict}", of_new(&new)));
    }
    for clip in remarkable(model).filter(|clip| !(share_a_line && is_new(clip))) {
        let verdict = shown(clip.verdict(), view);
        let name = printable(&clip.name);
        all.push(format!("  clip \"{name}\": {verdict}{}", farthest(clip)));
        all.extend(limited(&lines(clip), "    "));
    }
    all
}

fn limited(lines: &[String], indent: &str) -> Vec<String> {
    let shown = lines
        .iter()
        .take(MOST_LINES)
        .map(|line| format!("{indent}{line}"));
    let more = lines.len().saturating_sub(MOST_LINES);
    let rest = (more > 0).then(|| format!("{indent}and {more} more; --format json lists all"));
    shown.chain(rest).collect()
}

fn shown(verdict: Verdict, view: View) -> String {
    match verdict {
        Verdict::Same => view.good("same"),
        Verdict::New => view.bad("NOT APPROVED"),
        Verdict::Changed => view.bad("CHANGED"),
    }
}

pub(super) fn summary(report: &Report) -> String {
    let summary = report.summary();
    let counts: Vec<String> = [
        (summary.same, "same"),
        (summary.changed, "changed"),
        (summary.new, "not approved"),
        (summary.failed, "failed"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect();
    let (models, counts) = (amount(report.models.len(), "model"), counts.join(", "));
    match report.unaffected {
        0 => format!("{models}: {counts}"),
        unaffected if report.models.is_empty() => format!(
            "nothing to test: the changes affect none of {}",
            amount(unaffected, "model")
        ),
        unaffected => format!("{models}: {counts}; {unaffected} not affected by the changes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_that_were_never_approved_share_a_line() {
        let clip = |name: &str| ClipReport {
            name: name.to_owned(),
            numbers: Verdict::New,
            note: None,
            differences: Vec::new(),
            largest: None,
            times: 4,
            images: Vec::new(),
        };
        let clips = ["Walk", "Run", "Jump"].map(clip);
        assert!(clips.iter().all(is_new));
        let clips: Vec<&ClipReport> = clips.iter().collect();
        let expected = "clips \"Walk\", \"Run\" and 1 more, with 0 images";
        assert_eq!(of_new(&clips), expected);
        let note = Some("the rest is approved".to_owned());
        let noted = ClipReport {
            note,
            ..clip("Walk")
        };
        assert!(!is_new(&noted));
    }

    #[test]
    fn the_line_that_accepts_is_safe_for_a_shell() {
        let line = accept_line("skincheck accept", "it's $HOME.glb");
        assert_eq!(line, "skincheck accept 'it'\\''s $HOME.glb'");
    }
}
