//! SARIF 2.1.0, for code scanning. Results refer to the model after, which has no lines.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::Compared;
use crate::diff::{Finding, Kind};
use crate::report::sarif::{location, log};
use crate::rig::Location;
use crate::shown::printable;

/// The SARIF format.
#[must_use]
pub fn write(compared: &Compared) -> String {
    page(&results(compared), &[])
}

/// A log of one run.
///
/// * `failures` – the paths that could not be compared, with the errors.
pub(super) fn page(results: &[Value], failures: &[(&str, &str)]) -> String {
    let notices = failures.iter().map(|(path, reason)| {
        json!({
            "level": "error",
            "message": { "text": printable(reason) },
            "locations": [location::location(Path::new(path), None)],
        })
    });
    let notices: Vec<Value> = notices.collect();
    let mut invocation = json!({ "executionSuccessful": notices.is_empty() });
    if !notices.is_empty() {
        invocation["toolExecutionNotifications"] = notices.into();
    }
    let declared: Vec<Value> = Kind::ALL.iter().map(|kind| declared(*kind)).collect();
    log(&declared, &invocation, results)
}

pub(super) fn results(compared: &Compared) -> Vec<Value> {
    let after = Path::new(&compared.paths[1]);
    let mut seen: BTreeMap<(Kind, Vec<Option<&String>>), usize> = BTreeMap::new();
    compared
        .report
        .findings
        .iter()
        .map(|finding| {
            let names = [&finding.mesh, &finding.joint, &finding.clip].map(Option::as_ref);
            let before = seen.entry((finding.kind, names.to_vec())).or_default();
            *before += 1;
            result(after, finding, *before - 1)
        })
        .collect()
}

/// The result for a model without a counterpart.
pub(super) fn alone(path: &str, kind: Kind, message: &str) -> Value {
    let path = Path::new(path);
    json!({
        "ruleId": kind.name(),
        "ruleIndex": index(kind),
        "level": "error",
        "message": { "text": printable(message) },
        "locations": [location::location(path, None)],
        "partialFingerprints": location::fingerprints(path, kind.name(), &Location::FILE, 0),
    })
}

fn index(kind: Kind) -> Option<usize> {
    Kind::ALL.iter().position(|known| *known == kind)
}

fn declared(kind: Kind) -> Value {
    json!({
        "id": kind.name(),
        "shortDescription": { "text": kind.about() },
        "fullDescription": { "text": kind.about() },
        "help": { "text": kind.about() },
        "defaultConfiguration": { "level": "error" },
        "properties": { "tags": [kind.stage().name()] },
    })
}

/// * `before` – the number of earlier findings with the same kind and names.
fn result(after: &Path, finding: &Finding, before: usize) -> Value {
    let subject = Location {
        mesh: finding.mesh.clone(),
        joint: finding.joint.clone(),
        clip: finding.clip.clone(),
        ..Location::FILE
    };
    let rule = finding.kind.name();
    let level = if finding.is_difference {
        "error"
    } else {
        "note"
    };
    json!({
        "ruleId": rule,
        "ruleIndex": index(finding.kind),
        "level": level,
        "message": { "text": printable(&finding.message) },
        "locations": [location::location(after, Some(&subject))],
        "partialFingerprints": location::fingerprints(after, rule, &subject, before),
        "properties": {
            "time": finding.time.map(crate::units::Seconds::get),
            "displacement": finding.displacement,
        },
    })
}
