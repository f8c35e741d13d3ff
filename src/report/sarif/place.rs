//! Places, as SARIF names them.

use serde_json::{Value, json};

use super::super::escape::uri;
use crate::baseline::subject;
use crate::lint::{FileReport, Finding};
use crate::rig::Place;

/// §3.28. The line is there for viewers that need one, whatever the file is.
pub(super) fn location(file: &FileReport, place: Option<&Place>) -> Value {
    let mut artifact = json!({ "uri": uri(&file.path) });
    let below = !file.path.is_absolute() && !file.path.starts_with("..");
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
fn logical(place: &Place) -> Vec<Value> {
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

/// §3.27.17: the same as long as rule, file and names are.
pub(super) fn fingerprint(file: &FileReport, finding: &Finding) -> String {
    hash(&[finding.code.0, &uri(&file.path), &subject(&finding.place)])
}

/// FNV-1a over the parts and their ends.
pub(super) fn hash(parts: &[&str]) -> String {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    format!("{:016x}", bytes.fold(OFFSET, step))
}
