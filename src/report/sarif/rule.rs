//! Rules, as SARIF declares them (§3.49).

use serde_json::{Value, json};

use super::super::page::{family, rule_page};
use super::super::words::UNREADABLE;
use super::level_name;
use crate::lint::{DefaultLevel, RuleMeta};

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
            "enabled": meta.level != DefaultLevel::Profile,
            "level": level_name(meta.level.level()),
        },
        "properties": { "tags": [family(meta)] },
    })
}

/// What stands for a rule where a file cannot be read.
pub(super) fn unreadable() -> Value {
    let text = "A file cannot be read, or checked to the end, so that nothing is known about it.";
    json!({
        "id": UNREADABLE,
        "name": "unreadable-file",
        "shortDescription": { "text": text },
        "fullDescription": { "text": text },
        "help": { "text": text, "markdown": text },
        "defaultConfiguration": { "enabled": true, "level": "error" },
    })
}

/// The sections up to how it is fixed, without their headings.
fn why(page: &str) -> String {
    let lines = page.lines().take_while(|line| *line != "## How to fix");
    let lines = lines.filter(|line| !line.starts_with('#'));
    let text: Vec<&str> = lines.collect();
    text.join("\n").trim().replace("\n\n\n", "\n\n")
}
