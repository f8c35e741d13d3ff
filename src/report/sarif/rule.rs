//! Declarations of rules in SARIF (§3.49).

use serde_json::{Value, json};

use super::super::codes::Declared;
use crate::finding::Level;

/// The code with its whole page.
pub(super) fn declared(own: &Declared) -> Value {
    let page = own.page.as_deref().unwrap_or(&own.about);
    json!({
        "id": own.code.0,
        "name": own.name,
        "shortDescription": { "text": own.about },
        "fullDescription": { "text": why(page) },
        "help": { "text": page, "markdown": page },
        "defaultConfiguration": { "enabled": own.enabled, "level": level_name(own.level) },
        "properties": { "tags": [own.family] },
    })
}

/// §3.27.10.
pub(super) fn level_name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "note",
    }
}

/// The most characters of a description in GitHub's code scanning ("SARIF support for code scanning", properties of the
/// `reportingDescriptor` object).
const MOST_BYTES: usize = 1000;

/// The paragraphs before the fix, without headings, as many as fit.
fn why(page: &str) -> String {
    let (why, _) = page.split_once("## How to fix").unwrap_or((page, ""));
    let paragraphs = why.split("\n\n").map(|paragraph| {
        let lines = paragraph.lines().filter(|line| !line.starts_with('#'));
        lines.collect::<Vec<&str>>().join("\n")
    });
    let mut text = String::new();
    for paragraph in paragraphs.filter(|paragraph| !paragraph.is_empty()) {
        if text.len() + paragraph.len() + 2 > MOST_BYTES {
            break;
        }
        text += if text.is_empty() { "" } else { "\n\n" };
        text += &paragraph;
    }
    text
}
