//! Locations in SARIF.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::escape::uri;
use super::super::results::{Model, Results};
use crate::check::baseline::subject;
use crate::paths::seen_from;
use crate::rig::Location;

/// The path of the model relative to the program's folder, however it was named: code scanning finds it in a repository
/// by that path.
pub(super) fn path<R, D>(results: &Results<'_, R, D>, model: &Model<'_, D>) -> PathBuf {
    match results.folder {
        Some(folder) => seen_from(folder, &model.path),
        None => model.path.to_path_buf(),
    }
}

/// §3.28. A model has no lines, but GitHub's code scanning requires one ("SARIF support for code scanning", properties
/// of the `physicalLocation` object: `region.startLine` is required).
///
/// * `path` – of the model, from [`path`].
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

/// §3.33: the names, the subject of the finding first.
fn logical(location: &Location) -> Vec<Value> {
    let kinds = [
        ("mesh", &location.mesh),
        ("skin", &location.skin),
        ("joint", &location.joint),
        ("material", &location.material),
        ("clip", &location.clip),
        ("part", &location.part),
    ];
    let named = kinds.into_iter().filter_map(|(kind, name)| {
        let name = name.as_ref()?;
        Some(json!({ "kind": kind, "name": name, "fullyQualifiedName": format!("{kind} {name}") }))
    });
    named.collect()
}

/// §3.27.17: the fingerprints of a finding. They stay the same as long as the rule, the file, the names, and the number
/// of earlier findings with the same ones do.
///
/// * `before` – that number.
///
/// GitHub's code scanning recognizes a result by `primaryLocationLineHash` only ("SARIF support for code scanning"). If
/// it is missing, the upload action computes it from the line, so it would be the same for all findings of a model and
/// change with each export.
pub(super) fn fingerprints(path: &Path, rule: &str, location: &Location, before: usize) -> Value {
    let (path, subject, before) = (uri(path), subject(location), before.to_string());
    let parts = [rule, &path, &subject, &before];
    let hash = hash(if before == "0" { &parts[..3] } else { &parts });
    json!({ "primaryLocationLineHash": hash, "skincheck/v1": hash })
}

/// FNV-1a over the parts, with separators.
fn hash(parts: &[&str]) -> String {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    format!("{:016x}", bytes.fold(OFFSET, step))
}
