//! JUnit XML, as Jenkins and GitLab read it.
//!
//! # Reference
//!
//! `junit-10.xsd` of Jenkins' xUnit plugin.

use std::fmt::Write;

use super::escape::xml;
use super::format::View;
use super::results::{Case, Cause, Model, Outcome, Results};
use super::words::{sentence, title};
use crate::check::baseline::subject;
use crate::finding::Finding;
use crate::shown::printable;
use crate::units::amount;

/// The tests of one model.
struct Suite {
    name: String,
    cases: Vec<Case>,
}

impl Case {
    pub(super) fn new(name: impl Into<String>, outcome: Outcome) -> Self {
        let name = name.into();
        Self { name, outcome }
    }

    /// A test that fails for the reasons in `lines`, if there are any.
    pub(super) fn failing(name: impl Into<String>, kind: &'static str, lines: &[String]) -> Self {
        let outcome = if lines.is_empty() {
            Outcome::Passed
        } else {
            Outcome::Failed(Cause::new(kind, lines))
        };
        Self::new(name, outcome)
    }
}

impl Outcome {
    fn element(&self) -> Option<String> {
        let caused = |element: &str, cause: &Cause| {
            let Cause {
                kind,
                message,
                text,
            } = cause;
            let (message, text) = (xml(&printable(message)), xml(text));
            format!("<{element} type=\"{kind}\" message=\"{message}\">{text}</{element}>")
        };
        Some(match self {
            Self::Passed => return None,
            Self::Said(text) => format!("<system-out>{}</system-out>", xml(text)),
            Self::Skipped(message) => {
                format!("<skipped message=\"{}\"/>", xml(&printable(message)))
            }
            Self::Failed(cause) => caused("failure", cause),
            Self::Error(cause) => caused("error", cause),
        })
    }
}

fn page(suites: &[Suite]) -> String {
    let counts = |suites: &[Suite]| {
        let cases = || suites.iter().flat_map(|suite| &suite.cases);
        let count = |is: fn(&Outcome) -> bool| cases().filter(|case| is(&case.outcome)).count();
        let failures = count(|outcome| matches!(outcome, Outcome::Failed(_)));
        let errors = count(|outcome| matches!(outcome, Outcome::Error(_)));
        let skipped = count(|outcome| matches!(outcome, Outcome::Skipped(_)));
        let tests = cases().count();
        (
            format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\""),
            skipped,
        )
    };
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut add = |line: String| {
        writeln!(text, "{line}").expect("a string takes all that fits into memory");
    };
    add(format!(
        "<testsuites name=\"skincheck\" {}>",
        counts(suites).0
    ));
    for suite in suites {
        let (name, (counts, skipped)) = (xml(&suite.name), counts(std::slice::from_ref(suite)));
        add(format!(
            "  <testsuite name=\"{name}\" {counts} skipped=\"{skipped}\">"
        ));
        for Case { name: own, outcome } in &suite.cases {
            let own = xml(&printable(own));
            let case = format!("    <testcase name=\"{own}\" classname=\"{name}\"");
            add(match outcome.element() {
                Some(element) => format!("{case}>\n      {element}\n    </testcase>"),
                None => format!("{case}/>"),
            });
        }
        add("  </testsuite>".to_owned());
    }
    add("</testsuites>".to_owned());
    text
}

/// The name of the case for a file without findings, or for one that cannot be read.
const WHOLE_FILE: &str = "check";

/// The most cases of one file: enough to show its faults, and few enough for a viewer that lists all files.
const MOST_CASES: usize = 10;

/// Renders the results as JUnit XML: one suite per model, with one case per finding, or per clip if the command compares
/// clips.
pub(super) fn write<R, D>(results: &Results<'_, R, D>, view: View) -> String {
    let models = results.models.iter().map(|model| Suite {
        name: model.title.clone(),
        cases: cases(model, view),
    });
    let unfinished = results.unfinished().map(|unfinished| Suite {
        name: "skincheck".to_owned(),
        cases: vec![error("interrupted", &unfinished)],
    });
    let suites: Vec<Suite> = models.chain(unfinished).collect();
    page(&suites)
}

fn error(name: &str, message: &str) -> Case {
    let lines = [printable(message)];
    Case::new(name, Outcome::Error(Cause::new("unreadable", &lines)))
}

fn cases<D>(model: &Model<'_, D>, view: View) -> Vec<Case> {
    if let Some(failure) = model.failure {
        return vec![error(WHOLE_FILE, failure)];
    }
    let mut cases = match &model.tests {
        Some(tests) => tests.clone(),
        None => of_findings(model, view),
    };
    cases.extend(model.others.iter().cloned());
    if cases.is_empty() {
        cases.push(Case::new(WHOLE_FILE, Outcome::Passed));
    }
    cases
}

/// Findings that fail the run come first; otherwise findings stay in their order.
fn of_findings<D>(model: &Model<'_, D>, view: View) -> Vec<Case> {
    let mut findings: Vec<&Finding> = model.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    let most = if view.verbose { usize::MAX } else { MOST_CASES };
    let shown = if findings.len() > most {
        most - 1
    } else {
        findings.len()
    };
    let (shown, others) = findings.split_at(shown);
    let mut cases = Vec::new();
    for finding in shown {
        let title = format!("{}: {}", title(finding.code), subject(&finding.location));
        cases.push(Case::new(title, outcome(model, &[finding])));
    }
    if !others.is_empty() {
        let title = amount(others.len(), "more finding");
        cases.push(Case::new(title, outcome(model, others)));
    }
    cases
}

/// A failure if one of `findings` fails the check. Otherwise the findings are the output.
fn outcome<D>(model: &Model<'_, D>, findings: &[&Finding]) -> Outcome {
    let lines = findings.iter().map(|finding| line(finding));
    let text = lines.collect::<Vec<_>>().join("\n");
    match findings
        .iter()
        .find(|finding| finding.level >= model.fails_from)
    {
        None => Outcome::Said(text),
        Some(first) => Outcome::Failed(Cause {
            kind: first.level.name(),
            message: sentence(first),
            text,
        }),
    }
}

/// `error[W103] mesh "Body": weights sum to 0.9, not 1`.
pub(super) fn line(finding: &Finding) -> String {
    let level = finding.level.name();
    format!("{level}[{}] {}", finding.code, sentence(finding))
}
