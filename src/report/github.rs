//! Annotations of GitHub Actions.
//!
//! # Reference
//!
//! "Workflow commands for GitHub Actions", setting an error, warning or notice message.

use std::fmt::Write;

use super::escape::{github_message, github_property};
use super::format::{Format, View};
use super::words::{LEVELS, UNREADABLE, fix, rule_title, sentence};
use crate::check::Report;
use crate::lint::Level;
use crate::shown::{printable, unicode};

/// Annotations of GitHub Actions.
#[derive(Debug)]
pub(super) struct GitHub;

impl Format for GitHub {
    fn name(&self) -> &'static str {
        "github"
    }

    fn about(&self) -> &'static str {
        "annotations of GitHub Actions"
    }

    /// Sorted by severity, because GitHub shows only the first ten annotations of each kind.
    fn write(&self, report: &Report, _: View) -> String {
        let mut commands = String::new();
        for file in &report.files {
            if let Some(failure) = &file.failure {
                let path = unicode(&file.path);
                command(&mut commands, Level::Error, &path, UNREADABLE, &[failure]);
            }
        }
        if let Some(unfinished) = report.unfinished() {
            writeln!(commands, "::error title=skincheck::{unfinished}")
                .expect("a string takes all that fits into memory");
        }
        for level in LEVELS {
            for file in &report.files {
                let findings = file.findings.iter();
                for finding in findings.filter(|finding| finding.level == level) {
                    let (path, title) = (unicode(&file.path), rule_title(finding.code));
                    let fix = format!("fix: {}", fix(finding.code));
                    command(
                        &mut commands,
                        level,
                        &path,
                        &title,
                        &[&sentence(finding), &fix],
                    );
                }
            }
        }
        commands
    }
}

/// * `lines` – of the message, which begins with the path: GitHub shows the message alone where the file is not in the
///   pull request.
fn command(commands: &mut String, level: Level, path: &str, title: &str, lines: &[&str]) {
    let kind = match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "notice",
    };
    let property = |text: &str| github_property(&printable(text));
    let lines: Vec<String> = lines.iter().map(|line| printable(line)).collect();
    let message = format!("{}: {}", printable(path), lines.join("\n"));
    let message = github_message(&message);
    let (path, title) = (property(path), property(title));
    writeln!(commands, "::{kind} file={path},title={title}::{message}")
        .expect("a string takes all that fits into memory");
}
