//! GitLab's Code Quality report, which merge requests show.
//!
//! # Reference
//!
//! GitLab documentation, "Code Quality", *Code Quality report format*.

use std::path::Path;

use serde::Serialize;

use super::json::pretty;
use super::results::{Results, fingerprint, numbered};
use super::words::{UNREADABLE, sentence};
use crate::finding::Level;
use crate::rig::Location;
use crate::shown::{printable, unicode};

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: Place,
}

#[derive(Serialize)]
struct Place {
    /// Relative to the repository.
    path: String,
    lines: Lines,
}

/// Only a configuration has lines, but the format requires one.
#[derive(Serialize)]
struct Lines {
    begin: usize,
}

/// Renders the results as a list of issues.
pub(super) fn write<R, D>(results: &Results<'_, R, D>) -> String {
    let mut issues = Vec::new();
    for model in &results.models {
        let path = results.seen(model);
        if let Some(failure) = model.failure {
            let id = fingerprint(&path, UNREADABLE, &Location::FILE, 0);
            issues.push(issue(&path, UNREADABLE, id, "blocker", failure));
        }
        for (finding, before) in numbered(&model.findings) {
            let severity = match finding.level {
                Level::Error => "major",
                Level::Warning => "minor",
                Level::Hint | Level::Info => "info",
            };
            let id = fingerprint(&path, finding.code.0, &finding.location, before);
            let sentence = sentence(finding);
            issues.push(issue(&path, finding.code.0, id, severity, &sentence));
        }
    }
    issues.extend(results.unused_settings.iter().map(|setting| {
        let path = Path::new(setting.path.as_deref().unwrap_or("."));
        let id = fingerprint(path, &setting.message, &Location::FILE, 0);
        let mut issue = issue(path, "unused-setting", id, "minor", &setting.message);
        issue.location.lines.begin = setting.line.unwrap_or(1);
        issue
    }));
    let unfinished = results.unfinished();
    issues.extend(unfinished.map(|text| {
        let (path, code) = (Path::new("."), "interrupted");
        let id = fingerprint(path, code, &Location::FILE, 0);
        issue(path, code, id, "blocker", &text)
    }));
    pretty(&issues)
}

fn issue(
    path: &Path,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    description: &str,
) -> Issue {
    Issue {
        description: printable(description),
        check_name,
        fingerprint,
        severity,
        location: Place {
            path: printable(&unicode(path)),
            lines: Lines { begin: 1 },
        },
    }
}
