//! The reports on two folders: each pair of models, and the models without a counterpart.

use std::fmt::Write;

use serde::Serialize;
use serde_json::Value;

use super::json::{Document, document};
use super::{Compared, Folders, FoldersSummary, Pair, junit, sarif, text};
use crate::diff::Kind;
use crate::report::json::pretty;
use crate::shown::printable;
use crate::units::amount;

const SCHEMA: &str = "skincheck/diff-folders/1";

/// The text format: models without a difference are only counted.
#[must_use]
pub fn to_text(folders: &Folders) -> String {
    let mut page = String::new();
    for pair in &folders.models {
        match pair {
            Pair::Compared(compared) if compared.report.is_same() => continue,
            Pair::Compared(compared) => page.push_str(&text::write(compared)),
            Pair::Alone { path, kind } => {
                let message = printable(&message(folders, *kind));
                let _ = writeln!(page, "{}: {}: {message}", printable(path), kind.name());
            }
            Pair::Failed { paths, reason } => {
                let _ = writeln!(page, "{}: error: {}", both(paths), printable(reason));
            }
        }
        page.push('\n');
    }
    let _ = writeln!(page, "{}: {}", both(&folders.paths), counts(folders));
    page
}

/// `12 models: 10 the same, 1 different, 1 missing after`.
fn counts(folders: &Folders) -> String {
    let summary = folders.summary();
    let parts = [
        (summary.same, "the same"),
        (summary.different, "different"),
        (summary.missing, "missing after"),
        (summary.added, "missing before"),
        (summary.failed, "not comparable"),
        (summary.left, "not compared because interrupted"),
    ];
    let all = parts.iter().map(|(count, _)| count).sum();
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    format!("{}: {}", amount(all, "model"), parts.join(", "))
}

fn both(paths: &[String; 2]) -> String {
    let [before, after] = paths.each_ref().map(|path| printable(path));
    format!("{before} and {after}")
}

/// The message for a model without a counterpart.
fn message(folders: &Folders, kind: Kind) -> String {
    let other = usize::from(kind == Kind::ModelMissing);
    format!("no model of this path in {}", folders.paths[other])
}

#[derive(Serialize)]
struct FoldersJson<'a> {
    schema: &'static str,
    same: bool,
    before: &'a str,
    after: &'a str,
    summary: FoldersSummary,
    models: Vec<PairJson<'a>>,
}

#[derive(Serialize)]
struct PairJson<'a> {
    outcome: &'static str,
    before: Option<&'a str>,
    after: Option<&'a str>,
    error: Option<&'a str>,
    report: Option<Document<'a>>,
}

/// JSON, schema `skincheck/diff-folders/1`.
#[must_use]
pub fn to_json(folders: &Folders) -> String {
    let summary = folders.summary();
    pretty(&FoldersJson {
        schema: SCHEMA,
        same: summary.same == folders.models.len() && folders.left == 0,
        before: &folders.paths[0],
        after: &folders.paths[1],
        summary,
        models: folders.models.iter().map(PairJson::of).collect(),
    })
}

impl<'a> PairJson<'a> {
    fn of(pair: &'a Pair) -> Self {
        let (outcome, paths, error, report) = match pair {
            Pair::Compared(compared) => {
                let same = compared.report.is_same();
                let outcome = if same { "same" } else { "different" };
                let paths = compared.paths.each_ref().map(|path| Some(path.as_str()));
                (outcome, paths, None, Some(document(compared)))
            }
            Pair::Alone { path, kind } if *kind == Kind::ModelAdded => {
                ("added", [None, Some(path.as_str())], None, None)
            }
            Pair::Alone { path, .. } => ("missing", [Some(path.as_str()), None], None, None),
            Pair::Failed { paths, reason } => {
                let paths = paths.each_ref().map(|path| Some(path.as_str()));
                ("failed", paths, Some(reason.as_str()), None)
            }
        };
        let [before, after] = paths;
        Self {
            outcome,
            before,
            after,
            error,
            report,
        }
    }
}

/// JUnit XML: one suite per model.
#[must_use]
pub fn to_junit(folders: &Folders) -> String {
    let suite = |pair: &Pair| match pair {
        Pair::Compared(compared) => junit::Suite::of(compared),
        Pair::Alone { path, kind } => {
            junit::Suite::failure(path, kind.name(), &message(folders, *kind))
        }
        Pair::Failed { paths, reason } => junit::Suite::error(&both(paths), reason),
    };
    let suites: Vec<_> = folders.models.iter().map(suite).collect();
    junit::page(&suites)
}

/// SARIF.
#[must_use]
pub fn to_sarif(folders: &Folders) -> String {
    let results = |pair: &Pair| -> Vec<Value> {
        match pair {
            Pair::Compared(compared) => sarif::results(compared),
            Pair::Alone { path, kind } => vec![sarif::alone(path, *kind, &message(folders, *kind))],
            Pair::Failed { .. } => Vec::new(),
        }
    };
    let results: Vec<Value> = folders.models.iter().flat_map(results).collect();
    let failures = folders.models.iter().filter_map(|pair| match pair {
        Pair::Failed { paths, reason } => Some((paths[1].as_str(), reason.as_str())),
        Pair::Compared(Compared { .. }) | Pair::Alone { .. } => None,
    });
    let failures: Vec<_> = failures.collect();
    sarif::page(&results, &failures)
}
