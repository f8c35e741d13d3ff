//! `skincheck rules` and `skincheck explain`.

use serde_json::Value;
use skincheck::lint::{PROFILES, rules};

use crate::program::skincheck;
use crate::support::in_group;

#[test]
fn every_rule_is_listed() {
    let text = skincheck(["rules"]).ok();
    for rule in rules() {
        let meta = rule.meta();
        let line = text.text().lines().find(|line| line.contains(meta.code.0));
        let line = line.unwrap_or_else(|| panic!("{} is not listed", meta.code));
        assert!(line.contains(meta.name), "{line}");
        assert!(line.ends_with(&meta.summary()), "{line}");
    }
}

#[test]
fn every_rule_is_listed_for_machines() {
    let run = skincheck(["rules", "--json"]).ok();
    let list: Value = serde_json::from_str(run.text()).expect("it is JSON");
    assert_eq!(list["schema"], "skincheck/rules/1");
    let listed = list["rules"].as_array().expect("rules are a list");
    let listed: Vec<&str> = listed
        .iter()
        .filter_map(|rule| rule["code"].as_str())
        .collect();
    let expected: Vec<&str> = rules().map(|rule| rule.meta().code.0).collect();
    assert_eq!(listed, expected);
}

#[test]
fn every_rule_is_explained_by_code_and_by_name() {
    for rule in rules() {
        let meta = rule.meta();
        let by_code = skincheck(["explain", meta.code.0]).ok();
        let by_name = skincheck(["explain", meta.name]).ok();
        assert_eq!(by_code.text(), by_name.text());
        let head = format!("{} {}\n", meta.code, meta.name);
        assert!(by_code.text().starts_with(&head), "{}", by_code.text());
        for limit in meta.limits {
            assert!(by_code.text().contains(&format!("\n{} = ", limit.key)));
        }
        assert!(!by_code.text().contains('\u{1b}'));
    }
}

#[test]
fn what_explain_prints_can_be_pasted_into_a_configuration() {
    for rule in rules() {
        let page = skincheck(["explain", rule.meta().code.0]).ok();
        let text = page.text();
        let (_, pasted) = text
            .split_once("In skincheck.toml\n")
            .expect("the page ends so");
        let path = std::path::Path::new("skincheck.toml");
        let config = skincheck::check::config::Config::parse(path, path, pasted);
        assert!(config.is_ok(), "{pasted}: {config:?}");
    }
}

#[test]
fn what_explain_prints_makes_its_rule_run() {
    for code in ["B210", "C522", "C526", "C527", "H311", "W108", "W117"] {
        let page = skincheck(["explain", code]).ok();
        let (_, pasted) = page
            .text()
            .split_once("In skincheck.toml\n")
            .expect("the page ends so");
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let config = folder.path().join("pasted.toml");
        std::fs::write(&config, pasted).expect("it is writable");
        let config = config.to_string_lossy().into_owned();
        let line = ["check", "rules/clean.gltf", "--config", &config];
        let run = skincheck(line.into_iter().chain(["--format", "junit", "--verbose"]));
        let test = run.text().split_once(&format!("name=\"{code} "));
        let (_, test) = test.unwrap_or_else(|| panic!("{code} is not checked: {}", run.text()));
        let test = test.split("<testcase").next().unwrap_or_default();
        assert!(!test.contains("skipped"), "{code}: {test}");
    }
}

#[test]
fn whole_numbers_are_shown_whole() {
    let page = skincheck(["explain", "W106"]).ok();
    let line = "\nmax_influences = 4    # most influences per vertex, in place of the profile's limit; \
                whole numbers from 1 to 65536\n";
    assert!(page.text().contains(line), "{}", page.text());
}

#[test]
fn an_unknown_rule_is_refused_with_the_nearest() {
    let run = skincheck(["explain", "weights-normalized"]);
    assert_eq!(run.code, Some(2));
    let expected =
        "no rule is named \"weights-normalized\" (did you mean \"weights-not-normalized\"?)";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert!(run.stdout.is_empty());
}

#[test]
fn every_profile_is_listed() {
    let list = skincheck(["rules", "--profiles"]).ok();
    in_group("rules", || insta::assert_snapshot!("profiles", list.text()));
    let page = skincheck(["explain", "unreal"]).ok();
    in_group("rules", || insta::assert_snapshot!("unreal", page.text()));
}

#[test]
fn every_profile_is_listed_for_machines_with_all_that_it_says() {
    let run = skincheck(["rules", "--profiles", "--json"]).ok();
    let list: Value = serde_json::from_str(run.text()).expect("it is JSON");
    assert_eq!(list["schema"], "skincheck/profiles/1");
    let listed = list["profiles"].as_array().expect("profiles are a list");
    assert_eq!(listed.len(), PROFILES.len());
    for (listed, profile) in listed.iter().zip(PROFILES) {
        assert_eq!(listed["name"], profile.name);
        assert_eq!(
            listed["max_influences"].as_u64(),
            profile.max_influences.map(u64::from)
        );
        assert_eq!(
            listed["max_joints"].as_u64(),
            profile.max_joints.map(u64::from)
        );
        assert_eq!(listed["unit"], profile.unit.name());
        assert_eq!(listed["metres_per_unit"], profile.unit.metres());
        assert_eq!(listed["axes"]["front"], profile.axes.front.to_string());
        for what in ["max_influences", "max_joints", "unit", "axes", "conversion"] {
            assert!(listed["sources"][what].is_string(), "{listed}");
        }
    }
}

#[test]
fn every_profile_is_explained_by_its_name() {
    for profile in PROFILES {
        let page = skincheck(["explain", profile.name]).ok();
        let head = format!("{}\n{}\n", profile.name, profile.title);
        assert!(page.text().starts_with(&head), "{}", page.text());
        let (_, pasted) = page
            .text()
            .split_once("In skincheck.toml\n")
            .expect("the page ends so");
        let path = std::path::Path::new("skincheck.toml");
        let config = skincheck::check::config::Config::parse(path, path, pasted);
        assert!(config.is_ok(), "{pasted}: {config:?}");
    }
}

#[test]
fn an_unknown_word_that_is_like_a_profile_is_refused_with_that() {
    let run = skincheck(["explain", "unrael"]);
    assert_eq!(run.code, Some(2));
    let expected = "no rule or profile \"unrael\" (did you mean \"unreal\"?)";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}
