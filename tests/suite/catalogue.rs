//! `docs/rules.md` contains every rule's page as the rules define it.

use std::fmt::Write as _;

use skincheck::lint::{self, DefaultLevel, Family, Limit, LimitRange, RuleMeta};

use crate::support::assert_generated;

#[test]
fn the_committed_page_is_what_the_rules_say() {
    assert_generated("docs/rules.md", &page());
}

fn page() -> String {
    let mut page = format!("{HEAD}{RECALL_HEAD}{RECALL}");
    for family in lint::FAMILIES {
        add_index(&mut page, family);
    }
    for rule in lint::rules() {
        add_rule(&mut page, rule.meta());
    }
    page
}

const HEAD: &str = "# Rules

The rules of `skincheck check`. `skincheck explain CODE` prints one page in the terminal, and with `--open` shows it in a
browser. A code is stable and never reused. Levels: *error* (exit code 1), *warning* (exit code 0 unless `--deny-warnings`), *info* (shown with `--verbose`),
*on request* (checked only if the configuration or `--select CODE` asks for it). You can set each level and each limit in
`skincheck.toml`, which overrides the profile. The rules of family X take far longer than all others and are checked only
with `--cross`, or if the configuration or `--select` asks for them.

*Diagonal* is the diagonal of the bounding box, of the model unless stated otherwise. The *bind pose* is the pose in which the
mesh was bound to its joints; the *rest pose* is that of the file's nodes without a clip.
";

const RECALL_HEAD: &str = "
## Measured recall

Faults are planted one at a time in generated models of several kinds, with strengths from invisible to severe. *Found*
means a finding of level warning or above for a visible fault. The last column counts findings of these levels for
invisible faults; the 45 healthy models of the same generator have none. [recall.md](recall.md) has the curve
of each fault, also in real characters, and what a change of each limit gains and costs. `make bench STAGE=verdicts` measures
again.

";

/// Written by the test of the planted faults.
const RECALL: &str = include_str!("verdicts/recall.md");

fn add_index(page: &mut String, family: &Family) {
    let heading = family.heading();
    write!(
        page,
        "\n## {heading}\n\n| code | name | level | what it finds |\n|---|---|---|---|\n"
    )
    .expect("a string takes text");
    for rule in family.rules {
        let meta = rule.meta();
        let (code, name, level) = (meta.code, meta.name, level(meta));
        let summary = meta.summary();
        writeln!(
            page,
            "| [{code}](#{}-{name}) | {name} | {level} | {summary} |",
            code.0.to_lowercase()
        )
        .expect("a string takes text");
    }
}

fn add_rule(page: &mut String, meta: &RuleMeta) {
    let request = if meta.is_opt_in() {
        ", with `--cross`".to_owned()
    } else if let Some(required) = meta.requires {
        format!(", with `{}`", required.key)
    } else {
        String::new()
    };
    write!(
        page,
        "\n---\n\n## {} {}\n\n*Level: {}{request}.*",
        meta.code,
        meta.name,
        level(meta)
    )
    .expect("a string takes text");
    for limit in meta.limits {
        let Limit {
            key,
            default,
            range,
            about,
        } = limit;
        let range = match *range {
            LimitRange::FROM_ZERO => String::new(),
            range => format!("; {range}"),
        };
        write!(page, " *`{key}` (default {default}{range}): {about}.*")
            .expect("a string takes text");
    }
    page.push('\n');
    for line in meta.explanation.lines() {
        // One level below the rule's heading.
        let heading = line.trim_start().starts_with("## ");
        let text = line.strip_prefix(' ').unwrap_or(line);
        page.push_str(if heading { "#" } else { "" });
        page.push_str(text);
        page.push('\n');
    }
}

fn level(meta: &RuleMeta) -> String {
    let level = match meta.level {
        DefaultLevel::Error => "error",
        DefaultLevel::Warning => "warning",
        DefaultLevel::Info => "info",
        DefaultLevel::OnRequest => "on request",
    };
    match meta.level_in_gltf {
        Some(stricter) => format!("{level}; in glTF: {}", stricter.name()),
        None => level.to_owned(),
    }
}
