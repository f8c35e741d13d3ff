//! Places, as SARIF names them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::escape::uri;
use crate::check::baseline::subject;
use crate::check::{FileReport, Report};
use crate::paths::seen_from;
use crate::rig::Location;

/// The way to the model from where the program ran, however it was named: by that code scanning finds it in a repository.
pub(super) fn path(report: &Report, file: &FileReport) -> PathBuf {
    if report.folder.as_os_str().is_empty() {
        file.path.clone()
    } else {
        seen_from(&report.folder, &file.path)
    }
}

/// §3.28. A model has no lines; GitHub's code scanning demands one ("SARIF support for code scanning", properties of the
/// `physicalLocation` object: `region.startLine` is required).
///
/// * `path` – of the model, as [`path`] makes it.
pub(in crate::report) fn location(path: &Path, place: Option<&Location>) -> Value {
    let mut artifact = json!({ "uri": uri(path) });
    let below = !path.is_absolute() && !path.starts_with("..");
    if below {
        artifact["uriBaseId"] = json!("%SRCROOT%");
    }
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": artifact,
            "region": { "startLine": 1 },
        },
    });
    let logical = place.map(logical).unwrap_or_default();
    if !logical.is_empty() {
        location["logicalLocations"] = json!(logical);
    }
    location
}

/// §3.33: the names, of which the first is what the finding is about.
fn logical(place: &Location) -> Vec<Value> {
    let kinds = [
        ("mesh", &place.mesh),
        ("skin", &place.skin),
        ("joint", &place.joint),
        ("material", &place.material),
        ("clip", &place.clip),
        ("part", &place.part),
    ];
    let named = kinds.into_iter().filter_map(|(kind, name)| {
        let name = name.as_ref()?;
        Some(json!({ "kind": kind, "name": name, "fullyQualifiedName": format!("{kind} {name}") }))
    });
    named.collect()
}

/// §3.27.17: the same as long as rule, file and names are, and how many come before it of which that is so too.
///
/// * `before` – how many of these.
///
/// GitHub's code scanning knows a result again by `primaryLocationLineHash` alone ("SARIF support for code scanning").
/// Where that is missing, its upload action takes the hash of the line, which would be one and the same for all findings
/// of a model, and another one after each export.
pub(in crate::report) fn fingerprints(
    path: &Path,
    rule: &str,
    place: &Location,
    before: usize,
) -> Value {
    let (path, subject, before) = (uri(path), subject(place), before.to_string());
    let parts = [rule, &path, &subject, &before];
    let hash = hash(if before == "0" { &parts[..3] } else { &parts });
    json!({ "primaryLocationLineHash": hash, "skincheck/v1": hash })
}

/// FNV-1a over the parts and their ends.
fn hash(parts: &[&str]) -> String {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    format!("{:016x}", bytes.fold(OFFSET, step))
}
