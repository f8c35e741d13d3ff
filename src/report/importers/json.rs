//! The JSON format, schema `skincheck/crosscheck-importers/1`. A number that is not finite is `null`.

use crate::crosscheck::importers::{Difference, ImporterReport, Off, StageReport};
use serde::Serialize;

use super::Compared;
use crate::report::json::{Failed, pretty};
use crate::units::Seconds;

const SCHEMA: &str = "skincheck/crosscheck-importers/1";

#[derive(Debug, Serialize)]
struct Document<'a> {
    schema: &'static str,
    /// For all models; false if one could not be compared.
    agrees: bool,
    models: Vec<Model<'a>>,
    /// Models that could not be compared.
    errors: Vec<Failed<'a>>,
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "names of the schema")]
struct Model<'a> {
    model: &'a str,
    /// With versions.
    importers: &'a [String; 2],
    agrees: bool,
    /// The name of a stage.
    first_difference: Option<&'static str>,
    /// The unit of all lengths.
    metres_per_unit: Option<f64>,
    /// The diagonal of the rest pose.
    diagonal: f64,
    stages: Vec<Stage<'a>>,
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "names of the schema")]
struct Stage<'a> {
    stage: &'static str,
    /// `null` if an earlier stage left nothing to compare; then `agrees` is `null`, too.
    compared: Option<usize>,
    agrees: Option<bool>,
    /// The largest deviation, as a fraction of the diagonal.
    farthest: f64,
    differences: Vec<Entry<'a>>,
}

/// The worst difference of a kind.
#[derive(Debug, Serialize)]
struct Entry<'a> {
    kind: &'static str,
    /// The number of differences of the kind.
    count: usize,
    joint: Option<&'a str>,
    mesh: Option<&'a str>,
    /// The position in the mesh in the bind pose.
    vertex: Option<[f64; 3]>,
    clip: Option<&'a str>,
    time: Option<Seconds>,
    part: Option<&'a str>,
    /// The value of each importer.
    says: &'a [String; 2],
    off: Option<Off>,
}

/// Renders the report as JSON.
///
/// * `failed` – paths of models that could not be compared, each with the reason.
#[must_use]
pub fn write(compared: &[Compared], failed: &[(String, String)]) -> String {
    let agree = compared.iter().all(|compared| compared.report.agrees());
    pretty(&Document {
        schema: SCHEMA,
        agrees: agree && failed.is_empty(),
        models: compared.iter().map(Model::of).collect(),
        errors: Failed::all(failed),
    })
}

impl<'a> Model<'a> {
    fn of(compared: &'a Compared) -> Self {
        let report: &ImporterReport = &compared.report;
        Self {
            model: &compared.model,
            importers: &report.importers,
            agrees: report.agrees(),
            first_difference: report.first_difference().map(|stage| stage.stage.name()),
            metres_per_unit: report.metres_per_unit,
            diagonal: report.diagonal,
            stages: report.stages.iter().map(Stage::of).collect(),
        }
    }
}

impl<'a> Stage<'a> {
    fn of(report: &'a StageReport) -> Self {
        Self {
            stage: report.stage.name(),
            compared: report.compared,
            agrees: report.compared.map(|_| report.agrees()),
            farthest: report.farthest,
            differences: report.differences.iter().map(Entry::of).collect(),
        }
    }
}

impl<'a> Entry<'a> {
    fn of(difference: &'a Difference) -> Self {
        let location = &difference.location;
        Self {
            kind: difference.kind.name(),
            count: difference.count,
            joint: location.joint.as_deref(),
            mesh: location.mesh.as_deref(),
            vertex: difference.vertex,
            clip: location.clip.as_deref(),
            time: location.time,
            part: location.part.as_deref(),
            says: &difference.says,
            off: difference.off,
        }
    }
}
