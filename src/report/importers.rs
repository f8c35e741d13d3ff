//! The report of `crosscheck --importers`, which reads a file with two importers.

use std::fmt::Write;
use std::path::Path;

use super::codes;
use super::format::{Format, View};
use super::results::{Model, Results};
use crate::crosscheck::importers::{Difference, ImporterReport, Off, Stage, StageReport};
use crate::shown::printable;

/// A model and its result.
#[derive(Debug)]
pub struct Compared {
    /// The path as given.
    pub model: String,
    /// The result.
    pub report: ImporterReport,
}

/// Renders the report.
///
/// * `failed` – paths of models that could not be compared, each with the reason.
#[must_use]
pub fn write(compared: &[Compared], failed: &[(String, String)], format: Format) -> String {
    let models = compared.iter().map(model);
    let agree = compared.iter().all(|compared| compared.report.agrees());
    let results = Results {
        passes: agree && failed.is_empty(),
        declared: codes::of_importers(),
        models: models.chain(failed.iter().map(Model::failed)).collect(),
        ..Results::new("crosscheck", ())
    };
    let text = || compared.iter().map(of_model).collect();
    results.write((format, View::default()), text, text)
}

fn model(compared: &Compared) -> Model<'_, &ImporterReport> {
    let report = &compared.report;
    let findings = report
        .stages
        .iter()
        .flat_map(|stage| &stage.differences)
        .map(|own| own.finding(words(report, own)));
    Model {
        findings: findings.collect(),
        passes: report.agrees(),
        details: Some(report),
        ..Model::new(Path::new(&compared.model))
    }
}

const STAGE: usize = 20;
const VERDICT: usize = 9;

/// Renders the report as text.
#[must_use]
pub fn of_model(compared: &Compared) -> String {
    let mut page = String::new();
    add(&mut page, &headline(compared));
    for stage in &compared.report.stages {
        add_stage(&mut page, &compared.report, stage);
    }
    page
}

fn add(page: &mut String, line: &str) {
    writeln!(page, "{line}").expect("a String takes all that is written to it");
}

fn headline(compared: &Compared) -> String {
    let [a, b] = &compared.report.importers;
    let verdict = match compared.report.first_difference() {
        None => "agree".to_owned(),
        Some(stage) => format!("differ, first in: {}", stage.stage.name()),
    };
    format!("{}: {a} and {b} {verdict}", printable(&compared.model))
}

/// What differs: location, values and distance.
fn words(report: &ImporterReport, difference: &Difference) -> String {
    let mut parts = vec![location(difference)];
    let [a, b] = &difference.says;
    if !a.is_empty() || !b.is_empty() {
        let [one, other] = &report.names;
        parts.push(format!(
            "{one}: {}, {other}: {}",
            printable(a),
            printable(b)
        ));
    }
    let off = difference.off;
    parts.extend(off.map(|off| distance(off, report.metres_per_unit)));
    parts.retain(|part| !part.is_empty());
    parts.join("; ")
}

fn add_stage(page: &mut String, report: &ImporterReport, stage: &StageReport) {
    let name = stage.stage.name();
    let mut line = |name: &str, verdict: &str, rest: &str| {
        let text = format!("  {name:<STAGE$}{verdict:<VERDICT$}{rest}");
        add(page, text.trim_end());
    };
    let Some(count) = stage.compared else {
        return line(name, "-", "not compared");
    };
    let [first, others @ ..] = stage.differences.as_slice() else {
        return line(name, "agree", &extent(stage, count));
    };
    line(name, "DIFFER", &difference(report, first));
    for other in others {
        line("", "", &difference(report, other));
    }
}

/// The compared content, and how well it agrees.
fn extent(stage: &StageReport, count: usize) -> String {
    let things = match stage.stage {
        Stage::Reading => return "both read it".to_owned(),
        Stage::Joints | Stage::RestPose => "joints",
        Stage::InverseBinds => "matrices",
        Stage::Weights => "vertices",
        Stage::Clips => "driven joints and meshes",
        Stage::PosedJoints => "joints posed",
        Stage::SkinnedVertices => "vertices skinned",
    };
    if stage.farthest > 0.0 {
        format!(
            "{count} {things}, differ by at most {} of the diagonal",
            part(stage.farthest)
        )
    } else {
        format!("{count} {things}")
    }
}

fn difference(report: &ImporterReport, difference: &Difference) -> String {
    let count = match difference.count {
        1 => String::new(),
        more => format!(" ({more} in total; this is the worst)"),
    };
    let (kind, words) = (difference.kind.name(), words(report, difference));
    format!("{kind}: {words}{count}")
}

fn location(difference: &Difference) -> String {
    let location = &difference.location;
    let named = |what: &str, name: &Option<String>| {
        let name = name.as_ref()?;
        Some(format!("{what} \"{}\"", printable(name)))
    };
    let parts = [
        named("clip", &location.clip),
        location.time.map(|time| format!("at {:.4} s", time.get())),
        named("joint", &location.joint),
        named("mesh", &location.mesh),
        difference
            .vertex
            .map(|[x, y, z]| format!("vertex ({x:.5} {y:.5} {z:.5})")),
        location.part.as_ref().map(ToString::to_string),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn distance(off: Off, metres_per_unit: Option<f64>) -> String {
    match off {
        Off::Length { absolute, relative } => {
            let length = length(absolute, metres_per_unit);
            format!("off by {length}, {} of the diagonal", part(relative))
        }
        Off::Part { relative } => format!("off by {}", part(relative)),
        Off::Time { seconds } => format!("off by {} s", number(seconds.get())),
    }
}

/// In the model's unit, and in metres if that is a different one.
fn length(units: f64, metres_per_unit: Option<f64>) -> String {
    match metres_per_unit {
        None => format!("{} units", number(units)),
        Some(unit) if (unit - 1.0).abs() < 1e-9 => format!("{} m", number(units)),
        Some(unit) => format!("{} units ({} m)", number(units), number(units * unit)),
    }
}

/// A percentage, if it says anything.
fn part(part: f64) -> String {
    if (1e-3..1e3).contains(&part) {
        format!("{:.1} %", 100.0 * part)
    } else {
        format!("{part:.1e}")
    }
}

/// Four decimals, or an exponent for numbers too small for that.
fn number(value: f64) -> String {
    if (1e-3..1e6).contains(&value) {
        format!("{value:.4}")
    } else {
        format!("{value:.2e}")
    }
}
