//! JUnit against the schema that Jenkins publishes.

use roxmltree::Document;
use skincheck::check::Report;

use super::xsd::Schema;
use super::{report, written};

const SCHEMA: &str = include_str!("../../schemas/junit-10.xsd");

/// What is wrong with a document.
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
        ("<skipped message=", "<ignored message="),
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
            let told = suite.attribute(attribute);
            assert_eq!(told, Some(count(tag).to_string().as_str()), "{attribute}");
        }
    }
}

#[test]
fn names_come_back_as_they_were() {
    let xml = written("junit", &report());
    let document = Document::parse(&xml).expect("it is XML");
    let failure = document
        .descendants()
        .find(|node| node.has_tag_name("failure"));
    let text = failure.and_then(|node| node.text()).unwrap_or_default();
    assert!(text.contains("mesh \"Körper <\\\"&'%,:]]>\""), "{text}");
}
