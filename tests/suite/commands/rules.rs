//! `skincheck rules` and `skincheck explain`.

use serde_json::Value;
use skincheck::lint::rules;

use crate::program::skincheck;

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
        let config = skincheck::config::Config::parse(path, path, pasted);
        assert!(config.is_ok(), "{pasted}: {config:?}");
    }
}

#[test]
fn an_unknown_rule_is_refused_with_the_nearest() {
    let run = skincheck(["explain", "weights-normalized"]);
    assert_eq!(run.code, Some(2));
    let expected =
        "there is no rule \"weights-normalized\" (did you mean \"weights-not-normalized\"?)";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert!(run.stdout.is_empty());
}
