//! JUnit XML, as Jenkins and GitLab read it.
//!
//! # Reference
//!
//! `junit-10.xsd` of Jenkins' xUnit plugin.

use askama::Template;

use super::format::View;
use super::results::{Case, Cause, Model, Outcome, Results};
use super::words::{fix, places, rule, sentence, title};
use crate::check::baseline::subject;
use crate::finding::Finding;
use crate::shown::printable;
use crate::units::amount;

#[derive(Template)]
#[template(path = "junit.xml")]
struct Suites {
    counts: Counts,
    suites: Vec<Suite>,
}

/// The tests of one model.
struct Suite {
    name: String,
    counts: Counts,
    cases: Vec<Case>,
}

/// The numbers of cases.
#[derive(Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Suite {
    fn new(name: impl Into<String>, cases: Vec<Case>) -> Self {
        Self {
            name: name.into(),
            counts: Counts::of(cases.iter()),
            cases,
        }
    }
}

impl Counts {
    fn of<'a>(cases: impl Iterator<Item = &'a Case>) -> Self {
        let mut counts = Self::default();
        for case in cases {
            counts.tests += 1;
            match case.outcome {
                Outcome::Failed(_) => counts.failures += 1,
                Outcome::Error(_) => counts.errors += 1,
                Outcome::Skipped(_) => counts.skipped += 1,
                Outcome::Passed | Outcome::Said(_) => {}
            }
        }
        counts
    }
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

/// The name of the case for a file without findings, or for one that cannot be read.
const WHOLE_FILE: &str = "check";

/// The most cases of one file: enough to show its faults, and few enough for a viewer that lists all files.
const MOST_CASES: usize = 10;

/// Renders the results as JUnit XML: one suite per model, with one case per finding, or per clip if the command compares
/// clips.
pub(super) fn write<R, D>(results: &Results<'_, R, D>, view: View) -> String {
    let models = results
        .models
        .iter()
        .map(|model| Suite::new(&model.title, cases(model, view)));
    let unfinished = results.unfinished();
    let unfinished =
        unfinished.map(|message| Suite::new("skincheck", vec![error("interrupted", &message)]));
    let suites: Vec<Suite> = models.chain(unfinished).collect();
    let counts = Counts::of(suites.iter().flat_map(|suite| &suite.cases));
    let page = Suites { counts, suites }.render();
    page.expect("a string takes all that is written") + "\n"
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
    let mut lines = Vec::new();
    for finding in findings {
        let (message, places) = message_and_places(finding);
        lines.push(labelled(finding, &message));
        lines.extend(places);
        lines.extend(fix(finding.code).map(|fix| format!("fix: {fix}")));
    }
    let text = lines.join("\n");
    match findings
        .iter()
        .find(|finding| finding.level >= model.fails_from)
    {
        None => Outcome::Said(text),
        Some(first) => Outcome::Failed(Cause {
            kind: first.level.name(),
            message: headline(first),
            text,
        }),
    }
}

/// `weights sum to 0.9, not 1: mesh "Body" vertex 1841; Spine2 0.7, Head 0.2`.
fn headline(finding: &Finding) -> String {
    let (message, places) = message_and_places(finding);
    if places.is_empty() {
        message
    } else {
        format!("{message}: {}", places.join("; "))
    }
}

/// What is wrong, then where. Only the messages of rules do not name their subject.
fn message_and_places(finding: &Finding) -> (String, Vec<String>) {
    if rule(finding.code).is_some() {
        (printable(&finding.message), places(finding))
    } else {
        (sentence(finding), Vec::new())
    }
}

/// `error[bind-pose] bind pose of "hip" …`: a finding whose message names its subject.
pub(super) fn line(finding: &Finding) -> String {
    labelled(finding, &sentence(finding))
}

/// * `text` – about the finding.
fn labelled(finding: &Finding, text: &str) -> String {
    format!("{}[{}] {text}", finding.level.name(), finding.code)
}
