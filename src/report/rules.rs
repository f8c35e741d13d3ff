//! The list of the rules, and the documentation page of each.

use std::fmt::Write;

use anstyle::Style;
use schemars::JsonSchema;
use serde::Serialize;

use super::document::{Block, Document};
use super::format::View;
use super::json::pretty;
use crate::lint::{DefaultLevel, FAMILIES, Family, Limit, LimitRange, RuleMeta};

/// The name of the format; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/rules/1";

const BOLD: Style = Style::new().bold();

/// All rules as JSON.
#[must_use]
pub fn list_rules_json() -> String {
    let rules = FAMILIES.iter().flat_map(|family| family.rules);
    pretty(&List {
        schema: SCHEMA,
        rules: rules.map(|rule| Listed::of(rule.meta())).collect(),
    })
}

/// All rules, for people.
#[must_use]
pub fn list_rules(view: View) -> String {
    let families = FAMILIES.iter().filter(|family| !family.rules.is_empty());
    let blocks: Vec<String> = families.map(|family| block(family, view.color)).collect();
    blocks.join("\n")
}

/// The rules of `check`.
#[derive(Serialize, JsonSchema)]
pub(super) struct List {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    rules: Vec<Listed>,
}

/// A rule.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Rule")]
struct Listed {
    code: &'static str,
    name: &'static str,
    family: &'static str,
    /// Unless configured otherwise.
    level: &'static str,
    /// Whether it is checked only on request.
    on_request: bool,
    summary: String,
    /// Its page, in Markdown.
    explanation: String,
    /// In `skincheck.toml`.
    limits: Vec<ListedLimit>,
}

/// A limit of a rule.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Limit")]
struct ListedLimit {
    key: &'static str,
    default: f64,
    /// The smallest value allowed.
    least: f64,
    /// The largest value allowed, if there is one.
    most: Option<f64>,
    /// Whether it must be a whole number.
    whole: bool,
    /// With the unit.
    about: &'static str,
}

impl Listed {
    fn of(meta: &RuleMeta) -> Self {
        let limits = meta.limits.iter().map(|limit| ListedLimit {
            key: limit.key,
            default: limit.default,
            least: limit.range.least,
            most: Some(limit.range.most).filter(|most| most.is_finite()),
            whole: limit.range.whole,
            about: limit.about,
        });
        Self {
            code: meta.code.0,
            name: meta.name,
            family: family(meta),
            level: meta.level.level().name(),
            on_request: meta.is_on_request(),
            summary: meta.summary(),
            explanation: rule_page(meta),
            limits: limits.collect(),
        }
    }
}

fn block(family: &Family, color: bool) -> String {
    let title = family.heading();
    let mut block = if color {
        format!("{BOLD}{title}{BOLD:#}\n")
    } else {
        format!("{title}\n")
    };
    for rule in family.rules {
        let meta = rule.meta();
        let (code, level, name) = (meta.code, level(meta), meta.name);
        writeln!(
            block,
            "  {code}  {level:<10}  {name:<28}  {}",
            meta.summary()
        )
        .expect("a string takes all that fits into memory");
    }
    block
}

pub(super) fn level(meta: &RuleMeta) -> &'static str {
    match meta.level {
        DefaultLevel::OnRequest => "on request",
        other => other.level().name(),
    }
}

/// The rule's page as Markdown, without the indentation of the source.
#[must_use]
pub fn rule_page(meta: &RuleMeta) -> String {
    let lines: Vec<&str> = meta
        .explanation
        .lines()
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
        .collect();
    lines.join("\n").trim().to_owned()
}

/// The rule's page for a terminal: code and name, level, the page, and the limits that can be set.
#[must_use]
pub fn explain(meta: &RuleMeta, view: View) -> String {
    Document::of_rule(meta).on_terminal(view)
}

impl Document {
    /// As [`explain`] prints it.
    pub(crate) fn of_rule(meta: &RuleMeta) -> Document {
        let title = format!("{} {}", meta.code, meta.name);
        let lead = format!("{}, {}", family(meta), level_in_words(meta));
        Document::new(meta.code.0, title, lead, &rule_page(meta)).with([
            Block::Heading("In skincheck.toml".to_owned()),
            Block::Code(settings(meta)),
        ])
    }
}

/// The topic of a rule, such as `weights`.
#[must_use]
pub fn family(meta: &RuleMeta) -> &'static str {
    meta.family().map_or("", |family| family.title)
}

/// The rule's level in words.
fn level_in_words(meta: &RuleMeta) -> String {
    let level = match meta.level {
        DefaultLevel::Error => "error",
        DefaultLevel::Warning => "warning",
        DefaultLevel::Info => "info: shown with --verbose or --level info",
        DefaultLevel::OnRequest => "a warning, where the configuration or --select asks for it",
    };
    if let Some(stricter) = meta.level_in_gltf {
        format!("{level}; in glTF files: {}", stricter.name())
    } else if meta.requires.is_some() && meta.level != DefaultLevel::OnRequest {
        format!("{level}, where an option or the configuration asks for it")
    } else if meta.is_opt_in() {
        format!("{level}, where --cross, --select or the configuration asks for it")
    } else {
        level.to_owned()
    }
}

/// Lines that can be pasted into a configuration.
fn settings(meta: &RuleMeta) -> String {
    let mut text = format!(
        "[rules.{}]\nlevel = \"{}\"    # off, info, warning or error\n",
        meta.code,
        meta.level.level().name()
    );
    for limit in meta.limits {
        let Limit {
            key,
            default,
            range,
            about,
        } = limit;
        let default = if range.whole {
            default.to_string()
        } else {
            format!("{default:?}")
        };
        let range = match *range {
            LimitRange::FROM_ZERO => String::new(),
            range => format!("; {range}"),
        };
        writeln!(text, "{key} = {default}    # {about}{range}")
            .expect("a string takes all that fits into memory");
    }
    match meta.requires.map(|required| required.example) {
        None => text,
        Some(table) if table.starts_with('[') => format!("{text}\n{table}\n"),
        // A key that is in no table comes before all tables.
        Some(key) => format!("{key}\n\n{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Code;
    use crate::lint::Required;

    const META: RuleMeta = RuleMeta {
        code: Code("D602"),
        name: "overstretched-edge",
        level: DefaultLevel::Warning,
        level_in_gltf: None,
        explanation: " ## What it does\n Checks `edges`.\n\n ## How to fix\n - Blender:\n   so.\n",
        limits: &[Limit {
            key: "ratio",
            default: 4.0,
            range: LimitRange::FROM_ZERO,
            about: "longest to rest length",
        }],
        requires: Some(Required {
            key: "clips.loops",
            example: "[clips]\nloops = [\"Walk\"]",
        }),
        attribute: None,
    };

    #[test]
    fn the_page_is_plain_unless_in_colour() {
        let plain = explain(&META, View::default());
        let expected = "D602 overstretched-edge\ndeformation, warning, where an option or the configuration asks for it\n\nWhat it does\nChecks `edges`.\n\nHow to fix\n\
            - Blender:\n  so.\n\nIn skincheck.toml\n[rules.D602]\nlevel = \"warning\"    # off, info, warning or error\n\
            ratio = 4.0    # longest to rest length\n\n[clips]\nloops = [\"Walk\"]\n";
        assert_eq!(plain, expected);
        let color = explain(
            &META,
            View {
                color: true,
                ..View::default()
            },
        );
        assert!(color.contains("\u{1b}[1mHow to fix\u{1b}[0m"), "{color:?}");
        assert!(
            color.contains("Checks \u{1b}[36medges\u{1b}[0m."),
            "{color:?}"
        );
    }
}
