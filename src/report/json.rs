//! The JSON format: one layout for all commands, which docs/json.md describes.

use serde::Serialize;

use super::results::{Model, Results, Shown, Summary, explained_by};
use super::words::{name, sentence};
use crate::check::Accepted;
use crate::check::baseline::subject;
use crate::check::record::SCHEMA;
use crate::finding::{Cause, Code, Finding};
use crate::shown::unicode;

/// The results of a command.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "{D}Report"))]
pub(super) struct Document<'a, R, D> {
    #[cfg_attr(feature = "testing", schemars(extend("const" = SCHEMA)))]
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
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "{D}Model"))]
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
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Finding"))]
struct FindingJson<'a> {
    #[serde(flatten)]
    finding: &'a Finding,
    /// The name of the rule; other codes are their own names.
    name: &'static str,
    /// The topic of the rule, or the stage of the difference.
    family: &'static str,
    /// The code of the finding that explains it, if one does.
    follows_from: Option<Code>,
    /// The index in `findings` of that finding, if it is there.
    explained_by: Option<usize>,
    /// What identifies it in another export of the model, besides its code: the names in its location.
    subject: String,
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
    let text = serde_json::to_string_pretty(document)
        .expect("no key of the document is anything but a string");
    numbers_in_one_line(&text) + "\n"
}

/// Lists of numbers, each in one line instead of a line per number.
fn numbers_in_one_line(text: &str) -> String {
    let is_number = |line: &str| {
        let line = line.trim_start();
        line.starts_with(|first: char| first.is_ascii_digit() || first == '-')
    };
    let mut joined = String::with_capacity(text.len());
    let mut inside = false;
    for (index, line) in text.lines().enumerate() {
        // Strings are in quotes and keys before their values, so a line that begins as a number is one in a list.
        let number = is_number(line);
        let ends = inside && line.trim_start().starts_with(']');
        if number || ends {
            let gap = if inside && number { " " } else { "" };
            joined += gap;
            joined += line.trim_start();
        } else {
            joined += if index > 0 { "\n" } else { "" };
            joined += line;
        }
        inside = number;
    }
    joined
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
            follows_from: finding.cause.as_ref().and_then(Cause::code),
            explained_by: explained_by(&model.findings, finding),
            subject: subject(&finding.location),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_numbers_are_lines_and_everything_else_is_as_before() {
        let document = serde_json::json!({
            "a": [1, -2.5, 3], "b": ["1", "x"], "c": [[1, 2], []], "d": [{ "e": 4 }], "f": 5, "g": "\n7",
        });
        let text = pretty(&document);
        assert!(
            text.contains("\"a\": [1, -2.5, 3],\n  \"b\": [\n    \"1\",\n    \"x\"\n  ]"),
            "{text}"
        );
        assert!(text.contains("[\n    [1, 2],\n    []\n  ]"), "{text}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).ok(),
            Some(document)
        );
    }
}
