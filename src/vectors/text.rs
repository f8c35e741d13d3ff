//! JSON that people read: what fits in a line is on one.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Columns of a line.
const LINE: usize = 120;

/// Members of a glTF file that come first; the others follow in alphabetical order.
const FIRST: [&str; 4] = ["asset", "scene", "scenes", "nodes"];

/// A glTF document as the text of a file.
pub(super) fn of_gltf(document: &Map<String, Value>) -> String {
    let first = FIRST
        .iter()
        .filter_map(|name| Some((*name, document.get(*name)?)));
    let others = document.iter().map(|(name, value)| (name.as_str(), value));
    let others = others.filter(|(name, _)| !FIRST.contains(name));
    let mut text = String::new();
    let members = first.chain(others).map(|(name, value)| (Some(name), value));
    block(['{', '}'], members, 0, &mut text);
    text + "\n"
}

fn add(value: &Value, indent: usize, text: &mut String) {
    let line = value.to_string();
    match value {
        Value::Object(members) if indent + line.len() > LINE => {
            let members = members.iter();
            let members = members.map(|(name, value)| (Some(name.as_str()), value));
            block(['{', '}'], members, indent, text);
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
            let _ = write!(text, "\"{name}\": ");
        }
        add(value, indent + 2, text);
    }
    text.push('\n');
    *text += &margin(indent);
    text.push(close);
}
