//! The report of `crosscheck --importers`, which reads a file with two importers.

mod text;

use std::path::Path;

use super::codes;
use super::format::{Format, View};
use super::results::{Model, Results};
use crate::crosscheck::importers::ImporterReport;

pub use text::of_model;

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
    let stages = report.stages.iter();
    let findings = stages.flat_map(|stage| &stage.differences);
    let findings = findings.map(|own| own.finding(text::words(report, own)));
    Model {
        findings: findings.collect(),
        passes: report.agrees(),
        details: Some(report),
        ..Model::new(Path::new(&compared.model))
    }
}
