//! The JSON format, schema `skincheck/crosscheck-importers/1`. A number that is not finite is `null`.

use crate::crosscheck::importers::{Difference, ImporterReport, Off, StageReport};
use serde::Serialize;

use super::Compared;
use crate::report::json::pretty;

const SCHEMA: &str = "skincheck/crosscheck-importers/1";

#[derive(Debug, Serialize)]
struct Document {
    schema: &'static str,
    /// For all models; false if one could not be compared.
    agrees: bool,
    models: Vec<Model>,
    /// Models that could not be compared.
    errors: Vec<Error>,
}

#[derive(Debug, Serialize)]
struct Error {
    model: String,
    error: String,
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "names of the schema")]
struct Model {
    model: String,
    /// With versions.
    importers: [String; 2],
    agrees: bool,
    /// The name of a stage.
    first_difference: Option<&'static str>,
    /// The unit of all lengths.
    metres_per_unit: Option<f64>,
    /// The diagonal of the rest pose.
    diagonal: f64,
    stages: Vec<Stage>,
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "names of the schema")]
struct Stage {
    stage: &'static str,
    /// `null` if an earlier stage left nothing to compare; then `agrees` is `null`, too.
    compared: Option<usize>,
    agrees: Option<bool>,
    /// The largest deviation, as a fraction of the diagonal.
    farthest: f64,
    differences: Vec<Entry>,
}

/// The worst difference of a kind.
#[derive(Debug, Serialize)]
struct Entry {
    kind: &'static str,
    /// The number of differences of the kind.
    count: usize,
    joint: Option<String>,
    mesh: Option<String>,
    /// The position in the mesh in the bind pose.
    vertex: Option<[f64; 3]>,
    clip: Option<String>,
    time: Option<f64>,
    part: Option<&'static str>,
    /// The value of each importer.
    says: [String; 2],
    off: Option<Distance>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "measure", rename_all = "snake_case")]
enum Distance {
    Length { absolute: f64, relative: f64 },
    Part { relative: f64 },
    Time { seconds: f64 },
}

/// Renders the report as JSON.
///
/// * `failed` – paths of models that could not be compared, each with the reason.
#[must_use]
pub fn write(compared: &[Compared], failed: &[(String, String)]) -> String {
    let agree = compared.iter().all(|compared| compared.report.agrees());
    let error = |(model, error): &(String, String)| Error {
        model: model.clone(),
        error: error.clone(),
    };
    pretty(&Document {
        schema: SCHEMA,
        agrees: agree && failed.is_empty(),
        models: compared.iter().map(Model::of).collect(),
        errors: failed.iter().map(error).collect(),
    })
}

impl Model {
    fn of(compared: &Compared) -> Self {
        let report: &ImporterReport = &compared.report;
        Self {
            model: compared.model.clone(),
            importers: report.importers.clone(),
            agrees: report.agrees(),
            first_difference: report.first_difference().map(|stage| stage.stage.name()),
            metres_per_unit: report.metres_per_unit,
            diagonal: report.diagonal,
            stages: report.stages.iter().map(Stage::of).collect(),
        }
    }
}

impl Stage {
    fn of(report: &StageReport) -> Self {
        Self {
            stage: report.stage.name(),
            compared: report.compared,
            agrees: report.compared.map(|_| report.agrees()),
            farthest: report.farthest,
            differences: report.differences.iter().map(Entry::of).collect(),
        }
    }
}

impl Entry {
    fn of(difference: &Difference) -> Self {
        let location = difference.location.clone();
        Self {
            kind: difference.kind.name(),
            count: difference.count,
            joint: location.joint,
            mesh: location.mesh,
            vertex: location.vertex,
            clip: location.clip,
            time: location.time.map(crate::units::Seconds::get),
            part: location.part,
            says: difference.says.clone(),
            off: difference.off.map(Distance::of),
        }
    }
}

impl Distance {
    fn of(off: Off) -> Self {
        match off {
            Off::Length { absolute, relative } => Self::Length { absolute, relative },
            Off::Part(relative) => Self::Part { relative },
            Off::Time(time) => Self::Time {
                seconds: time.get(),
            },
        }
    }
}
