//! Every JSON document has a JSON Schema, which lists all of its fields.

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::{Value, json};

use super::fields::COMMANDS;
use super::{report, written};

const PAGE: &str = include_str!("../../../docs/json.md");

/// Set to write the schemas instead of comparing them.
#[cfg(feature = "testing")]
const UPDATE: &str = "SKINCHECK_UPDATE_SNAPSHOTS";

fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schemas");
    folder.join(format!("{name}.json"))
}

/// The documents that have a schema, sorted.
fn names() -> Vec<String> {
    let folder = path("")
        .parent()
        .expect("the schemas lie in a folder")
        .to_owned();
    let files = fs::read_dir(folder).expect("it is there");
    let paths = files.map(|file| file.expect("it can be listed").path());
    let names = paths.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn parsed(name: &str) -> Value {
    let schema = fs::read_to_string(path(name)).unwrap_or_else(|_| panic!("{name} has no schema"));
    serde_json::from_str(&schema).expect("a schema is JSON")
}

/// The schema of a document, or of the report of a command.
fn schema_of(name: &str) -> Value {
    if !COMMANDS.contains(&name) {
        return parsed(name);
    }
    let schema = parsed("report");
    let definitions = schema["$defs"].as_object().expect("it has definitions");
    let is_report = |definition: &Value| definition["properties"]["command"]["const"] == name;
    let mut reports = definitions.iter().filter(|(_, own)| is_report(own));
    let (report, _) = reports.next().expect("each command has a report");
    json!({ "$ref": format!("#/$defs/{report}"), "$defs": definitions })
}

/// Forbids all fields that the schema does not list. Published schemas allow them, because fields may be added.
fn close(schema: &mut Value) {
    let parts = match schema {
        Value::Object(members) => {
            let is_object = members.get("type").is_some_and(|own| own == "object");
            if is_object && members.contains_key("properties") {
                members.insert("unevaluatedProperties".to_owned(), false.into());
            }
            members.values_mut().collect()
        }
        Value::Array(items) => items.iter_mut().collect(),
        _ => Vec::new(),
    };
    parts.into_iter().for_each(close);
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).expect("the schema is one")
}

/// Where a document is not what the closed schema `name` says.
fn complaints(name: &str, document: &Value) -> Vec<String> {
    let mut schema = schema_of(name);
    close(&mut schema);
    let validator = validator(&schema);
    let errors = validator.iter_errors(document);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// Each document must be what the schema `name` says, without any other fields.
#[track_caller]
pub(super) fn assert_valid(name: &str, documents: &[Value]) {
    for document in documents {
        assert_eq!(complaints(name, document), [""; 0], "{name}");
        if COMMANDS.contains(&name) {
            assert!(validator(&parsed("report")).is_valid(document), "{name}");
        }
    }
}

/// The types have schemas only where they are needed: here.
#[cfg(feature = "testing")]
#[test]
fn the_committed_schemas_are_those_of_the_types() {
    use skincheck::report::{schema, schema_names};

    for name in schema_names() {
        let (path, schema) = (path(name), schema(name).expect("it is listed"));
        if std::env::var_os(UPDATE).is_some() {
            let folder = path.parent().expect("the schemas lie in a folder");
            fs::create_dir_all(folder).expect("docs/ is writable");
            fs::write(&path, &schema).expect("docs/ is writable");
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == schema,
            "docs/schemas/{name}.json is not the schema of its type; {UPDATE}=1 writes it"
        );
    }
    assert_eq!(names().len(), schema_names().count());
}

#[test]
fn every_document_of_the_page_has_a_schema() {
    let sections = PAGE.split("\n## ").skip(1);
    let titles = sections.filter_map(|section| section.lines().next());
    let mut titles: Vec<&str> = titles.collect();
    titles.sort_unstable();
    assert_eq!(titles, names());
}

#[test]
fn every_schema_is_valid_and_plain() {
    for name in names() {
        let schema = parsed(&name);
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
        let text = schema.to_string();
        assert!(!text.contains("[`") && !text.contains("`None`"), "{name}");
    }
}

#[test]
fn a_report_with_everything_is_what_its_schema_says() {
    assert_valid("check", &[document()]);
}

#[test]
fn a_wrong_value_is_seen() {
    for (place, field, value) in [
        ("", "schema", "skincheck/report/0"),
        ("/summary", "errors", "2"),
        ("/models/0/findings/0", "level", "fatal"),
    ] {
        assert_seen(place, field, value, &format!("{place}/{field}: "));
    }
}

/// In the document, in an object with flattened types, and in a plain one.
#[test]
fn a_field_that_no_schema_lists_is_seen() {
    for place in ["", "/models/0/findings/0", "/models/0/findings/0/location"] {
        assert_seen(place, "color", "red", &format!("{place}: "));
    }
}

/// * `place` – of the object that gets the `field`.
/// * `start` – of the expected complaint.
#[track_caller]
fn assert_seen(place: &str, field: &str, value: &str, start: &str) {
    let mut document = document();
    let object = document.pointer_mut(place).expect("the object is there");
    object[field] = value.into();
    let found = complaints("check", &document);
    assert!(found.len() == 1 && found[0].starts_with(start), "{found:?}");
}

#[test]
fn a_missing_field_is_wrong_and_an_added_one_is_not() {
    let published = validator(&schema_of("check"));
    let mut document = document();
    document["color"] = "red".into();
    assert!(published.is_valid(&document));
    let members = document.as_object_mut().expect("a document is an object");
    members.remove("passes");
    assert!(!published.is_valid(&document));
}

fn document() -> Value {
    serde_json::from_str(&written("json", &report())).expect("it is JSON")
}
