//! docs/json.md lists exactly the fields that exist, and the JSON Schemas no fewer.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::schemas::assert_valid;
use crate::folder::Folder;
use crate::program::{fixture, skincheck};

const PAGE: &str = include_str!("../../../docs/json.md");

/// Objects whose keys are data, or that are listed with their fields elsewhere.
const DICTIONARIES: [&str; 4] = [
    "meshes[].influences",
    "clips[].interpolation",
    // Described as a whole.
    "models[].takes[].worst_vertex",
    "models[].takes[].worst_joint",
];

/// Fields that no fixture has, or that not every machine has.
const RARE: [&str; 8] = [
    // A repair that is not proved, or not of all faults.
    "undone[].",
    "repaired[].left",
    // More than a thousand sample times of a clip.
    "models[].thinned[].clip",
    "models[].thinned[].watched",
    "models[].thinned[].moments",
    // Another importer for the file, which only some builds have.
    "other_importers[]",
    "missing[].",
    "variants[]",
];

/// Commands with the common layout, which the section `report` lists.
pub(super) const COMMANDS: [&str; 5] = ["check", "diff", "test", "crosscheck", "laws"];

/// The fields listed in section `name`.
fn listed(name: &str) -> Vec<&'static str> {
    let sections = PAGE.split("\n#").skip(1);
    let mut sections = sections.filter_map(|section| section.split_once('\n'));
    let section = sections.find(|(title, _)| title.trim_start_matches(['#', ' ']) == name);
    let (_, body) = section.unwrap_or_else(|| panic!("docs/json.md has no section {name}"));
    let rows = body.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| Some(row.split_once('`')?.0))
        .collect()
}

/// Adds the paths in `value` of everything except objects and lists of objects.
fn collect(value: &Value, path: &str, fields: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) if !members.is_empty() && !DICTIONARIES.contains(&path) => {
            for (key, member) in members {
                let dot = if path.is_empty() { "" } else { "." };
                collect(member, &format!("{path}{dot}{key}"), fields);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                collect(item, &format!("{path}[]"), fields);
            }
        }
        _ => {
            fields.insert(path.trim_end_matches("[]").to_owned());
        }
    }
}

/// Whether one path equals the other or is a prefix of it.
fn leads_to(path: &str, field: &str) -> bool {
    let rest = field.strip_prefix(path);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The fields of `documents` must all be listed in the section `name` and in its JSON Schema.
#[track_caller]
pub(crate) fn assert_listed(name: &str, documents: &[Value]) -> BTreeSet<String> {
    assert_valid(name, documents);
    assert_on_page(name, documents)
}

#[track_caller]
fn assert_on_page(name: &str, documents: &[Value]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for document in documents {
        collect(document, "", &mut found);
    }
    let mut listed = listed(name);
    if COMMANDS.contains(&name) {
        listed.extend(self::listed("report"));
    }
    let known = |field: &&String| {
        let mut listed = listed.iter();
        // Listed itself, as a whole, or by the elements that an empty list would have.
        listed.any(|listed| leads_to(listed, field) || leads_to(field, listed))
    };
    let unknown: Vec<&String> = found.iter().filter(|field| !known(field)).collect();
    assert!(
        unknown.is_empty(),
        "{name}: not in docs/json.md: {unknown:?}"
    );
    found
}

/// As [`assert_listed`]; additionally, no other fields may be listed.
#[track_caller]
fn assert_complete(name: &str, documents: &[Value]) {
    let found = assert_listed(name, documents);
    assert_seen(name, &found);
}

/// All fields listed in the section `name` must have been found.
#[track_caller]
fn assert_seen(name: &str, found: &BTreeSet<String>) {
    let is_rare = |field: &&str| RARE.iter().any(|rare| field.starts_with(rare));
    let missing = |field: &&str| !found.iter().any(|found| leads_to(field, found));
    let listed = listed(name).into_iter();
    let strangers: Vec<&str> = listed.filter(missing).filter(|f| !is_rare(f)).collect();
    assert!(
        strangers.is_empty(),
        "{name}: nowhere to be seen: {strangers:?}"
    );
}

/// The files that a run writes; `None` if it failed.
fn document(line: &str) -> Option<Value> {
    let run = skincheck(line);
    serde_json::from_slice(&run.stdout).ok()
}

/// Models among the fixtures, in one folder.
fn models(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(fixture(folder)).expect("the fixtures are there");
    let names = entries.map(|entry| entry.expect("readable").file_name());
    let names = names.filter_map(|name| name.into_string().ok());
    let mut names: Vec<String> = names
        .filter(|name| !name.contains(' ') && Path::new(name).extension().is_some())
        .map(|name| format!("{folder}{name}"))
        .collect();
    names.sort();
    names
}

#[test]
fn all_that_inspect_and_bake_write_is_listed_and_nothing_else() {
    let models = [models(""), models("vrm/")].concat();
    let of = |command: &str| -> Vec<Value> {
        let lines = models.iter().map(|model| command.replace("MODEL", model));
        lines.filter_map(|line| document(&line)).collect()
    };
    assert_complete("inspect", &of("inspect MODEL --json"));
    assert_complete("bake", &of("bake MODEL -o -"));
}

#[test]
fn all_that_fix_writes_is_listed_and_nothing_else() {
    let lines = ["W103", "C506"].map(|code| format!("fix rules/{code}.gltf --dry-run --json"));
    assert_complete(
        "fix",
        &lines.map(|line| document(&line).expect("it is JSON")),
    );
}

#[test]
fn all_that_check_writes_is_listed_and_nothing_else() {
    let folder = Folder::new();
    let gone = r#"{"schema": "skincheck/report/1", "command": "check", "models": [
        {"path": "gone.gltf", "failure": null, "findings": [
            {"code": "W103", "subject": "file", "level": "error", "count": 1, "measure": null}
        ]}
    ]}"#;
    folder.write("gone.json", gone);
    folder.write("own.toml", "clips.loops = [\"Turn\"]\n");
    let gone =
        "check fixtures/rules/W103.gltf --format json --baseline gone.json --config own.toml";
    let documents = [
        document("check rules/D606.gltf --format json --range-of-motion always"),
        document("check . --format json --level info --engine unreal --preset film"),
        Some(folder.run(gone).json()),
        document("check rules/W103.gltf --format json --shard 1/1"),
    ];
    let documents = documents.map(|document| document.expect("it is JSON"));
    assert_complete("check", &documents);
    assert_seen("report", &assert_listed("check", &documents));
}

#[test]
fn all_that_diff_writes_is_listed_and_nothing_else() {
    let lines = [
        "diff arm.gltf short_weights.gltf --format json",
        "diff morph.gltf walker.glb --format json --scale 0.5",
    ];
    let documents = lines.map(|line| document(line).expect("it is JSON"));
    let arm = "arm.gltf";
    let before = ["before/a.gltf", "before/b.gltf", "before/c.gltf"].map(|name| (arm, name));
    let folder = Folder::with(&before);
    folder.copy(arm, "after/a.gltf");
    folder.write("after/b.gltf", "{");
    let folders = folder.run("diff before after --format json").json();
    let documents: Vec<Value> = documents.into_iter().chain([folders]).collect();
    assert_complete("diff", &documents);
}

#[test]
fn all_that_is_known_of_rules_and_machines_is_listed_and_nothing_else() {
    for (name, line) in [("rules", "rules --json"), ("doctor", "doctor --json")] {
        assert_complete(name, &[document(line).expect("it is JSON")]);
    }
}

#[test]
fn a_field_that_is_not_listed_is_seen() {
    let unlisted = serde_json::json!({"nodes": [{"name": "a", "word": [1.0]}]});
    let seen = std::panic::catch_unwind(|| assert_on_page("bake", &[unlisted]));
    assert!(seen.is_err());
    let listed = serde_json::json!({"nodes": [], "meshes": [{"positions": [[1.0, 2.0, 3.0]]}]});
    assert_on_page("bake", &[listed]);
}
