//! The JSON format, schema `skincheck/diff/1`. A number that is not finite is `null`.

use serde::Serialize;

use super::Compared;
use crate::diff::{Finding, Take, Tolerance};
use crate::report::json::pretty;

const SCHEMA: &str = "skincheck/diff/1";

#[derive(Serialize)]
pub(super) struct Document<'a> {
    schema: &'static str,
    same: bool,
    before: SourceJson<'a>,
    after: SourceJson<'a>,
    tolerance: Tolerance,
    diagonal: f64,
    metres_per_unit: Option<f64>,
    matched: MatchedJson,
    takes: Vec<TakeJson<'a>>,
    findings: Vec<FindingJson<'a>>,
}

#[derive(Serialize)]
struct SourceJson<'a> {
    path: &'a str,
    made_by: &'a str,
}

#[derive(Serialize)]
struct MatchedJson {
    joints: usize,
    vertices_before: usize,
    all_vertices_before: usize,
    vertices_after: usize,
    all_vertices_after: usize,
    clips: usize,
}

#[derive(Serialize)]
struct TakeJson<'a> {
    clip_before: Option<&'a str>,
    clip_after: Option<&'a str>,
    samples: usize,
    all_samples: usize,
    differs: bool,
    timing_only: bool,
    max: f64,
    p99: f64,
    rms: f64,
    pixels: f64,
    normals: Option<f64>,
    worst_vertex: Option<VertexJson<'a>>,
    worst_joint: Option<JointJson<'a>>,
}

#[derive(Serialize)]
struct VertexJson<'a> {
    mesh: &'a str,
    vertex: usize,
    counterpart: usize,
    before: [f64; 3],
    after: [f64; 3],
    time: f64,
    joint: Option<&'a str>,
}

#[derive(Serialize)]
struct JointJson<'a> {
    joint: &'a str,
    displacement: f64,
    time: f64,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    stage: &'static str,
    kind: &'static str,
    difference: bool,
    message: &'a str,
    joint: Option<&'a str>,
    mesh: Option<&'a str>,
    clip: Option<&'a str>,
    time: Option<f64>,
    displacement: Option<f64>,
}

/// Renders the report as JSON.
#[must_use]
pub fn write(compared: &Compared) -> String {
    pretty(&document(compared))
}

pub(super) fn document(compared: &Compared) -> Document<'_> {
    let report = &compared.report;
    let source = |side: usize| SourceJson {
        path: &compared.paths[side],
        made_by: &report.sources[side],
    };
    let matched = &report.matched;
    Document {
        schema: SCHEMA,
        same: report.is_same(),
        before: source(0),
        after: source(1),
        tolerance: report.tolerance,
        diagonal: report.diagonal,
        metres_per_unit: report.metres_per_unit,
        matched: MatchedJson {
            joints: matched.joints,
            vertices_before: matched.vertices[0],
            all_vertices_before: matched.all_vertices[0],
            vertices_after: matched.vertices[1],
            all_vertices_after: matched.all_vertices[1],
            clips: matched.clips,
        },
        takes: report.takes.iter().map(TakeJson::of).collect(),
        findings: report.findings.iter().map(FindingJson::of).collect(),
    }
}

impl<'a> TakeJson<'a> {
    fn of(take: &'a Take) -> Self {
        let clip = |side: usize| take.clips.as_ref().map(|clips| clips[side].as_str());
        let surface = &take.surface;
        Self {
            clip_before: clip(0),
            clip_after: clip(1),
            samples: take.samples,
            all_samples: take.all_samples,
            differs: take.differs,
            timing_only: take.timing_only,
            max: surface.max,
            p99: surface.p99,
            rms: surface.rms,
            pixels: surface.pixels,
            normals: surface.normals,
            worst_vertex: surface.worst.as_ref().map(|worst| VertexJson {
                mesh: &worst.mesh,
                vertex: worst.vertex,
                counterpart: worst.counterpart,
                before: worst.positions[0].to_array(),
                after: worst.positions[1].to_array(),
                time: worst.time.get(),
                joint: worst.joint.as_deref(),
            }),
            worst_joint: take.joint.as_ref().map(|worst| JointJson {
                joint: &worst.joint,
                displacement: worst.displacement,
                time: worst.time.get(),
            }),
        }
    }
}

impl<'a> FindingJson<'a> {
    fn of(finding: &'a Finding) -> Self {
        Self {
            stage: finding.kind.stage().name(),
            kind: finding.kind.name(),
            difference: finding.is_difference,
            message: &finding.message,
            joint: finding.joint.as_deref(),
            mesh: finding.mesh.as_deref(),
            clip: finding.clip.as_deref(),
            time: finding.time.map(crate::units::Seconds::get),
            displacement: finding.displacement,
        }
    }
}
