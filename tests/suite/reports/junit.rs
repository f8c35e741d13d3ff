//! Validates JUnit output against the schema that Jenkins publishes.

use roxmltree::Document;
use skincheck::check::Report;
use skincheck::report::{Format, check};

use super::xsd::Schema;
use super::{report, written};

const SCHEMA: &str = include_str!("../../schemas/junit-10.xsd");

/// The errors of a document.
pub(crate) fn complaints(xml: &str) -> Vec<String> {
    Schema::parse(SCHEMA).complaints(xml)
}

#[test]
fn the_document_is_valid() {
    assert_eq!(complaints(&written("junit", &report())), [""; 0]);
    assert_eq!(complaints(&written("junit", &Report::default())), [""; 0]);
}

#[test]
fn the_schema_sees_what_is_wrong() {
    let right = written("junit", &report());
    for (from, to) in [
        ("<testcase name=", "<testcase title="),
        ("<failure type=", "<failure kind="),
        ("</testsuites>", "stray text</testsuites>"),
        (" errors=", " faults="),
    ] {
        let wrong = right.replacen(from, to, 1);
        assert_ne!(wrong, right);
        assert!(!complaints(&wrong).is_empty(), "{from} as {to}");
    }
}

#[test]
fn the_counts_are_those_of_the_tests() {
    let xml = written("junit", &report());
    let document = Document::parse(&xml).expect("it is XML");
    let all = document.descendants();
    for suite in all.filter(|node| node.has_tag_name("testsuite")) {
        let count = |name: &str| {
            let inside = suite.descendants();
            inside.filter(|node| node.has_tag_name(name)).count()
        };
        for (attribute, tag) in [
            ("tests", "testcase"),
            ("failures", "failure"),
            ("errors", "error"),
            ("skipped", "skipped"),
        ] {
            let reported = suite.attribute(attribute);
            assert_eq!(
                reported,
                Some(count(tag).to_string().as_str()),
                "{attribute}"
            );
        }
    }
}

#[test]
fn a_file_has_ten_cases_at_most_and_a_clean_one_has_one() {
    let cases = |findings: usize, verbose: bool| {
        let mut report = report();
        report.files.truncate(1);
        let finding = report.files[0].findings[0].clone();
        report.files[0].findings = vec![finding; findings];
        let view = skincheck::report::View {
            verbose,
            ..Default::default()
        };
        let xml = check::write(&report, Format::JUnit, view);
        assert_eq!(complaints(&xml), [""; 0]);
        xml.matches("<testcase ").count()
    };
    for (findings, expected) in [(0, 1), (1, 1), (10, 10), (11, 10), (500, 10)] {
        assert_eq!(cases(findings, false), expected, "{findings}");
    }
    assert_eq!(cases(500, true), 500);
}

#[test]
fn names_come_back_as_they_were() {
    let xml = written("junit", &report());
    let document = Document::parse(&xml).expect("it is XML");
    let failures = document.descendants();
    let failures = failures.filter(|node| node.has_tag_name("failure"));
    let texts: Vec<&str> = failures.filter_map(|node| node.text()).collect();
    let name = "mesh \"Körper <\\\"&'%,:]]>\"";
    assert!(texts.iter().any(|text| text.contains(name)), "{texts:?}");
}
