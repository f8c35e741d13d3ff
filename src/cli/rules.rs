//! `skincheck rules`: lists the rules and profiles.

mod profiles;

use std::fmt::Write;

use anstyle::Style;
use serde::Serialize;
use skincheck::lint::{DefaultLevel, FAMILIES, Family, RuleMeta};
use skincheck::report::{family, rule_page};

use super::check::is_colorful;
use super::output::Target;

/// List the rules or profiles of check
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  skincheck rules
  skincheck rules --profiles
  skincheck rules --json | jq '.rules[] | select(.level == \"error\") | .code'")]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// List the profiles instead: limits, unit and axes of engines and formats
    #[arg(long)]
    profiles: bool,
}

/// Names the layout; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/rules/1";

const BOLD: Style = Style::new().bold();

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let text = if args.profiles {
        profiles::text(args.json)?
    } else if args.json {
        let rules = FAMILIES.iter().flat_map(|family| family.rules);
        let list = List {
            schema: SCHEMA,
            rules: rules.map(|rule| Listed::of(rule.meta())).collect(),
        };
        serde_json::to_string_pretty(&list)? + "\n"
    } else {
        text(is_colorful())
    };
    Target::Stdout.write(text.as_bytes())
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
    /// `null` if there is none.
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

fn text(color: bool) -> String {
    let families = FAMILIES.iter().filter(|family| !family.rules.is_empty());
    let blocks: Vec<String> = families.map(|family| block(family, color)).collect();
    blocks.join("\n")
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
