//! The examples in docs/check.md and docs/diff.md are true.

use std::path::Path;

use skincheck::check::config::{Config, Resolved};
use skincheck::lint::find_rule;
use skincheck::report::Format;

const PAGE: &str = include_str!("../../../docs/check.md");
const DIFF: &str = include_str!("../../../docs/diff.md");

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
