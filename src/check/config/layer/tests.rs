use std::path::Path;

use super::*;
use crate::check::config::{Config, ConfigError};
use crate::engines::{ENGINES, find_engine};

fn read(text: &str) -> Result<Layer, ConfigError> {
    let file = Path::new("skincheck.toml");
    let config = Config::parse(file, Path::new("/"), text)?;
    let layer = config.layers(file).next().cloned();
    Ok(layer.expect("the configuration has a layer of its own"))
}

fn layer(text: &str) -> Layer {
    read(text).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn refused(text: &str, message: &str) {
    let error = read(text)
        .expect_err("the configuration is wrong")
        .to_string();
    assert_eq!(error, format!("skincheck.toml:{message}"));
}

#[test]
fn every_key_is_understood() {
    let text = r#"
extend = "../base.toml"
engine = "unreal:weights=16"
preset = "mocap"
skeleton = "vrm"
select = ["all"]
ignore = ["G", "weights-not-normalized"]
level = "warning"
deny-warnings = true
range-of-motion = "always"
moments = "all"
rules.W103 = "off"

[clips]
loops = ["Walk*"]
in-place = ["Idle"]

[joints]
required = ["Hips"]
feet = ["LeftFoot"]
root = "Hips"

[size]
height = [1, 2.5]
"#;
    let layer = layer(text);
    let extend = layer.extend.expect("the text has it");
    assert_eq!(extend.get_ref(), Path::new("../base.toml"));
    let engine = layer.engine.map(|engine| engine.to_string());
    assert_eq!(engine.as_deref(), Some("unreal:weights=16"));
    assert_eq!(layer.preset.as_deref(), Some("mocap"));
    let contract = layer.contract.as_ref();
    assert_eq!(contract.map(|contract| contract.name.as_str()), Some("vrm"));
    assert_eq!(layer.select, Some(vec![Selector::All]));
    assert_eq!(layer.ignore.len(), 2);
    assert_eq!(layer.level, Some(Level::Warning));
    assert_eq!(layer.deny_warnings, Some(true));
    assert_eq!(layer.range_of_motion, Some(RangeOfMotion::Always));
    assert_eq!(layer.moments, Some(SampleTimes::All));
    assert_eq!(layer.rules[0].level, Some(None));
    for (names, expected) in [
        (layer.clips.loops, "Walk*"),
        (layer.clips.in_place, "Idle"),
        (layer.joints.required, "Hips"),
        (layer.joints.feet, "LeftFoot"),
        (layer.joints.root.map(|root| vec![root]), "Hips"),
    ] {
        let names = names.expect("the text has them");
        let names: Vec<&String> = names.iter().map(Spanned::get_ref).collect();
        assert_eq!(names, [expected]);
    }
    let expected = ExpectedHeight {
        least: 1.0,
        most: 2.5,
        unit: LengthUnit::Metre,
    };
    assert_eq!(layer.size, Some(expected));
}

#[test]
fn an_unknown_key_is_reported_with_its_location_and_a_suggestion() {
    refused(
        "engine = \"gltf\"\nslect = []\n",
        "2:1: unknown key `slect`, expected one of `extend`, `engine`, `preset`, `skeleton`, `select`, `ignore`, `level`, `deny-warnings`, \
         `deny-unchecked`, `range-of-motion`, `moments`, `rules`, `clips`, `joints`, `size`, `diff`, `test`, `approved`, `exclude`, `files`, `overrides` (did you mean \"select\"?)",
    );
    refused(
        "[clips]\n  loop = [\"Walk\"]\n",
        "2:3: unknown key `loop`, expected `loops` or `in-place` (did you mean \"loops\"?)",
    );
}

#[test]
fn an_unknown_word_is_reported_with_its_location_and_a_suggestion() {
    refused(
        "engine = \"gtlf\"\n",
        "1:10: no engine \"gtlf\" (did you mean \"gltf\"?); the engines are gltf, vrm, three, babylon, playcanvas, bevy, panda3d, \
         raylib, godot, filament, unity, unreal, roblox",
    );
    refused(
        "engine = \"unreal:bits=16\"\n",
        "1:10: unreal has no option \"bits\"; it has influences (1 to 8, or unlimited), weights (8 or 16), fps (frames per second, \
         1 to 1000)",
    );
    refused(
        "skeleton = \"mixmo\"\n",
        "1:12: unknown skeleton `mixmo`, expected one of `mixamo`, `vrm`, `unreal`, `unreal4`, `roblox-r15`, or the path of a \
         file such as studio.toml (did you mean \"mixamo\"?)",
    );
    refused(
        "ignore = [\n  \"W\",\n  \"W1003\",\n]\n",
        "3:3: no rule is named \"W1003\" (did you mean \"W103\"?)",
    );
    refused(
        "[rules.W1003]\nlevel = \"error\"\n",
        "1:8: no rule is named \"W1003\" (did you mean \"W103\"?)",
    );
    refused(
        "rules.W103.level = \"of\"\n",
        "1:20: unknown value `of`, expected one of `off`, `info`, `hint`, `warning`, `error` (did you mean \"off\"?)",
    );
}

#[test]
fn a_number_that_a_rule_does_not_have_is_refused() {
    refused(
        "[rules.W103]\nratio = 6.0\n",
        "2:1: W103 has no limit `ratio`; it has only a level",
    );
}

#[test]
fn a_limit_is_a_finite_number_of_its_range() {
    let limit = |value: &str| format!("[rules.D602]\nratio = {value}\n");
    for (value, message) in [
        (
            "-6",
            "2:9: D602 takes numbers from 0 on for `ratio`, found -6",
        ),
        (
            "-0.5",
            "2:9: D602 takes numbers from 0 on for `ratio`, found -0.5",
        ),
        (
            "nan",
            "2:9: D602 takes numbers from 0 on for `ratio`, found NaN",
        ),
        (
            "-inf",
            "2:9: D602 takes numbers from 0 on for `ratio`, found -inf",
        ),
    ] {
        refused(&limit(value), message);
    }
    for (value, expected) in [("0", 0.0), ("3_000_000_000", 3e9), ("0x10", 16.0)] {
        let layer = layer(&limit(value));
        assert_eq!(layer.rules[0].limits, [("ratio", expected)], "{value}");
    }
}

#[test]
fn a_limit_that_would_mean_nothing_is_refused() {
    let whole = "whole numbers from 1 to";
    for (rule, key, value, range) in [
        ("W108", "bits", "0", format!("{whole} 16")),
        ("W108", "bits", "17", format!("{whole} 16")),
        ("W108", "bits", "7.5", format!("{whole} 16")),
        ("W106", "max_influences", "0", format!("{whole} 65536")),
        ("W106", "max_influences", "2.5", format!("{whole} 65536")),
        ("B213", "degrees", "400", "numbers from 0 to 180".to_owned()),
        ("T402", "shear", "7", "numbers from 0 to 1".to_owned()),
        ("T403", "ratio", "0.5", "numbers from 1 on".to_owned()),
    ] {
        let text = format!("[rules.{rule}]\n{key} = {value}\n");
        let column = key.len() + 4;
        refused(
            &text,
            &format!("2:{column}: {rule} takes {range} for `{key}`, found {value}"),
        );
    }
    let text = "[rules.W106]\nmax_influences = 1e40\n";
    assert!(read(text).is_err());
}

#[test]
fn each_limit_can_be_what_it_is_by_default() {
    for rule in crate::lint::rules() {
        let meta = rule.meta();
        for limit in meta.limits {
            assert!(
                limit.range.allows(limit.default),
                "{} {}",
                meta.code,
                limit.key
            );
        }
    }
}

#[test]
fn a_rule_is_set_once_by_code_or_by_name() {
    let text = "[rules]\nW103 = \"warning\"\nweights-not-normalized = \"off\"\n";
    refused(
        text,
        "3:1: W103 is set twice: W103 and weights-not-normalized are the same rule",
    );
}

#[test]
fn a_level_for_a_family_is_refused_with_how_to_ignore_it() {
    for word in ["G", "all"] {
        let message = "to exclude a group, use ignore";
        refused(
            &format!("[rules]\n{word} = \"off\"\n"),
            &format!("2:1: expected one rule, found the group `{word}`; {message} = [\"{word}\"]"),
        );
    }
}

#[test]
fn values_of_another_kind_are_refused() {
    refused(
        "deny-warnings = \"yes\"\n",
        "1:17: expected a boolean, found string \"yes\"",
    );
    refused(
        "select = \"W\"\n",
        "1:10: expected a list such as [\"first\", \"second\"], found string \"W\"",
    );
    refused(
        "[size]\nheight = [2, 1]\n",
        "2:10: expected the minimum and maximum height, such as [1.5, 2.2] (in metres, unless `unit` says otherwise)",
    );
    refused(
        "[size]\nheight = [1, inf]\n",
        "2:10: expected the minimum and maximum height, such as [1.5, 2.2] (in metres, unless `unit` says otherwise)",
    );
    refused("moments = [\"all\"]\n", "1:11: expected a string");
}

#[test]
fn a_height_is_in_metres_unless_its_table_names_a_unit() {
    let unit = |text: &str| layer(text).size.map(|height| height.unit);
    let height = "[size]\nheight = [1, 2]\n";
    assert_eq!(unit(height), Some(LengthUnit::Metre));
    for expected in LengthUnit::ALL {
        let text = format!("{height}unit = \"{expected}\"\n");
        assert_eq!(unit(&text), Some(expected), "{text}");
    }
    for engine in ENGINES.iter() {
        let text = format!("engine = \"{}\"\n{height}", engine.name);
        assert_eq!(unit(&text), Some(LengthUnit::Metre), "{text}");
    }
}

#[test]
fn a_unit_that_is_none_or_alone_is_refused() {
    refused(
        "[size]\nheight = [150, 220]\nunit = \"stud\"\n",
        "3:8: unknown unit `stud`, expected one of `m`, `cm`, `mm`, `in`, `ft`, `studs` (did you mean \"studs\"?)",
    );
    refused("[size]\nunit = \"cm\"\n", "1:1: missing key `height`");
    refused(
        "[size]\nheigth = [1, 2]\n",
        "2:1: unknown key `heigth`, expected `height` or `unit` (did you mean \"height\"?)",
    );
}

#[test]
fn an_override_needs_files_and_patterns_that_can_be_understood() {
    refused(
        "[[overrides]]\nlevel = \"info\"\n",
        "1:1: missing key `files`: the files that the override is for, such as files = [\"props/**\"]",
    );
    refused(
        "files = [\"props/**\"]\n",
        "1:10: `files` says which files an override is for; move it into [[overrides]]",
    );
    refused(
        "[[overrides]]\nfiles = [\"a\"]\n[[overrides.overrides]]\nfiles = [\"b\"]\n",
        "3:1: an override cannot hold another one; begin it with [[overrides]]",
    );
    let error = read("[[overrides]]\nfiles = [\"a[\"]\n")
        .expect_err("the bracket is open")
        .to_string();
    assert!(
        error.starts_with("skincheck.toml:2:10: invalid pattern: "),
        "{error}"
    );
}

#[test]
fn malformed_toml_is_refused_with_its_location() {
    let error = read("level = \"info\"\n[clips\n")
        .expect_err("the bracket is open")
        .to_string();
    assert!(error.starts_with("skincheck.toml:2:"), "{error}");
    assert!(!error.contains('\n'), "{error}");
}

#[test]
fn every_preset_is_read_and_gives_its_reasons() {
    for (name, text) in TEXTS {
        let preset = read_preset(name, text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(preset.about.ends_with('.'), "{name}");
        for text in preset.settings.iter().map(|setting| &setting.why) {
            assert!(text.len() > 20 && !text.ends_with('.'), "{name}: {text}");
        }
        assert!(find_rule(name).is_none() && find_engine(name).is_none());
    }
}

#[test]
fn every_setting_changes_something() {
    for preset in PRESETS.iter() {
        for setting in &preset.layer.rules {
            let meta = setting.rule;
            let default = (!meta.is_on_request()).then_some(meta.level);
            let asked = meta.is_on_request() && setting.level != Some(None);
            let changed = setting.level.is_some_and(|level| level != default);
            let limits = !setting.limits.is_empty();
            assert!(asked || changed || limits, "{}: {}", preset.name, meta.code);
        }
    }
}

#[test]
fn a_setting_is_written_as_in_a_configuration() {
    let mocap = find_preset("mocap").expect("there is such a preset");
    let own = mocap
        .settings
        .iter()
        .find(|setting| setting.rule.is_some_and(|rule| rule.code.0 == "C529"));
    let own = own.expect("it sets C529");
    assert_eq!(own.setting, "level = \"error\", degrees = 0.75");
}
