//! JSON as people read it: what fits into a line is on one line.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Columns of a line.
const LINE: usize = 120;

/// Members that come first; the others follow in alphabetical order.
const FIRST: [&str; 13] = [
    "version",
    "asset",
    "scene",
    "scenes",
    "name",
    "time",
    "influences",
    "tolerance",
    "nodes",
    "node",
    "primitive",
    "positions",
    "meshes",
];

/// A document as the text of a file.
pub(super) fn of(document: &Value) -> String {
    let mut text = String::new();
    add(document, 0, &mut text);
    text + "\n"
}

fn add(value: &Value, indent: usize, text: &mut String) {
    let line = value.to_string();
    match value {
        Value::Object(members) if indent == 0 || indent + line.len() > LINE => {
            block(['{', '}'], ordered(members), indent, text);
        }
        Value::Array(items) if indent + line.len() > LINE => {
            block(
                ['[', ']'],
                items.iter().map(|item| (None, item)),
                indent,
                text,
            );
        }
        _ => *text += &line,
    }
}

fn ordered(members: &Map<String, Value>) -> impl Iterator<Item = (Option<&str>, &Value)> {
    let first = FIRST
        .iter()
        .filter_map(|name| Some((*name, members.get(*name)?)));
    let others = members.iter().map(|(name, value)| (name.as_str(), value));
    first
        .chain(others.filter(|(name, _)| !FIRST.contains(name)))
        .map(|(name, value)| (Some(name), value))
}

fn block<'a>(
    [open, close]: [char; 2],
    entries: impl Iterator<Item = (Option<&'a str>, &'a Value)>,
    indent: usize,
    text: &mut String,
) {
    let margin = |indent: usize| " ".repeat(indent);
    text.push(open);
    for (index, (name, value)) in entries.enumerate() {
        *text += if index == 0 { "\n" } else { ",\n" };
        *text += &margin(indent + 2);
        if let Some(name) = name {
            write!(text, "\"{name}\": ").expect("a string takes all text");
        }
        add(value, indent + 2, text);
    }
    text.push('\n');
    *text += &margin(indent);
    text.push(close);
}
