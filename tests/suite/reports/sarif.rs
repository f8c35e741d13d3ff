//! Validates SARIF output against the schema that OASIS publishes.

use jsonschema::Validator;
use serde_json::Value;
use skincheck::check::Report;
use skincheck::lint::rules;

use super::{report, written};

const SCHEMA: &str = include_str!("../../schemas/sarif-schema-2.1.0.json");

fn validator() -> Validator {
    // The schema's pattern for languages has an unbalanced bracket, which not every dialect accepts.
    let schema = SCHEMA.replace("{2}]?$", "{2}\\\\]?$");
    assert_ne!(schema, SCHEMA);
    let schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&schema).expect("the schema is one")
}

fn log(report: &Report) -> Value {
    serde_json::from_str(&written("sarif", report)).expect("SARIF is JSON")
}

/// The errors of a log.
pub(crate) fn complaints(text: &str) -> Vec<String> {
    let log: Value = serde_json::from_str(text).expect("SARIF is JSON");
    let validator = validator();
    let errors = validator.iter_errors(&log);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// The same log without the rules, and with the index of each in their list.
pub(crate) fn without_rules(text: &str) -> String {
    let mut log: Value = serde_json::from_str(text).expect("SARIF is JSON");
    let run = &mut log["runs"][0];
    run["tool"]["driver"]["rules"] = "RULES".into();
    let results = run["results"].as_array_mut().expect("results are a list");
    for result in results {
        result["ruleIndex"] = "INDEX".into();
    }
    serde_json::to_string_pretty(&log).expect("a JSON value is JSON")
}

#[test]
fn the_log_is_valid() {
    for report in [report(), Report::default()] {
        assert_eq!(complaints(&written("sarif", &report)), [""; 0]);
    }
}

#[test]
fn the_schema_sees_what_is_wrong() {
    let planted: [fn(&mut Value); 4] = [
        |log| log["runs"][0]["results"][0]["level"] = "info".into(),
        |log| log["runs"][0]["results"][0]["message"] = Value::Null,
        |log| log["runs"][0]["tool"]["driver"]["rules"][0]["id"] = Value::Null,
        |log| log["runs"][0]["colour"] = "red".into(),
    ];
    for plant in planted {
        let mut log = log(&report());
        plant(&mut log);
        assert!(!validator().is_valid(&log));
    }
}

#[test]
fn every_rule_is_declared_and_every_result_names_its_own() {
    let log = log(&report());
    let run = &log["runs"][0];
    let declared = run["tool"]["driver"]["rules"].as_array().expect("a list");
    let declared: Vec<&str> = declared
        .iter()
        .filter_map(|rule| rule["id"].as_str())
        .collect();
    let codes = rules().map(|rule| rule.meta().code.0);
    let expected: Vec<&str> = codes.chain(["unreadable"]).collect();
    assert_eq!(declared, expected);
    for result in run["results"].as_array().expect("a list") {
        let index = result["ruleIndex"].as_u64().expect("an index");
        let index = usize::try_from(index).expect("a small one");
        assert_eq!(result["ruleId"], declared[index]);
    }
}
