//! JUnit XML, as Jenkins and GitLab read it: a suite a file, a test a rule.
//!
//! # Reference
//!
//! `junit-10.xsd` of Jenkins' xUnit plugin.

use std::fmt::Write;

use super::escape::xml;
use super::format::{Format, View};
use super::words::{rule_title, sentence};
use crate::check::{FileReport, Report};
use crate::lint::{Code, Finding, Unchecked};
use crate::shown::{path, printable};
use crate::units::amount;

/// JUnit XML.
#[derive(Debug)]
pub(super) struct JUnit;

/// The test that every file is put to first.
const READING: &str = "can be read";

impl Format for JUnit {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn about(&self) -> &'static str {
        "JUnit XML, for the viewers of most CI systems"
    }

    fn write(&self, report: &Report, _: View) -> String {
        let suites: Vec<Suite> = report.files.iter().map(Suite::of).collect();
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
    fn of(file: &FileReport) -> Self {
        let mut suite = Self {
            name: path(&file.path),
            tests: 0,
            failures: 0,
            errors: 0,
            skipped: 0,
            cases: String::new(),
        };
        suite.reading(file);
        for code in &file.checked {
            let findings = file.findings.iter();
            let findings: Vec<_> = findings.filter(|finding| finding.code == *code).collect();
            suite.rule(file, *code, &findings);
        }
        for unchecked in &file.unchecked {
            suite.unchecked(unchecked, file.deny_unchecked);
        }
        suite
    }

    fn reading(&mut self, file: &FileReport) {
        let body = file.failure.as_ref().map(|failure| {
            self.errors += 1;
            let message = xml(&printable(failure));
            format!("<error type=\"unreadable\" message=\"{message}\"/>")
        });
        self.case(READING, body);
    }

    /// What makes the check fail is a failure; what is below is the test's output.
    fn rule(&mut self, file: &FileReport, code: Code, findings: &[&Finding]) {
        let fails = |finding: &&&Finding| file.fails_at(finding.level);
        let failing: Vec<_> = findings.iter().filter(fails).collect();
        let lines: Vec<String> = findings.iter().map(|finding| line(finding)).collect();
        let lines = xml(&lines.join("\n"));
        let body = if let Some(first) = failing.first() {
            self.failures += 1;
            let more = match failing.len() - 1 {
                0 => String::new(),
                more => format!(", and {}", amount(more, "more finding")),
            };
            let (level, message) = (first.level.name(), xml(&sentence(first)));
            Some(format!(
                "<failure type=\"{level}\" message=\"{message}{more}\">{lines}</failure>"
            ))
        } else if findings.is_empty() {
            None
        } else {
            Some(format!("<system-out>{lines}</system-out>"))
        };
        self.case(&rule_title(code), body);
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

fn push(page: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(page, "{line}").expect("a string takes all that fits into memory");
}
