//! The examples in docs/check.md, docs/diff.md and docs/agents.md are true.

use std::path::Path;

use serde_json::Value;
use skincheck::check::config::{Config, Resolved};
use skincheck::lint::find_rule;
use skincheck::report::Format;

use crate::program::skincheck;

const PAGE: &str = include_str!("../../../docs/check.md");
const DIFF: &str = include_str!("../../../docs/diff.md");
const AGENTS: &str = include_str!("../../../docs/agents.md");

#[test]
fn every_format_is_listed() {
    for format in Format::ALL {
        let row = format!("| `{}` | {} |", format.name(), format.about());
        assert!(PAGE.contains(&row), "{row}");
    }
}

#[test]
fn every_kind_of_difference_is_listed() {
    for kind in skincheck::diff::Kind::ALL {
        let (name, stage, about) = (kind.name(), kind.stage().name(), kind.about());
        let row = format!("| `{name}` | {stage} | {about} |");
        assert!(DIFF.contains(&row), "{row}");
    }
}

#[test]
fn the_shown_configuration_of_diff_is_valid() {
    let (_, rest) = DIFF.split_once("```toml\n").expect("there is an example");
    let (text, _) = rest.split_once("```").expect("it ends");
    let path = Path::new("docs/diff.md");
    let config = Config::parse(path, path, text).unwrap_or_else(|error| panic!("{error}"));
    let layers: Vec<_> = config.layers(Path::new("hero.glb")).collect();
    assert_eq!(layers[0].diff.joints["mixamorig:Hips"], "pelvis");
}

#[test]
fn the_shown_configuration_is_valid_and_checks_every_rule_it_mentions() {
    let (_, rest) = PAGE.split_once("```toml\n").expect("there is an example");
    let (text, _) = rest.split_once("```").expect("it ends");
    let path = Path::new("docs/check.md");
    let config = Config::parse(path, path, text);
    let config = config.unwrap_or_else(|error| panic!("{error}"));
    let resolved = Resolved::of(config.layers(Path::new("hero.glb")));
    for code in ["C522", "C526", "C527", "H311", "B210", "D602"] {
        let rule = find_rule(code).expect("the rule is there").meta();
        assert!(resolved.settings.level(rule).is_some(), "{code}");
    }
}

/// Whether `shown` leaves out fields of objects at most.
fn is_part(shown: &Value, whole: &Value) -> bool {
    match (shown, whole) {
        (Value::Object(shown), Value::Object(whole)) => {
            let mut members = shown.iter();
            members.all(|(key, own)| whole.get(key).is_some_and(|whole| is_part(own, whole)))
        }
        (Value::Array(shown), Value::Array(whole)) => {
            let mut pairs = shown.iter().zip(whole);
            shown.len() == whole.len() && pairs.all(|(shown, whole)| is_part(shown, whole))
        }
        _ => shown == whole,
    }
}

#[test]
fn agents_read_what_their_page_shows() {
    let (_, example) = AGENTS.split_once("## An example").expect("it has one");
    let blocks = example.split("```json\n").skip(1);
    let blocks = blocks.map(|block| block.split_once("```").expect("it ends").0);
    let (_, command) = example.split_once("skincheck check ").expect("it is shown");
    let (command, _) = command.split_once('\n').expect("it is a line");
    let models = ["clean", "G822"].map(|name| format!("fixtures/rules/{name}.gltf"));
    assert!(models.iter().all(|model| example.contains(model)));
    for ((model, block), code) in models.iter().zip(blocks).zip([0, 1]) {
        let shown: Value = serde_json::from_str(block).expect("it is JSON");
        let (_, options) = command.split_once(' ').expect("it has options");
        let run = skincheck(&format!("check {model} {options}"));
        run.exits(code);
        let whole = run.json();
        assert!(is_part(&shown, &whole), "{model}: {shown}\n{whole}");
    }
}
