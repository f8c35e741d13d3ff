//! JSON Schemas of the JSON documents, generated from the types that write them.

use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::json::{Document, pretty};
use super::{bake, check, crosscheck, diff, doctor, fix, golden, inspect, laws, rules};

/// What generates the schema of a document.
type Generate = fn() -> Schema;

/// The documents, in the order of docs/json.md, whose sections they are named after.
const DOCUMENTS: [(&str, Generate); 6] = [
    ("inspect", of::<inspect::Summary>),
    ("bake", of::<bake::Document<'_>>),
    ("fix", of::<fix::Fix<'_>>),
    ("report", of_reports),
    ("rules", of::<rules::List>),
    ("doctor", of::<doctor::Examination>),
];

/// Adds the definition of a command's report; returns the reference to it.
type Define = fn(&mut SchemaGenerator) -> Schema;

/// The commands whose reports share a layout, to which each adds fields of its own.
const REPORTS: [(&str, Define); 5] = [
    ("check", define::<check::Run, check::Details>),
    ("diff", define::<diff::Run<'_>, diff::Details<'_>>),
    ("test", define::<golden::Run, golden::Details<'_>>),
    (
        "crosscheck",
        define::<crosscheck::Setting, crosscheck::Details<'_>>,
    ),
    ("laws", define::<laws::Run, laws::Details<'_>>),
];

/// The names of the documents that have a JSON Schema.
pub fn schema_names() -> impl Iterator<Item = &'static str> {
    DOCUMENTS.iter().map(|(name, _)| *name)
}

/// The JSON Schema (draft 2020-12) of a document. It allows further fields, because a later version may add some.
///
/// * `name` – of the document, one of [`schema_names`]; `None` is returned for any other.
#[must_use]
pub fn schema(name: &str) -> Option<String> {
    let (name, generate) = DOCUMENTS.iter().find(|(own, _)| *own == name)?;
    let mut schema = generate();
    schema.insert("title".to_owned(), (*name).into());
    Some(pretty(&schema))
}

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.with_transform(as_written).into_generator()
}

fn of<T: JsonSchema>() -> Schema {
    generator().into_root_schema_for::<T>()
}

fn define<R: JsonSchema, D: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<Document<'_, R, D>>()
}

/// One schema for the reports of all commands, which `command` tells apart.
fn of_reports() -> Schema {
    let mut generator = generator();
    let reports = REPORTS.map(|(command, define)| (command, define(&mut generator)));
    let mut definitions = Value::from(generator.take_definitions(true));
    for (command, reference) in &reports {
        let place = reference.get("$ref").and_then(Value::as_str);
        let place = place.and_then(|place| place.strip_prefix("#/$defs"));
        let report = place.and_then(|place| definitions.pointer_mut(place));
        let report = report.expect("the reference leads to its definition");
        report["properties"]["command"] = json!({ "const": command });
    }
    json_schema!({
        "$schema": generator.settings().meta_schema,
        "description": "The results of a command.",
        "oneOf": reports.map(|(_, reference)| reference),
        "$defs": definitions,
    })
}

/// Adapts the schema of a type to JSON: a number that is not finite is written as `null`, formats such as `uint` are Rust's
/// and refused by strict validators, and descriptions are doc comments.
fn as_written(schema: &mut Schema) {
    schema.remove("format");
    if schema.get("type").is_some_and(|own| own == "number") {
        schema.insert("type".to_owned(), vec!["number", "null"].into());
    }
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = plain(description);
    }
    transform_subschemas(&mut as_written, schema);
}

/// A doc comment without its line breaks; a link to a Rust item becomes its bare name, which is that of the field.
fn plain(comment: &str) -> String {
    let text = comment
        .replace("`None`", "`null`")
        .replace("\n\n", "\r")
        .replace('\n', " ")
        .replace('\r', "\n\n");
    let mut parts = text.split("[`");
    let start = parts.next().unwrap_or_default().to_owned();
    parts.fold(start, |plain, part| {
        let (item, rest) = part.split_once("`]").unwrap_or((part, ""));
        let target = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let rest = target.map_or(rest, |(_, rest)| rest);
        let name = item.rsplit("::").next().unwrap_or(item);
        format!("{plain}`{name}`{rest}")
    })
}
