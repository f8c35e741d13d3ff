//! The list of the rules, and the documentation page of each.

use serde::Serialize;

use super::document::Document;
use super::format::View;
use super::json::pretty;
use crate::lint::{FAMILIES, Family, Known, RuleMeta, Verdicts};

/// The name of the format; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/rules/1";

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
    let blocks: Vec<String> = families.map(|family| block(family, view)).collect();
    blocks.join("\n")
}

/// The rules of `check`.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub(super) struct List {
    #[cfg_attr(feature = "testing", schemars(extend("const" = SCHEMA)))]
    schema: &'static str,
    rules: Vec<Listed>,
}

/// A rule.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Rule"))]
struct Listed {
    code: &'static str,
    name: &'static str,
    family: &'static str,
    /// Unless configured otherwise.
    level: &'static str,
    /// Whether it is checked only on request.
    on_request: bool,
    /// How it is known to be right: `proved` by the file, or `judged`, because what it reports may be meant.
    known: Known,
    /// The verdicts on its findings in models that it was not made with.
    verdicts: Verdicts,
    summary: String,
    /// Its page, in Markdown.
    explanation: &'static str,
    /// In `skincheck.toml`.
    limits: Vec<ListedLimit>,
}

/// A limit of a rule.
#[derive(Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Limit"))]
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
            level: meta.level.name(),
            on_request: meta.is_on_request(),
            known: meta.known,
            verdicts: meta.verdicts(),
            summary: meta.summary(),
            explanation: meta.page,
            limits: limits.collect(),
        }
    }
}

fn block(family: &Family, view: View) -> String {
    let rules = family.rules.iter().map(|rule| {
        let meta = rule.meta();
        let (code, level, name) = (meta.code, level(meta), view.bold(meta.name));
        format!("  {code} {name}, {level}\n    {}\n", meta.summary())
    });
    let title = view.bold(family.heading());
    format!("{title}\n{}", rules.collect::<String>())
}

pub(super) fn level(meta: &RuleMeta) -> &'static str {
    if meta.is_on_request() {
        "on request"
    } else {
        meta.level.name()
    }
}

/// The rule's page for a terminal.
#[must_use]
pub fn explain(meta: &RuleMeta, view: View) -> String {
    Document::of_rule(meta).on_terminal(view)
}

impl Document {
    /// As [`explain`] prints it.
    pub(crate) fn of_rule(meta: &RuleMeta) -> Document {
        Document {
            id: meta.code.0,
            markdown: meta.page.to_owned(),
        }
    }
}

/// The topic of a rule, such as `weights`.
#[must_use]
pub fn family(meta: &RuleMeta) -> &'static str {
    meta.family().map_or("", |family| family.title)
}
