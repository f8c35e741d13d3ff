//! The JSON format; docs/check.md describes it.

use serde::Serialize;
use serde_json::Value;

use super::format::{Format, View};
use super::words::rule_name;
use crate::check::{AcceptedFinding, FileReport, Report, Summary};
use crate::closeup::command;
use crate::lint::{Conversion, Level, Thinned};
use crate::rig::{Location, NodeId, Note};
use crate::shown::unicode;

/// The JSON format.
#[derive(Debug)]
pub(super) struct Json;

/// The name of the layout; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/check/1";

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn about(&self) -> &'static str {
        "for other programs, with a versioned schema"
    }

    fn write(&self, report: &Report, _: View) -> String {
        let document = Document {
            schema: SCHEMA,
            skincheck: env!("CARGO_PKG_VERSION"),
            passes: report.passes(),
            summary: report.summary(),
            unchecked_files: report.unchecked_files,
            accepted: report.accepted.as_ref().map(|accepted| AcceptedJson {
                still_there: accepted.still_there,
                gone: &accepted.gone,
            }),
            files: report.files.iter().map(file).collect(),
        };
        pretty(&document)
    }
}

/// A document as indented JSON. A number that is not finite becomes `null`.
pub(super) fn pretty(document: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(document);
    text.expect("no key of the document is anything but a string") + "\n"
}

/// A model that a command could not examine, and why.
#[derive(Debug, Serialize)]
pub(super) struct Failed<'a> {
    model: &'a str,
    error: &'a str,
}

impl<'a> Failed<'a> {
    /// * `failed` – paths of models, each with the reason.
    pub(super) fn all(failed: &'a [(String, String)]) -> Vec<Self> {
        let failed = failed.iter();
        failed.map(|(model, error)| Self { model, error }).collect()
    }
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    skincheck: &'static str,
    passes: bool,
    summary: Summary,
    /// Files that were not checked because the run was interrupted.
    unchecked_files: usize,
    accepted: Option<AcceptedJson<'a>>,
    files: Vec<FileJson<'a>>,
}

#[derive(Serialize)]
struct AcceptedJson<'a> {
    still_there: usize,
    gone: &'a [AcceptedFinding],
}

#[derive(Serialize)]
struct FileJson<'a> {
    path: String,
    importer: Option<&'a str>,
    config: Option<String>,
    failure: Option<&'a str>,
    findings: Vec<FindingJson<'a>>,
    unchecked: Vec<UncheckedJson<'a>>,
    thinned: &'a [Thinned],
    notes: &'a [Note],
    profile: Option<&'static str>,
    conversions: Vec<ConversionJson>,
}

#[derive(Serialize)]
struct ConversionJson {
    what: &'static str,
    file: String,
    engine: String,
    factor: Option<f64>,
}

#[derive(Serialize)]
struct UncheckedJson<'a> {
    code: &'static str,
    name: &'static str,
    reason: &'a str,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    code: &'static str,
    name: &'static str,
    level: Level,
    message: &'a str,
    place: LocationJson<'a>,
    /// The location in words.
    place_text: String,
    /// The location in the file.
    r#where: Option<&'a str>,
    count: usize,
    counted: &'static str,
    value: Option<f64>,
    limit: Option<f64>,
    accepted: Option<usize>,
    /// The path of the close-up.
    picture: Option<String>,
    /// The command that draws it.
    render: Option<String>,
}

/// The parts of the location that apply; the others are omitted.
#[derive(Serialize)]
struct LocationJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skin: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    joint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    material: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vertex: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    joints: Vec<JointJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pose: Option<&'a str>,
}

#[derive(Serialize)]
struct JointJson<'a> {
    joint: &'a str,
    weight: f64,
}

fn file(file: &FileReport) -> FileJson<'_> {
    let unchecked = file.unchecked.iter().map(|unchecked| UncheckedJson {
        code: unchecked.code.0,
        name: rule_name(unchecked.code),
        reason: &unchecked.reason,
    });
    FileJson {
        path: unicode(&file.path),
        importer: file.importer.as_deref(),
        config: file.config.as_ref().map(|path| unicode(path)),
        failure: file.failure.as_deref(),
        findings: (0..file.findings.len())
            .map(|index| finding(file, index))
            .collect(),
        unchecked: unchecked.collect(),
        thinned: &file.thinned,
        notes: &file.notes,
        profile: file.profile.map(|profile| profile.name),
        conversions: file.conversions.iter().map(conversion).collect(),
    }
}

fn conversion(conversion: &Conversion) -> ConversionJson {
    ConversionJson {
        what: conversion.what(),
        file: conversion.file(),
        engine: conversion.engine(),
        factor: conversion.factor(),
    }
}

fn finding(file: &FileReport, index: usize) -> FindingJson<'_> {
    let finding = &file.findings[index];
    let image = file.image(index).and_then(|own| own.path.as_deref());
    FindingJson {
        code: finding.code.0,
        name: rule_name(finding.code),
        level: finding.level,
        message: &finding.message,
        place: location(&finding.location),
        place_text: finding.location.to_string(),
        r#where: finding.origin.as_deref(),
        count: finding.count,
        counted: finding.counted,
        value: finding.value,
        limit: finding.limit,
        accepted: finding.accepted,
        picture: image.map(unicode),
        render: command(&file.path, &finding.location),
    }
}

fn location(location: &Location) -> LocationJson<'_> {
    let joints = location.joints.iter();
    LocationJson {
        mesh: location.mesh.as_deref(),
        skin: location.skin.as_deref(),
        joint: location.joint.as_deref(),
        node: location.node.map(NodeId::index),
        material: location.material.as_deref(),
        clip: location.clip.as_deref(),
        part: location.part.as_deref(),
        vertex: location.vertex,
        joints: joints
            .map(|(joint, weight)| JointJson {
                joint,
                weight: shortest(*weight),
            })
            .collect(),
        time: location.time.map(crate::units::Seconds::get),
        pose: location.pose.as_deref(),
    }
}

/// Rounded to the fewest digits that distinguish an f32 from its neighbours.
fn shortest(weight: f32) -> f64 {
    weight.to_string().parse().unwrap_or(f64::NAN)
}

/// The location alone, for formats that embed it.
pub(super) fn location_value(of: &Location) -> Value {
    serde_json::to_value(location(of)).expect("names and numbers are JSON")
}
