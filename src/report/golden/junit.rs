//! JUnit XML: one suite per model, with one case for the model and one for each clip, and a suite of approvals that are
//! not tested.

use std::fmt::Write;

use super::{lines, of_orphan, sentence};
use crate::golden::{ModelReport, Orphan, Report, Verdict};
use crate::report::escape::xml;
use crate::shown::{path, printable};

/// A failing case: the type of failure, and its lines.
struct Case {
    name: String,
    failure: Option<(&'static str, Vec<String>)>,
    is_error: bool,
}

/// The JUnit format. Missing approvals, and those that are not tested, are failures if they fail the run, and skipped
/// cases otherwise.
#[must_use]
pub fn write(report: &Report) -> String {
    let suites = report.models.iter();
    let mut suites: Vec<(String, Vec<Case>)> = suites
        .map(|model| (path(&model.path), cases(model)))
        .collect();
    if !report.orphans.is_empty() {
        let orphans = report.orphans.iter().map(untested).collect();
        suites.push(("no longer tested".to_owned(), orphans));
    }
    let is_skipped = |kind: &str| match kind {
        NEW => !report.must_be_approved,
        UNTESTED => !report.must_be_tested,
        _ => false,
    };
    let counts = |cases: &[&Case]| {
        let fails = |case: &&&Case| {
            let kind = case.failure.as_ref().map(|(kind, _)| *kind);
            kind.is_some_and(|kind| !is_skipped(kind))
        };
        let errors = cases.iter().filter(|case| case.is_error).count();
        let failures = cases.iter().filter(fails).count() - errors;
        format!(
            "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"",
            cases.len()
        )
    };
    let all: Vec<&Case> = suites.iter().flat_map(|(_, cases)| cases).collect();
    let mut page = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut add = |line: String| writeln!(page, "{line}").expect("a String takes all of it");
    add(format!(
        "<testsuites name=\"skincheck test\" {}>",
        counts(&all)
    ));
    for (name, cases) in &suites {
        let name = xml(name);
        let own: Vec<&Case> = cases.iter().collect();
        let kinds = own.iter().filter_map(|case| case.failure.as_ref());
        let skipped = kinds.filter(|(kind, _)| is_skipped(kind)).count();
        add(format!(
            "  <testsuite name=\"{name}\" {} skipped=\"{skipped}\">",
            counts(&own)
        ));
        for case in cases {
            let head = format!(
                "    <testcase name=\"{}\" classname=\"{name}\"",
                xml(&printable(&case.name))
            );
            let Some((kind, lines)) = &case.failure else {
                add(head + "/>");
                continue;
            };
            let message = lines.first().map_or("", String::as_str);
            let (message, body) = (xml(message), xml(&lines.join("\n")));
            add(head + ">");
            add(if case.is_error {
                format!("      <error type=\"{kind}\" message=\"{message}\"/>")
            } else if is_skipped(kind) {
                format!("      <skipped message=\"{message}\"/>")
            } else {
                format!("      <failure type=\"{kind}\" message=\"{message}\">{body}</failure>")
            });
            add("    </testcase>".to_owned());
        }
        add("  </testsuite>".to_owned());
    }
    add("</testsuites>".to_owned());
    page
}

/// The failure type of a missing approval.
const NEW: &str = "new";

/// The failure type of an approval that is not tested.
const UNTESTED: &str = "untested";

fn untested(orphan: &Orphan) -> Case {
    Case {
        name: of_orphan(orphan),
        failure: Some((UNTESTED, vec!["approved but no longer tested".to_owned()])),
        is_error: false,
    }
}

fn cases(model: &ModelReport) -> Vec<Case> {
    if let Some(failure) = &model.failure {
        return vec![Case {
            name: "model".to_owned(),
            failure: Some(("failed", vec![printable(failure)])),
            is_error: true,
        }];
    }
    let own: Vec<String> = model.differences.iter().map(sentence).collect();
    let whole = Case {
        name: "model".to_owned(),
        failure: (!own.is_empty()).then_some(("changed", own)),
        is_error: false,
    };
    let clips = model.clips.iter().map(|clip| {
        let mut lines = lines(clip);
        if lines.is_empty() {
            lines.push("not approved yet: numbers".to_owned());
        }
        let verdict = clip.verdict();
        Case {
            name: format!("clip \"{}\"", clip.name),
            failure: (verdict != Verdict::Same).then_some((verdict.name(), lines)),
            is_error: false,
        }
    });
    std::iter::once(whole).chain(clips).collect()
}
