//! Annotations of GitHub Actions.
//!
//! # Reference
//!
//! "Workflow commands for GitHub Actions", setting an error, warning or notice message.

use std::fmt::Write;

use super::escape::{github_message, github_property};
use super::results::Results;
use super::words::{UNREADABLE, fix, sentence, title};
use crate::finding::Level;
use crate::shown::{printable, unicode};

/// Renders the results as annotations, sorted by severity, because GitHub shows only the first ten of each kind.
pub(super) fn write<R, D>(results: &Results<'_, R, D>) -> String {
    let mut commands = String::new();
    for model in &results.models {
        if let Some(failure) = model.failure {
            let path = unicode(&model.path);
            command(&mut commands, Level::Error, &path, UNREADABLE, &[failure]);
        }
    }
    if let Some(unfinished) = results.unfinished() {
        writeln!(commands, "::error title=skincheck::{unfinished}")
            .expect("a string takes all that fits into memory");
    }
    for setting in &results.unused_settings {
        let property = |name: &str, value: String| format!("{name}={},", github_property(&value));
        let path = setting.path.as_deref().map(printable);
        let place: String = [
            path.map(|path| property("file", path)),
            setting.line.map(|line| property("line", line.to_string())),
            setting
                .column
                .map(|column| property("col", column.to_string())),
        ]
        .into_iter()
        .flatten()
        .collect();
        let message = github_message(&setting.sentence());
        writeln!(commands, "::warning {place}title=unused setting::{message}")
            .expect("a string takes all that fits into memory");
    }
    for level in Level::ALL {
        for model in &results.models {
            let findings = model.findings.iter();
            for finding in findings.filter(|finding| finding.level == level) {
                let (path, title) = (unicode(&model.path), title(finding.code));
                let fix = fix(finding.code).map(|fix| format!("fix: {fix}"));
                let lines: Vec<String> = [Some(sentence(finding)), fix]
                    .into_iter()
                    .flatten()
                    .collect();
                let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
                command(&mut commands, level, &path, &title, &lines);
            }
        }
    }
    commands
}

/// * `lines` – of the message, which begins with the path: GitHub shows the message alone where the file is not in the
///   pull request.
fn command(commands: &mut String, level: Level, path: &str, title: &str, lines: &[&str]) {
    let kind = match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Hint | Level::Info => "notice",
    };
    let property = |text: &str| github_property(&printable(text));
    let lines: Vec<String> = lines.iter().map(|line| printable(line)).collect();
    let message = format!("{}: {}", printable(path), lines.join("\n"));
    let message = github_message(&message);
    let (path, title) = (property(path), property(title));
    writeln!(commands, "::{kind} file={path},title={title}::{message}")
        .expect("a string takes all that fits into memory");
}
