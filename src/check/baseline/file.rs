//! The file format of a baseline, the identity of a finding in it, and errors of reading it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::{Deserialize, Serialize};

use crate::check::{AcceptedFinding, FileReport, Report};
use crate::finding::{Finding, Level};
use crate::paths::{real_folder, seen_from, slashed};
use crate::rig::{Ids, Location, Part};
use crate::shown::escaped;

/// The name of the format; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/baseline/2";

/// The pseudo-rule of a file that cannot be read; its subject is the error.
pub(super) const UNREADABLE: &str = "unreadable";

/// Accepted findings, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Baseline {
    pub(super) accepted: BTreeMap<AcceptedFinding, Extent>,
}

/// How much of a finding is accepted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Extent {
    pub(super) count: usize,
    /// `None` for a file that cannot be read.
    pub(super) level: Option<Level>,
    /// The worst value, rounded; `None` accepts every value.
    pub(super) value: Option<f64>,
}

impl Extent {
    fn of(finding: &Finding) -> Self {
        Self {
            count: finding.count,
            level: Some(finding.level),
            value: finding
                .measure
                .map(|own| rounded(own.value))
                .filter(|value| value.is_finite()),
        }
    }

    /// The extent of both; `finding` is the later one.
    fn with(self, finding: &Finding) -> Self {
        let later = Self::of(finding);
        let is_worse = is_beyond(finding, self.value);
        Self {
            count: self.count + later.count,
            level: self.level.max(later.level),
            value: if is_worse { later.value } else { self.value },
        }
    }
}

/// Whether the finding's value is farther beyond its limit than `accepted`.
pub(super) fn is_beyond(finding: &Finding, accepted: Option<f64>) -> bool {
    let limited = finding
        .measure
        .and_then(|own| Some((own.value, own.limit?)));
    let Some(((value, limit), accepted)) = limited.zip(accepted) else {
        return false;
    };
    let farther = if value < limit {
        accepted - value
    } else {
        value - accepted
    };
    // A value that is not a number is worse than every number.
    farther.is_nan() || farther > SLACK * accepted.abs().max(limit.abs())
}

/// How much worse a value may become before it counts as worse, as a fraction of it: exporting a model again changes the
/// last digits of everything, and a fit or a sampled maximum by a few percent.
const SLACK: f64 = 0.1;

/// To four digits, enough beside [`SLACK`].
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with schema and findings")]
struct Document {
    schema: String,
    findings: Vec<Line>,
}

#[derive(Serialize, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "an object with file, rule, place, count, level and value"
)]
struct Line {
    file: String,
    rule: String,
    place: String,
    #[serde(deserialize_with = "count")]
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<Level>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
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
    /// Accepts all findings in `report`.
    ///
    /// * `folder` – the folder of the baseline; paths are relative to it.
    /// * `unreadable` – whether to accept the files that cannot be read or checked, too.
    #[must_use]
    pub fn of(report: &Report, folder: &Path, unreadable: bool) -> Self {
        let folder = real_folder(folder);
        let files = report.files.iter();
        let all = files.flat_map(|file| counted(file, &folder));
        let wanted = all.filter(|(entry, _)| unreadable || entry.rule != UNREADABLE);
        Self {
            accepted: wanted.collect(),
        }
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
            let entry = AcceptedFinding {
                file: line.file,
                rule: line.rule,
                subject: line.place,
            };
            let extent = Extent {
                count: line.count,
                level: line.level,
                value: line.value,
            };
            (entry, extent)
        };
        Ok(Self {
            accepted: document.findings.into_iter().map(entry).collect(),
        })
    }

    /// Normalizes each file name as [`seen_from`] returns it.
    pub(super) fn seen_from(&self, folder: &Path) -> Self {
        let mut accepted = BTreeMap::new();
        let mut known: BTreeMap<&str, String> = BTreeMap::new();
        for (entry, extent) in &self.accepted {
            let file = known
                .entry(&entry.file)
                .or_insert_with(|| slashed(&seen_from(folder, &folder.join(&entry.file))));
            let entry = AcceptedFinding {
                file: file.clone(),
                ..entry.clone()
            };
            let most: &mut Extent = accepted.entry(entry).or_default();
            if extent.count >= most.count {
                *most = *extent;
            }
        }
        Self { accepted }
    }

    /// As text with one finding per line in a stable order, so that versions can be compared.
    #[must_use]
    pub fn to_json(&self) -> String {
        let line = |(entry, extent): (&AcceptedFinding, &Extent)| {
            let line = Line {
                file: entry.file.clone(),
                rule: entry.rule.clone(),
                place: entry.subject.clone(),
                count: extent.count,
                level: extent.level,
                value: extent.value,
            };
            serde_json::to_string(&line).expect("no key is anything but a string")
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
pub(super) fn counted(file: &FileReport, folder: &Path) -> BTreeMap<AcceptedFinding, Extent> {
    let mut all: BTreeMap<AcceptedFinding, Extent> = BTreeMap::new();
    let path = slashed(&seen_from(folder, &file.path));
    for finding in &file.findings {
        let extent = all.entry(entry(finding, &path));
        extent
            .and_modify(|extent| *extent = extent.with(finding))
            .or_insert_with(|| Extent::of(finding));
    }
    let unreadable = Extent {
        count: 1,
        ..Extent::default()
    };
    all.extend(failure(file, &path).map(|entry| (entry, unreadable)));
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

/// Why a baseline cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// It is not what `--write-baseline` writes.
    #[error("this is not a skincheck baseline; write one to another path with --write-baseline")]
    Malformed(#[source] serde_json::Error),
    /// Its version is unknown to this version of skincheck.
    #[error(
        "expected the schema {expected}, found \"{found}\"; remove it, and write a new one with --write-baseline"
    )]
    Schema {
        /// The version that skincheck writes.
        expected: &'static str,
        /// The version in the file.
        found: String,
    },
}

/// The subject of a finding, unchanged by another export of the model: the names in its location, without numbers of
/// nodes, vertices, weights, time and parts of the file.
///
/// For findings on a mesh, the clip is omitted, because it only locates the worst case, which may change.
#[must_use]
pub fn subject(location: &Location) -> String {
    let clip = location.clip.clone().filter(|_| location.mesh.is_none());
    let subject = Location {
        clip,
        part: location.part.clone().map(lasting),
        plain: false,
        ambiguous: false,
        vertex: None,
        joints: Vec::new(),
        time: None,
        pose: None,
        ids: Ids::NONE,
        ..location.clone()
    };
    subject.to_string()
}

/// The part as another export has it.
fn lasting(part: Part) -> Part {
    match part {
        Part::Skin(_) | Part::Accessor(_) | Part::BufferView(_) | Part::Path(_) => {
            Part::Path(without_numbers(&part.to_string()))
        }
        other => other,
    }
}

/// A path into the file, such as `meshes[0].primitives[1]`, without the numbers: they shift when something is added.
fn without_numbers(part: &str) -> String {
    let mut pieces = part.split('[');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| {
        let rest = piece.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let is_number = rest.len() < piece.len() && rest.starts_with(']');
        text + "[" + if is_number { rest } else { piece }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{NamedWeight, SkinId};
    use crate::units::Seconds;

    #[test]
    fn the_names_are_kept_and_the_circumstances_are_not() {
        let mesh = Location {
            joints: vec![NamedWeight {
                joint: "Hips".into(),
                weight: 1.0,
                id: None,
            }],
            ..Location::mesh("Body")
                .vertex(3)
                .in_clip("Run")
                .at(Seconds(0.5))
        };
        assert_eq!(subject(&mesh), "mesh \"Body\"");
        let channel = Location::joint("Hips").in_clip("Run").at(Seconds(0.5));
        assert_eq!(subject(&channel), "joint \"Hips\", clip \"Run\"");
        assert_eq!(subject(&Location::FILE), "file");
        for (part, expected) in [
            (Part::Accessor(12), "accessors[]"),
            (Part::Skin(SkinId(0)), "skins[]"),
            (
                Part::Path("meshes[0].primitives[1].attributes.TEXCOORD_1".into()),
                "meshes[].primitives[].attributes.TEXCOORD_1",
            ),
            ("cluster arm[0]".into(), "cluster arm[0]"),
            (Part::Expression("[3]".into()), "expression [3]"),
            (Part::Path("[".into()), "["),
        ] {
            assert_eq!(subject(&Location::FILE.part(part)), expected);
        }
    }
}
