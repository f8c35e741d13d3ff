//! Locations in SARIF.

use std::path::Path;

use serde_json::{Value, json};

use super::super::escape::uri;
use super::super::fingerprint::fingerprint;
use crate::rig::Location;

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
pub(super) fn in_text(path: &Path, line: Option<usize>, column: Option<usize>) -> Value {
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
