//! SARIF 2.1.0, for code scanning.
//!
//! # Reference
//!
//! "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", OASIS Standard; section numbers below refer to it.

mod location;
mod rule;

use std::path::Path;

use serde_json::{Value, json};

use super::fingerprint::numbered;
use super::results::Results;
use super::words::{LEVELS, UNREADABLE, sentence};
use crate::check::AcceptedFinding;
use crate::finding::{Code, Finding};
use crate::rig::Location;
use crate::shown::printable;

/// Viewers of code scanning take 5,000 results of a run and drop an arbitrary rest. The report drops the least
/// important findings itself, and says so.
const MOST_RESULTS: usize = 4000;

/// Renders the results as SARIF.
pub(super) fn write<R, D>(results: &Results<'_, R, D>) -> String {
    let (list, left_out) = self::results(results);
    let declared: Vec<Value> = results.declared.iter().map(rule::declared).collect();
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
            "locations": [location::location(&report.seen(file), None)],
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
    let settings = report.unused_settings.iter().map(|setting| {
        let mut notice = json!({ "level": "warning", "message": { "text": setting.sentence() } });
        if let Some(path) = &setting.path {
            let place = location::in_text(Path::new(path), setting.line, setting.column);
            notice["locations"] = json!([place]);
        }
        notice
    });
    let settings: Vec<Value> = settings.collect();
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
    let mut quota = [0; LEVELS.len()];
    for (quota, level) in quota.iter_mut().zip(LEVELS) {
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
        for (finding, before) in numbered(&file.findings) {
            let left = LEVELS.iter().position(|level| *level == finding.level);
            let left = left.map(|index| &mut quota[index]);
            if let Some(left) = left.filter(|left| **left > 0) {
                *left -= 1;
                results.push(result(report, &path, finding, before));
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
        "level": rule::level_name(finding.level),
        "message": { "text": sentence(finding) },
        "locations": [location::location(path, Some(&finding.location))],
        "partialFingerprints": location::fingerprints(path, finding.code.0, &finding.location, before),
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

fn unreadable_file<R, D>(report: &Results<'_, R, D>, path: &Path, failure: &str) -> Value {
    let mut result = json!({
        "ruleId": UNREADABLE,
        "ruleIndex": report.declared(Code(UNREADABLE)).map(|(index, _)| index),
        "level": "error",
        "message": { "text": printable(failure) },
        "locations": [location::location(path, None)],
        "partialFingerprints": location::fingerprints(path, UNREADABLE, &Location::FILE, 0),
    });
    // Either all results have a state, or none (§3.27.24).
    if report.accepted.is_some() {
        result["baselineState"] = json!("new");
    }
    result
}

#[cfg(test)]
mod tests;
