//! JUnit XML, as Jenkins and GitLab read it: one suite per file, one case per finding.
//!
//! # Reference
//!
//! `junit-10.xsd` of Jenkins' xUnit plugin.

use std::fmt::{Arguments, Write};

use super::escape::xml;
use super::format::{Format, View};
use super::words::{rule_title, sentence};
use crate::check::baseline::subject;
use crate::check::{FileReport, Report};
use crate::lint::{Code, Finding, Unchecked};
use crate::shown::{path, printable};
use crate::units::amount;

/// JUnit XML.
#[derive(Debug)]
pub(super) struct JUnit;

/// The name of the case for a file without findings, or for one that cannot be read.
const WHOLE_FILE: &str = "check";

/// The most cases of one file: enough to show its faults, and few enough for a viewer that lists all files.
const MOST_CASES: usize = 10;

impl Format for JUnit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn about(&self) -> &'static str {
        "JUnit XML, for the viewers of most CI systems"
    }

    fn write(&self, report: &Report, view: View) -> String {
        let files = report.files.iter().map(|file| Suite::of(file, view));
        let mut suites: Vec<Suite> = files.collect();
        if let Some(unfinished) = report.unfinished() {
            let mut suite = Suite::named("skincheck".to_owned());
            suite.error("interrupted", &unfinished);
            suites.push(suite);
        }
        let total = |count: fn(&Suite) -> usize| suites.iter().map(count).sum::<usize>();
        let mut page = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        push(
            &mut page,
            format_args!(
                "<testsuites name=\"skincheck\" tests=\"{}\" failures=\"{}\" errors=\"{}\">",
                total(|suite| suite.tests),
                total(|suite| suite.failures),
                total(|suite| suite.errors)
            ),
        );
        for suite in &suites {
            suite.write(&mut page);
        }
        page.push_str("</testsuites>\n");
        page
    }
}

/// The tests of one file.
struct Suite {
    name: String,
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    cases: String,
}

impl Suite {
    fn named(name: String) -> Self {
        Self {
            name,
            tests: 0,
            failures: 0,
            errors: 0,
            skipped: 0,
            cases: String::new(),
        }
    }

    fn of(file: &FileReport, view: View) -> Self {
        let mut suite = Self::named(path(&file.path));
        if let Some(failure) = &file.failure {
            suite.error(WHOLE_FILE, failure);
            return suite;
        }
        // Findings that fail the check come first; otherwise findings stay in their order.
        let mut findings: Vec<&Finding> = file.findings.iter().collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
        let most = if view.verbose { usize::MAX } else { MOST_CASES };
        let shown = if findings.len() > most {
            most - 1
        } else {
            findings.len()
        };
        let (shown, others) = findings.split_at(shown);
        for finding in shown {
            let title = format!(
                "{}: {}",
                rule_title(finding.code),
                subject(&finding.location)
            );
            suite.findings(file, &title, &[*finding]);
        }
        if !others.is_empty() {
            let title = amount(others.len(), "more finding");
            suite.findings(file, &title, others);
        }
        if view.verbose || file.deny_unchecked {
            let denied = file.deny_unchecked;
            let unchecked = file.unchecked.iter();
            unchecked.for_each(|unchecked| suite.unchecked(unchecked, denied));
        }
        if view.verbose {
            let found = |code: &Code| findings.iter().any(|finding| finding.code == *code);
            let clean = file.checked.iter().filter(|code| !found(code));
            clean.for_each(|code| suite.case(&rule_title(*code), None));
        }
        if suite.tests == 0 {
            suite.case(WHOLE_FILE, None);
        }
        suite
    }

    /// One case with an error.
    fn error(&mut self, name: &str, message: &str) {
        self.errors += 1;
        let message = xml(&printable(message));
        let body = format!("<error type=\"unreadable\" message=\"{message}\"/>");
        self.case(name, Some(body));
    }

    /// One case, which fails if one of `findings` fails the check. Otherwise the findings are its output.
    fn findings(&mut self, file: &FileReport, name: &str, findings: &[&Finding]) {
        let fails = |finding: &&&Finding| file.fails_at(finding.level);
        let lines: Vec<String> = findings.iter().map(|finding| line(finding)).collect();
        let lines = xml(&lines.join("\n"));
        let body = if let Some(first) = findings.iter().find(fails) {
            self.failures += 1;
            let (level, message) = (first.level.name(), xml(&sentence(first)));
            format!("<failure type=\"{level}\" message=\"{message}\">{lines}</failure>")
        } else {
            format!("<system-out>{lines}</system-out>")
        };
        self.case(name, Some(body));
    }

    fn unchecked(&mut self, unchecked: &Unchecked, denied: bool) {
        let reason = xml(&printable(&unchecked.reason));
        let body = if denied {
            self.failures += 1;
            format!("<failure type=\"unchecked\" message=\"{reason}\"/>")
        } else {
            self.skipped += 1;
            format!("<skipped message=\"{reason}\"/>")
        };
        self.case(&rule_title(unchecked.code), Some(body));
    }

    fn case(&mut self, name: &str, body: Option<String>) {
        self.tests += 1;
        let (name, class) = (xml(name), xml(&self.name));
        let head = format!("    <testcase name=\"{name}\" classname=\"{class}\"");
        match body {
            Some(body) => push(
                &mut self.cases,
                format_args!("{head}>\n      {body}\n    </testcase>"),
            ),
            None => push(&mut self.cases, format_args!("{head}/>")),
        }
    }

    fn write(&self, page: &mut String) {
        let name = xml(&self.name);
        push(
            page,
            format_args!(
                "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
                self.tests, self.failures, self.errors, self.skipped
            ),
        );
        page.push_str(&self.cases);
        page.push_str("  </testsuite>\n");
    }
}

fn line(finding: &Finding) -> String {
    let level = finding.level.name();
    format!("{level}[{}] {}", finding.code, sentence(finding))
}

fn push(page: &mut String, line: Arguments<'_>) {
    writeln!(page, "{line}").expect("a string takes all that fits into memory");
}
