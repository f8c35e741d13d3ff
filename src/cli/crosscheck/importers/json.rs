//! The report for machines: schema `skincheck/crosscheck-importers/1`.

use serde::Serialize;
use skincheck::crosscheck::importers::{Difference, ImporterReport, Off, StageReport};

use super::Compared;

const SCHEMA: &str = "skincheck/crosscheck-importers/1";

/// All files that could be compared.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    schema: &'static str,
    /// Whether the importers agree on all of them.
    agree: bool,
    files: Vec<File>,
}

#[derive(Debug, Serialize)]
struct File {
    model: String,
    /// With versions.
    importers: [String; 2],
    agree: bool,
    /// The name of a stage.
    first_difference: Option<&'static str>,
    /// Of the lengths below.
    metres_per_unit: Option<f64>,
    /// Of the rest pose.
    diagonal: f64,
    stages: Vec<Stage>,
}

#[derive(Debug, Serialize)]
struct Stage {
    stage: &'static str,
    /// Null where an earlier stage left nothing to compare; `agree` is null then too.
    compared: Option<usize>,
    agree: Option<bool>,
    /// The largest deviation, as a part of the diagonal; null if infinite.
    farthest: f64,
    differences: Vec<Entry>,
}

/// The worst of a kind.
#[derive(Debug, Serialize)]
struct Entry {
    kind: &'static str,
    /// How many there are of the kind.
    count: usize,
    joint: Option<String>,
    mesh: Option<String>,
    /// Place in the mesh at bind time.
    vertex: Option<[f64; 3]>,
    clip: Option<String>,
    time: Option<f64>,
    part: Option<&'static str>,
    /// What each importer has there.
    says: [String; 2],
    off: Option<Distance>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "measure", rename_all = "snake_case")]
enum Distance {
    /// Null where infinite.
    Length {
        absolute: f64,
        relative: f64,
    },
    Part {
        relative: f64,
    },
    Time {
        seconds: f64,
    },
}

impl Document {
    pub(super) fn of(compared: &[Compared<'_>]) -> Self {
        Self {
            schema: SCHEMA,
            agree: compared.iter().all(|compared| compared.report.agrees()),
            files: compared.iter().map(File::of).collect(),
        }
    }
}

impl File {
    fn of(compared: &Compared<'_>) -> Self {
        let report: &ImporterReport = &compared.report;
        Self {
            model: compared.path.display().to_string(),
            importers: report.importers.clone(),
            agree: report.agrees(),
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
            agree: report.compared.map(|_| report.agrees()),
            farthest: report.farthest,
            differences: report.differences.iter().map(Entry::of).collect(),
        }
    }
}

impl Entry {
    fn of(difference: &Difference) -> Self {
        let place = difference.place.clone();
        Self {
            kind: difference.kind.name(),
            count: difference.count,
            joint: place.joint,
            mesh: place.mesh,
            vertex: place.vertex,
            clip: place.clip,
            time: place.time.map(skincheck::units::Seconds::get),
            part: place.part,
            says: difference.says.clone(),
            off: difference.off.and_then(Distance::of),
        }
    }
}

impl Distance {
    fn of(off: Off) -> Option<Self> {
        Some(match off {
            Off::Length { absolute, relative } => Self::Length { absolute, relative },
            Off::Part(relative) => Self::Part { relative },
            Off::Time(time) => Self::Time {
                seconds: time.get(),
            },
            _ => return None,
        })
    }
}
