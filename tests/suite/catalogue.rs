//! `docs/rules.md` lists the rules, and each rule's page states its level and limits as the code does.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use skincheck::finding::Level;
use skincheck::lint::{self, Family, Limit, LimitRange, RuleMeta};

use crate::support::assert_generated;

#[test]
fn the_committed_index_is_what_the_rules_say() {
    let mut page = format!("{HEAD}{RECALL_HEAD}{RECALL}");
    for family in lint::FAMILIES {
        add_index(&mut page, family);
    }
    assert_generated("docs/rules.md", &page);
}

#[test]
fn each_page_states_the_level_and_the_limits_of_its_rule() {
    for rule in lint::rules() {
        let meta = rule.meta();
        assert_generated(&format!("docs/rules/{}.md", meta.code), &page(meta));
    }
}

#[test]
fn each_page_has_a_rule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules");
    let pages = fs::read_dir(folder).expect("it is a folder");
    let pages = pages.map(|page| page.expect("it is readable").path());
    for page in pages {
        let code = page.file_stem().expect("a name").to_string_lossy();
        assert!(lint::find_rule(&code).is_some(), "{}", page.display());
    }
}

/// The rule's text between what follows from its description.
fn page(meta: &RuleMeta) -> String {
    let start = meta.page.find("## What it does").expect("it says that");
    let text = meta.page[start..]
        .split(SETTINGS)
        .next()
        .unwrap_or_default();
    let RuleMeta { code, name, .. } = meta;
    let family = meta.family().map_or("", |family| family.title);
    let (level, text, settings) = (level_in_words(meta), text.trim_end(), settings(meta));
    let known = meta.known_in_words();
    format!(
        "# {code} {name}\n\n{family}, {level}\n\n{known}\n\n{text}\n{SETTINGS}\n```toml\n{settings}```\n"
    )
}

/// The heading of the last section.
const SETTINGS: &str = "\n## In skincheck.toml\n";

const HEAD: &str = "# Rules

The rules of `skincheck check`. Each has a page: `skincheck explain CODE` prints it in the terminal, and with `--open` shows it in
a browser. A code is stable and never reused. Levels: *error* (exit code 1), *warning* (exit code 0 unless
`--deny-warnings`), *hint* (worth a look; never fails a check), *info* (shown with `--verbose`); *on request* (checked only if the
configuration or `--select CODE` asks for it). You can set each level and each limit in `skincheck.toml`, which overrides the engine.

*Diagonal* is the diagonal of the bounding box, of the model unless stated otherwise. The *bind pose* is the pose in which the
mesh was bound to its joints; the *rest pose* is that of the file's nodes without a clip.
";

const RECALL_HEAD: &str = "
## Measured recall

Faults are planted one at a time in generated models of several kinds, with strengths from invisible to severe. *Found*
means a finding of level hint or above for a visible fault. The last column counts findings of these levels for
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
            "| [{code}](rules/{code}.md) | {name} | {level} | {summary} |"
        )
        .expect("a string takes text");
    }
}

fn level(meta: &RuleMeta) -> String {
    let level = meta.level.name();
    match meta.level_in_gltf {
        Some(stricter) => format!("{level}; in glTF: {}", stricter.name()),
        None if meta.is_on_request() => format!("{level}, on request"),
        None => level.to_owned(),
    }
}

/// The rule's level in words.
fn level_in_words(meta: &RuleMeta) -> String {
    let level = match meta.level {
        Level::Info => "info: shown with --verbose or --level info",
        level => level.name(),
    };
    if let Some(stricter) = meta.level_in_gltf {
        format!("{level}; in glTF files: {}", stricter.name())
    } else if meta.is_on_request() {
        format!("{level}, where an option or the configuration asks for it")
    } else {
        level.to_owned()
    }
}

/// Lines that can be pasted into a configuration.
fn settings(meta: &RuleMeta) -> String {
    let mut text = format!(
        "[rules.{}]\nlevel = \"{}\"    # off, info, hint, warning or error\n",
        meta.code,
        meta.level.name()
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
        writeln!(text, "{key} = {default}    # {about}{range}").expect("a string takes text");
    }
    match meta.requires.map(|required| required.example) {
        None => text,
        Some(table) if table.starts_with('[') => format!("{text}\n{table}\n"),
        // A key that is in no table comes before all tables.
        Some(key) => format!("{key}\n\n{text}"),
    }
}
