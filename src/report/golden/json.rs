//! The JSON format, schema `skincheck/test/1`.

use serde::Serialize;

use crate::diff::{Finding, Tolerance};
use crate::golden::{ClipReport, ImageReport, ModelReport, Report, Verdict};
use crate::report::json::pretty;
use crate::shown::unicode;

const SCHEMA: &str = "skincheck/test/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    passes: bool,
    config: String,
    same: usize,
    changed: usize,
    new: usize,
    failed: usize,
    models: Vec<ModelJson<'a>>,
    orphans: Vec<OrphanJson<'a>>,
}

#[derive(Serialize)]
struct ModelJson<'a> {
    path: String,
    name: &'a str,
    verdict: &'static str,
    failure: Option<&'a str>,
    approved: String,
    tolerance: Tolerance,
    differences: Vec<FindingJson<'a>>,
    clips: Vec<ClipJson<'a>>,
}

#[derive(Serialize)]
struct ClipJson<'a> {
    name: &'a str,
    verdict: &'static str,
    numbers: &'static str,
    note: Option<&'a str>,
    times: usize,
    largest: Option<f64>,
    differences: Vec<FindingJson<'a>>,
    pictures: Vec<ImageJson<'a>>,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    stage: &'static str,
    kind: &'static str,
    message: &'a str,
    joint: Option<&'a str>,
    mesh: Option<&'a str>,
    time: Option<f64>,
}

#[derive(Serialize)]
struct ImageJson<'a> {
    file: &'a str,
    time: f64,
    view: &'a str,
    verdict: &'static str,
    cause: Option<String>,
}

#[derive(Serialize)]
struct OrphanJson<'a> {
    path: String,
    clip: Option<&'a str>,
}

/// Renders the report as JSON.
#[must_use]
pub fn write(report: &Report) -> String {
    let summary = report.summary();
    let orphans = report.orphans.iter().map(|orphan| OrphanJson {
        path: unicode(&orphan.path),
        clip: orphan.clip.as_deref(),
    });
    pretty(&Document {
        schema: SCHEMA,
        passes: report.passes() && summary.failed == 0,
        config: unicode(&report.config),
        same: summary.same,
        changed: summary.changed,
        new: summary.new,
        failed: summary.failed,
        models: report.models.iter().map(model).collect(),
        orphans: orphans.collect(),
    })
}

fn model(model: &ModelReport) -> ModelJson<'_> {
    ModelJson {
        path: unicode(&model.path),
        name: &model.name,
        verdict: match model.failure {
            Some(_) => "failed",
            None => model.verdict().name(),
        },
        failure: model.failure.as_deref(),
        approved: unicode(&model.approved),
        tolerance: model.tolerance,
        differences: model.differences.iter().map(finding).collect(),
        clips: model.clips.iter().map(clip).collect(),
    }
}

fn clip(clip: &ClipReport) -> ClipJson<'_> {
    ClipJson {
        name: &clip.name,
        verdict: clip.verdict().name(),
        numbers: clip.numbers.name(),
        note: clip.note.as_deref(),
        times: clip.times,
        largest: clip.largest.filter(|largest| largest.is_finite()),
        differences: clip.differences.iter().map(finding).collect(),
        pictures: clip.images.iter().map(image).collect(),
    }
}

fn finding(finding: &Finding) -> FindingJson<'_> {
    FindingJson {
        stage: finding.kind.stage().name(),
        kind: finding.kind.name(),
        message: &finding.message,
        joint: finding.joint.as_deref(),
        mesh: finding.mesh.as_deref(),
        time: finding.time.map(crate::units::Seconds::get),
    }
}

fn image(image: &ImageReport) -> ImageJson<'_> {
    ImageJson {
        file: &image.file,
        time: image.time.get(),
        view: &image.view,
        verdict: Verdict::name(image.verdict),
        cause: image.cause.as_ref().map(ToString::to_string),
    }
}
