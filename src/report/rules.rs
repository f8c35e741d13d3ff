//! The lists of `rules`, of rules and of profiles.

mod profiles;

use std::fmt::Write;

use anstyle::Style;
use serde::Serialize;

use super::format::View;
use super::json::pretty;
use super::page::{family, rule_page};
use crate::lint::{DefaultLevel, FAMILIES, Family, RuleMeta};

pub use profiles::list_profiles_json;

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

#[derive(Serialize)]
struct List {
    schema: &'static str,
    rules: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    code: &'static str,
    name: &'static str,
    family: &'static str,
    level: &'static str,
    /// Whether it is checked only on request.
    on_request: bool,
    summary: String,
    explanation: String,
    limits: Vec<ListedLimit>,
}

#[derive(Serialize)]
struct ListedLimit {
    key: &'static str,
    default: f64,
    least: f64,
    /// `null` without a fixed level.
    most: Option<f64>,
    whole: bool,
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

fn level(meta: &RuleMeta) -> &'static str {
    match meta.level {
        DefaultLevel::OnRequest => "on request",
        other => other.level().name(),
    }
}
