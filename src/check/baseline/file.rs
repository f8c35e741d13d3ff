//! The file format of a baseline.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde_json::Value;

use super::error::BaselineError;
use super::key::subject;
use crate::check::{AcceptedFinding, FileReport, Report};
use crate::lint::Finding;
use crate::paths::{real_folder, seen_from, slashed};
use crate::shown::escaped;

/// The name of the format; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/baseline/1";

/// The pseudo-rule of a file that cannot be read; its subject is the error.
pub(super) const UNREADABLE: &str = "unreadable";

/// Accepted findings, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    pub(super) accepted: BTreeMap<AcceptedFinding, usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with schema and findings")]
struct Document {
    schema: String,
    findings: Vec<Line>,
}

#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "an object with file, rule, place and count"
)]
struct Line {
    file: String,
    rule: String,
    place: String,
    #[serde(deserialize_with = "count")]
    count: usize,
}

/// A count, with an error message that says more than Rust's type name.
fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    struct Count;

    impl Visitor<'_> for Count {
        type Value = usize;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a count, a whole number from 0 on")
        }

        fn visit_u64<E: Error>(self, count: u64) -> Result<usize, E> {
            let too_large = |_| E::invalid_value(Unexpected::Unsigned(count), &self);
            usize::try_from(count).map_err(too_large)
        }
    }

    deserializer.deserialize_u64(Count)
}

impl Baseline {
    /// Accepts everything in `report`.
    ///
    /// * `folder` – the folder of the baseline; paths are relative to it.
    #[must_use]
    pub fn of(report: &Report, folder: &Path) -> Self {
        let folder = real_folder(folder);
        let mut accepted = BTreeMap::new();
        for file in &report.files {
            for (entry, count) in counted(file, &folder) {
                accepted.insert(entry, count);
            }
        }
        Self { accepted }
    }

    /// Reads what [`Baseline::to_json`] wrote.
    ///
    /// # Errors
    ///
    /// [`BaselineError`].
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let document: Document = serde_json::from_str(text).map_err(BaselineError::Malformed)?;
        if document.schema != SCHEMA {
            return Err(BaselineError::Schema {
                expected: SCHEMA,
                found: escaped(&document.schema),
            });
        }
        let entry = |line: Line| {
            let Line {
                file,
                rule,
                place: subject,
                count,
            } = line;
            (
                AcceptedFinding {
                    file,
                    rule,
                    subject,
                },
                count,
            )
        };
        Ok(Self {
            accepted: document.findings.into_iter().map(entry).collect(),
        })
    }

    /// Normalizes each file name as [`seen_from`] returns it.
    pub(super) fn seen_from(&self, folder: &Path) -> Self {
        let mut accepted = BTreeMap::new();
        let mut known: BTreeMap<&str, String> = BTreeMap::new();
        for (entry, count) in &self.accepted {
            let file = known
                .entry(&entry.file)
                .or_insert_with(|| slashed(&seen_from(folder, &folder.join(&entry.file))));
            let entry = AcceptedFinding {
                file: file.clone(),
                ..entry.clone()
            };
            let most: &mut usize = accepted.entry(entry).or_default();
            *most = (*most).max(*count);
        }
        Self { accepted }
    }

    /// As text with one finding per line in a stable order, so that versions can be compared.
    #[must_use]
    pub fn to_json(&self) -> String {
        let text = |text: &str| Value::from(text).to_string();
        let line = |(entry, count): (&AcceptedFinding, &usize)| {
            let [file, rule, subject] =
                [&entry.file, &entry.rule, &entry.subject].map(|part| text(part));
            format!("{{\"file\":{file},\"rule\":{rule},\"place\":{subject},\"count\":{count}}}")
        };
        let lines: Vec<String> = self.accepted.iter().map(line).collect();
        let list = if lines.is_empty() {
            String::new()
        } else {
            format!("\n    {}\n  ", lines.join(",\n    "))
        };
        format!("{{\n  \"schema\": \"{SCHEMA}\",\n  \"findings\": [{list}]\n}}\n")
    }

    /// The number of findings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.accepted.len()
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.accepted.is_empty()
    }
}

/// The findings of `file` as entries. Entries with equal keys are counted as one.
pub(super) fn counted(file: &FileReport, folder: &Path) -> BTreeMap<AcceptedFinding, usize> {
    let mut all = BTreeMap::new();
    let path = slashed(&seen_from(folder, &file.path));
    for finding in &file.findings {
        *all.entry(entry(finding, &path)).or_default() += finding.count;
    }
    all.extend(failure(file, &path).map(|entry| (entry, 1)));
    all
}

/// The entry of a file that exists and cannot be read.
///
/// * `path` – of the file, as in the baseline.
pub(super) fn failure(file: &FileReport, path: &str) -> Option<AcceptedFinding> {
    let is_there = || !file.has_no_models && file.path.exists();
    let failure = file.failure.clone().filter(|_| is_there())?;
    Some(AcceptedFinding {
        file: path.to_owned(),
        rule: UNREADABLE.to_owned(),
        subject: failure,
    })
}

/// * `path` – of the finding's file, as in the baseline.
pub(super) fn entry(finding: &Finding, path: &str) -> AcceptedFinding {
    AcceptedFinding {
        file: path.to_owned(),
        rule: finding.code.0.to_owned(),
        subject: subject(&finding.location),
    }
}
