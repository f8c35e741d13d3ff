//! The JSON format: one layout for all commands, which docs/json.md describes.

use schemars::JsonSchema;
use serde::Serialize;

use super::results::{Model, Results, Shown, Summary};
use super::words::{name, sentence};
use crate::check::Accepted;
use crate::finding::Finding;
use crate::shown::unicode;

/// The name of the layout; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/report/1";

/// The results of a command.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Document")]
pub(super) struct Document<'a, R, D> {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The version of the program.
    skincheck: &'static str,
    /// `check`, `diff`, `test`, `crosscheck` or `laws`.
    command: &'static str,
    /// Whether nothing makes the run fail.
    passes: bool,
    /// The number of models that were not examined because the run was interrupted.
    interrupted: usize,
    summary: Summary,
    /// `None` without a baseline.
    accepted: Option<&'a Accepted>,
    #[serde(flatten)]
    run: &'a R,
    models: Vec<ModelJson<'a, D>>,
}

/// The results for a model.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Model")]
struct ModelJson<'a, D> {
    /// As named; of two models that are compared, the second.
    path: String,
    /// Whether nothing about it makes the run fail.
    passes: bool,
    /// Why it could not be examined, or not to the end.
    failure: Option<&'a str>,
    findings: Vec<FindingJson<'a>>,
    #[serde(flatten)]
    details: &'a Option<D>,
}

/// A finding, and what its code means.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Finding")]
struct FindingJson<'a> {
    #[serde(flatten)]
    finding: &'a Finding,
    /// The name of the rule; other codes are their own names.
    name: &'static str,
    /// The topic of the rule, or the stage of the difference.
    family: &'static str,
    /// The location in words.
    location_text: String,
    /// The whole sentence, as reports for people print it.
    sentence: String,
    #[serde(flatten)]
    shown: Shown,
}

/// Renders the results as JSON.
pub(super) fn write<R: Serialize, D: Serialize>(results: &Results<'_, R, D>) -> String {
    pretty(&Document {
        schema: SCHEMA,
        skincheck: env!("CARGO_PKG_VERSION"),
        command: results.command,
        passes: results.passes,
        interrupted: results.interrupted,
        summary: results.summary(),
        accepted: results.accepted,
        run: &results.run,
        models: results
            .models
            .iter()
            .map(|model| ModelJson::of(results, model))
            .collect(),
    })
}

/// A document as indented JSON. A number that is not finite becomes `null`.
pub(super) fn pretty(document: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(document);
    text.expect("no key of the document is anything but a string") + "\n"
}

impl<'a, D> ModelJson<'a, D> {
    fn of<R>(results: &Results<'_, R, D>, model: &'a Model<'_, D>) -> Self {
        let findings = model.findings.iter().enumerate();
        let findings = findings.map(|(index, finding)| FindingJson {
            finding,
            name: name(finding.code),
            family: results
                .declared(finding.code)
                .map_or("", |(_, own)| own.family),
            location_text: finding.location.to_string(),
            sentence: sentence(finding),
            shown: model.images.get(index).cloned().unwrap_or_default(),
        });
        Self {
            path: unicode(&model.path),
            passes: model.passes,
            failure: model.failure,
            findings: findings.collect(),
            details: &model.details,
        }
    }
}
