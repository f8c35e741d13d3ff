//! Declarations of rules in SARIF (§3.49).

use serde_json::{Value, json};

use super::super::page::{family, rule_page};
use super::super::words::UNREADABLE;
use crate::lint::{Level, RuleMeta};

/// The rule with its whole page.
pub(super) fn declared(meta: &RuleMeta) -> Value {
    let page = rule_page(meta);
    json!({
        "id": meta.code.0,
        "name": meta.name,
        "shortDescription": { "text": meta.summary() },
        "fullDescription": { "text": why(&page) },
        "help": { "text": page, "markdown": page },
        "defaultConfiguration": {
            "enabled": !meta.is_on_request(),
            "level": level_name(meta.level.level()),
        },
        "properties": { "tags": [family(meta)] },
    })
}

/// The pseudo-rule of files that cannot be read.
pub(super) fn unreadable() -> Value {
    let text = "A file cannot be read or checked, so its findings are unknown.";
    json!({
        "id": UNREADABLE,
        "name": "unreadable-file",
        "shortDescription": { "text": text },
        "fullDescription": { "text": text },
        "help": { "text": text, "markdown": text },
        "defaultConfiguration": { "enabled": true, "level": "error" },
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
