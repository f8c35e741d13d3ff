//! SARIF 2.1.0, for code scanning.
//!
//! # Reference
//!
//! "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", OASIS Standard; section numbers below refer to it.

use std::path::Path;

use data_encoding::BASE64;
use serde_json::{Value, json};

use super::escape::uri;
use super::results::{Declared, Results, fingerprint, numbered};
use super::words::{UNREADABLE, sentence};
use crate::check::AcceptedFinding;
use crate::finding::{Code, Finding, Level};
use crate::fix::Patch;
use crate::rig::Location;
use crate::shown::printable;

/// Viewers of code scanning take 5,000 results of a run and drop an arbitrary rest. The report drops the least
/// important findings itself, and says so.
const MOST_RESULTS: usize = 4000;

/// Renders the results as SARIF.
pub(super) fn write<R, D>(results: &Results<'_, R, D>) -> String {
    let (list, left_out) = self::results(results);
    let declared: Vec<Value> = results.declared.iter().map(declared).collect();
    log(&declared, &invocation(results, left_out), &list)
}

/// A log of one run.
///
/// * `declared` – its rules, §3.49.
fn log(declared: &[Value], invocation: &Value, results: &[Value]) -> String {
    let run = json!({
        "tool": {
            "driver": {
                "name": "skincheck",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": declared,
            },
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
    });
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    });
    let text = serde_json::to_string_pretty(&log);
    text.expect("a JSON value is JSON") + "\n"
}

/// §3.20.
fn invocation<R, D>(report: &Results<'_, R, D>, left_out: usize) -> Value {
    let unreadable = report.models.iter().filter_map(|file| {
        let failure = printable(file.failure?);
        Some(json!({
            "level": "error",
            "message": { "text": failure },
            "locations": [location(&report.seen(file), None)],
        }))
    });
    let mut notices: Vec<Value> = unreadable.collect();
    let unfinished = report.unfinished();
    notices.extend(unfinished.map(|text| json!({ "level": "error", "message": { "text": text } })));
    let successful = notices.is_empty();
    let accepted = report.accepted.iter();
    notices.extend(accepted.flat_map(|accepted| &accepted.gone).map(gone));
    if left_out > 0 {
        let text =
            format!("{left_out} less important results are omitted; --format json has them all");
        notices.push(json!({ "level": "warning", "message": { "text": text } }));
    }
    let settings: Vec<Value> = report
        .unused_settings
        .iter()
        .map(|setting| {
            let mut notice =
                json!({ "level": "warning", "message": { "text": setting.sentence() } });
            if let Some(path) = &setting.path {
                let place = in_text(Path::new(path), setting.line, setting.column);
                notice["locations"] = json!([place]);
            }
            notice
        })
        .collect();
    let mut invocation = json!({
        "executionSuccessful": successful,
        "toolExecutionNotifications": notices,
    });
    if !settings.is_empty() {
        invocation["toolConfigurationNotifications"] = json!(settings);
    }
    invocation
}

/// A resolved finding becomes a notification. As a result it would have the `baselineState` `absent`
/// (§3.27.24), but GitHub's code scanning reads neither that nor `kind`, and would open an alert for it ("SARIF support
/// for code scanning", properties of the `result` object).
fn gone(gone: &AcceptedFinding) -> Value {
    let text = format!(
        "an accepted finding is resolved: {}: {}",
        gone.file, gone.subject
    );
    json!({
        "level": "note",
        "message": { "text": printable(&text) },
        "associatedRule": { "id": gone.rule },
    })
}

/// At most [`MOST_RESULTS`] findings, in the order of the files, and the number of omitted ones.
fn results<R, D>(report: &Results<'_, R, D>) -> (Vec<Value>, usize) {
    let all: usize = report.models.iter().map(|file| file.findings.len()).sum();
    let unreadable = report.models.iter().filter(|file| file.failure.is_some());
    let mut room = MOST_RESULTS.saturating_sub(unreadable.count());
    let mut quota = [0; Level::ALL.len()];
    for (quota, level) in quota.iter_mut().zip(Level::ALL) {
        let count = report.models.iter().map(|file| file.count(level)).sum();
        *quota = room.min(count);
        room -= *quota;
    }
    let shown: usize = quota.iter().sum();
    let mut results = Vec::new();
    for file in &report.models {
        let path = report.seen(file);
        let failed = file
            .failure
            .map(|failure| unreadable_file(report, &path, failure));
        if results.len() < MOST_RESULTS {
            results.extend(failed);
        }
        let mut offered = file.patches.to_vec();
        for (finding, before) in numbered(&file.findings) {
            let left = Level::ALL
                .iter()
                .position(|level| *level == finding.level)
                .map(|index| &mut quota[index]);
            if let Some(left) = left.filter(|left| **left > 0) {
                *left -= 1;
                let mut result = result(report, &path, finding, before);
                // One removes all findings of its code, and can be applied only once.
                if let Some(index) = offered.iter().position(|(code, _)| *code == finding.code) {
                    result["fixes"] = json!([fix(&path, &offered.remove(index))]);
                }
                results.push(result);
            }
        }
    }
    (results, all - shown)
}

/// §3.27.
///
/// * `before` – the number of earlier findings of the file with the same identity.
fn result<R, D>(
    report: &Results<'_, R, D>,
    path: &Path,
    finding: &Finding,
    before: usize,
) -> Value {
    let mut result = json!({
        "ruleId": finding.code.0,
        "level": level_name(finding.level),
        "message": { "text": sentence(finding) },
        "locations": [location(path, Some(&finding.location))],
        "partialFingerprints": fingerprints(path, finding.code.0, &finding.location, before),
        "properties": {
            "count": finding.count,
            "counted": finding.counted,
            "measure": finding.measure,
            "location": finding.location,
        },
    });
    if let Some((index, _)) = report.declared(finding.code) {
        result["ruleIndex"] = json!(index);
    }
    if report.accepted.is_some() {
        let state = finding.accepted.map_or("new", |_| "updated");
        result["baselineState"] = json!(state);
    }
    result
}

/// §3.55: the replacements of bytes that remove all findings of a code.
fn fix(path: &Path, (code, patches): &(Code, Vec<Patch>)) -> Value {
    let replacement = |patch: &Patch| {
        json!({
            "deletedRegion": { "byteOffset": patch.replaced.start, "byteLength": patch.replaced.len() },
            "insertedContent": { "binary": BASE64.encode(&patch.bytes) },
        })
    };
    let replacements: Vec<Value> = patches.iter().map(replacement).collect();
    json!({
        "description": { "text": format!("removes all findings of {code}, as skincheck fix does") },
        "artifactChanges": [{
            "artifactLocation": location(path, None)["physicalLocation"]["artifactLocation"],
            "replacements": replacements,
        }],
    })
}

fn unreadable_file<R, D>(report: &Results<'_, R, D>, path: &Path, failure: &str) -> Value {
    let mut result = json!({
        "ruleId": UNREADABLE,
        "ruleIndex": report.declared(Code(UNREADABLE)).map(|(index, _)| index),
        "level": "error",
        "message": { "text": printable(failure) },
        "locations": [location(path, None)],
        "partialFingerprints": fingerprints(path, UNREADABLE, &Location::FILE, 0),
    });
    // Either all results have a state, or none (§3.27.24).
    if report.accepted.is_some() {
        result["baselineState"] = json!("new");
    }
    result
}

/// §3.28. A model has no lines, but GitHub's code scanning requires one ("SARIF support for code scanning", properties
/// of the `physicalLocation` object: `region.startLine` is required).
///
/// * `path` – of the model, relative to the program's folder.
pub(super) fn location(path: &Path, location: Option<&Location>) -> Value {
    let mut artifact = json!({ "uri": uri(path) });
    let below = !path.is_absolute() && !path.starts_with("..");
    if below {
        artifact["uriBaseId"] = json!("%SRCROOT%");
    }
    let mut value = json!({
        "physicalLocation": {
            "artifactLocation": artifact,
            "region": { "startLine": 1 },
        },
    });
    let logical = location.map(logical).unwrap_or_default();
    if !logical.is_empty() {
        value["logicalLocations"] = json!(logical);
    }
    value
}

/// §3.28, of a setting in a configuration.
///
/// * `line`, `column` – from 1, if they are known.
fn in_text(path: &Path, line: Option<usize>, column: Option<usize>) -> Value {
    let mut value = location(path, None);
    let region = &mut value["physicalLocation"]["region"];
    for (key, number) in [("startLine", line), ("startColumn", column)] {
        if let Some(number) = number {
            region[key] = json!(number);
        }
    }
    value
}

/// §3.33: the names, the subject of the finding first.
fn logical(location: &Location) -> Vec<Value> {
    let part = location.part.as_ref().map(ToString::to_string);
    let kinds = [
        ("mesh", &location.mesh),
        ("skin", &location.skin),
        ("joint", &location.joint),
        ("material", &location.material),
        ("clip", &location.clip),
        ("part", &part),
    ];
    let named = kinds.into_iter().filter_map(|(kind, name)| {
        let name = name.as_ref()?;
        Some(json!({ "kind": kind, "name": name, "fullyQualifiedName": format!("{kind} {name}") }))
    });
    named.collect()
}

/// §3.27.17: the fingerprints of a finding.
///
/// * `before` – see [`fingerprint`].
///
/// GitHub's code scanning recognizes a result by `primaryLocationLineHash` only ("SARIF support for code scanning"). If
/// it is missing, the upload action computes it from the line, so it would be the same for all findings of a model and
/// change with each export.
pub(super) fn fingerprints(path: &Path, rule: &str, location: &Location, before: usize) -> Value {
    let hash = fingerprint(path, rule, location, before);
    json!({ "primaryLocationLineHash": hash, "skincheck/v1": hash })
}

/// The code with its whole page.
pub(super) fn declared(own: &Declared) -> Value {
    let page = own.page.as_deref().unwrap_or(&own.about);
    json!({
        "id": own.code.0,
        "name": own.name,
        "shortDescription": { "text": own.about },
        "fullDescription": { "text": why(page) },
        "help": { "text": page, "markdown": page },
        "defaultConfiguration": { "enabled": own.enabled, "level": level_name(own.level) },
        "properties": { "tags": [own.family] },
    })
}

/// §3.27.10.
fn level_name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Hint | Level::Info => "note",
    }
}

/// The most characters of a description in GitHub's code scanning ("SARIF support for code scanning", properties of the
/// `reportingDescriptor` object).
const MOST_BYTES: usize = 1000;

/// The paragraphs between the title and the fix, without headings, as many as fit.
fn why(page: &str) -> String {
    let (_, page) = page.split_once("## What it does").unwrap_or(("", page));
    let (why, _) = page.split_once("## How to fix").unwrap_or((page, ""));
    let paragraphs = why.trim_start().split("\n\n").map(|paragraph| {
        let lines = paragraph.lines().filter(|line| !line.starts_with('#'));
        lines.collect::<Vec<&str>>().join("\n")
    });
    let mut text = String::new();
    for paragraph in paragraphs.filter(|paragraph| !paragraph.is_empty()) {
        if text.len() + paragraph.len() + 2 > MOST_BYTES {
            break;
        }
        text += if text.is_empty() { "" } else { "\n\n" };
        text += &paragraph;
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::check::{Accepted, FileReport, Report};
    use crate::finding::Level;
    use crate::report::{Format, View, check, codes};

    fn written(report: &Report) -> Value {
        let text = check::write(report, Format::Sarif, View::default());
        let mut log: Value = serde_json::from_str(&text).expect("it is JSON");
        log["runs"][0].take()
    }

    fn finding(level: Level, mesh: usize) -> Finding {
        Finding::new(
            Code("W103"),
            level,
            Location::mesh(format!("mesh {mesh}")),
            "is off",
        )
    }

    #[test]
    fn too_many_results_are_cut_to_the_important_ones_with_a_notice() {
        let infos = (0..MOST_RESULTS).map(|mesh| finding(Level::Info, mesh));
        let errors = (0..10).map(|mesh| finding(Level::Error, mesh));
        let report = Report {
            files: vec![FileReport {
                path: "a.glb".into(),
                findings: infos.chain(errors).collect(),
                ..FileReport::default()
            }],
            ..Report::default()
        };
        let run = written(&report);
        let results = run["results"].as_array().expect("results are a list");
        assert_eq!(results.len(), MOST_RESULTS);
        let errors = results.iter().filter(|result| result["level"] == "error");
        assert_eq!(errors.count(), 10);
        let notice = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
        let notice = notice.as_str().expect("there is a notice");
        assert!(notice.starts_with("10 less important results"), "{notice}");
    }

    #[test]
    fn a_fingerprint_distinguishes_findings_by_rule_file_and_names() {
        let print = |path, mesh| {
            let finding = finding(Level::Error, mesh);
            fingerprints(Path::new(path), finding.code.0, &finding.location, 0)
        };
        assert_eq!(print("a.glb", 1), print("./a.glb", 1));
        assert_ne!(print("a.glb", 1), print("b.glb", 1));
        assert_ne!(print("a.glb", 1), print("a.glb", 2));
    }

    #[test]
    fn findings_of_the_same_names_are_distinguished_by_their_order() {
        let findings = [1, 2, 1, 1].map(|mesh| finding(Level::Error, mesh));
        let prints = |findings: &[Finding]| {
            let report = Report {
                files: vec![FileReport {
                    path: "a.glb".into(),
                    findings: findings.to_vec(),
                    ..FileReport::default()
                }],
                ..Report::default()
            };
            let run = written(&report);
            let results = run["results"].as_array().expect("results are a list");
            let prints = results.iter().map(|result| &result["partialFingerprints"]);
            prints.map(Value::to_string).collect::<Vec<String>>()
        };
        let all = prints(&findings);
        let told_apart: BTreeSet<&String> = all.iter().collect();
        assert_eq!(told_apart.len(), 4, "{all:?}");
        assert_eq!(prints(&findings[..3]), all[..3]);
        let first = [&all[1], &all[0], &all[2]].map(String::as_str);
        assert_eq!(prints(&findings[1..]), first);
    }

    #[test]
    fn with_a_baseline_every_result_has_a_state_and_gone_findings_are_not_results() {
        let grown = Finding {
            accepted: Some(1),
            ..finding(Level::Error, 2)
        };
        let file = FileReport {
            path: "a.glb".into(),
            failure: Some("it ends too early".into()),
            findings: vec![finding(Level::Error, 1), grown],
            ..FileReport::default()
        };
        let gone = AcceptedFinding {
            file: "a.glb".into(),
            rule: "W103".into(),
            subject: "mesh \"mesh 3\"".into(),
        };
        let report = Report {
            files: vec![file],
            accepted: Some(Accepted {
                just_now: false,
                still_there: 0,
                gone: vec![gone],
            }),
            ..Report::default()
        };
        let run = written(&report);
        let results = run["results"].as_array().expect("results are a list");
        let states: Vec<&Value> = results.iter().map(|r| &r["baselineState"]).collect();
        assert_eq!(states, ["new", "new", "updated"]);
        let notice = &run["invocations"][0]["toolExecutionNotifications"][1];
        assert_eq!(notice["level"], "note");
        assert_eq!(notice["associatedRule"]["id"], "W103");
    }

    #[test]
    fn every_rule_is_described_within_the_limits_of_code_scanning() {
        for code in codes::of_check() {
            let declared = declared(&code);
            let text = declared["fullDescription"]["text"]
                .as_str()
                .expect("it is described");
            assert!((60..=1000).contains(&text.len()), "{text}");
            assert!(!text.contains("\n##") && text.trim() == text, "{text}");
        }
    }
}
