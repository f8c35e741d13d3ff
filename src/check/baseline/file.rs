//! A baseline as a record, and the identity of a finding in it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::check::record::{COMMAND, RecordError, SCHEMA, parse};
use crate::check::{AcceptedFinding, FileReport, Report};
use crate::finding::{Finding, Level, Measure};
use crate::paths::{real_folder, seen_from, slashed};
use crate::rig::{Ids, Location, Part};

/// Accepted findings, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Baseline {
    pub(super) accepted: BTreeMap<AcceptedFinding, Extent>,
}

/// How much of a finding is accepted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extent {
    pub(super) count: usize,
    pub(super) level: Level,
    /// Of the worst value, which is rounded; `None` accepts every value.
    pub(super) measure: Option<Measure>,
}

impl Extent {
    fn of(count: usize, level: Level, measure: Option<Measure>) -> Self {
        let rounded = measure.map(|measure| Measure {
            value: rounded(measure.value),
            ..measure
        });
        Self {
            count,
            level,
            measure: rounded.filter(|measure| measure.value.is_finite()),
        }
    }

    /// The extent of both findings.
    fn with(self, count: usize, level: Level, measure: Option<Measure>) -> Self {
        let later = Self::of(count, level, measure);
        let is_worse = is_beyond(measure, self.measure);
        Self {
            count: self.count.saturating_add(later.count),
            level: self.level.max(later.level),
            measure: if is_worse {
                later.measure
            } else {
                self.measure
            },
        }
    }
}

/// Adds a finding to those with equal entries, which count as one.
fn add(
    all: &mut BTreeMap<AcceptedFinding, Extent>,
    entry: AcceptedFinding,
    (count, level, measure): (usize, Level, Option<Measure>),
) {
    all.entry(entry)
        .and_modify(|extent| *extent = extent.with(count, level, measure))
        .or_insert_with(|| Extent::of(count, level, measure));
}

/// Whether the value of `measure` is farther beyond its limit than the accepted one.
pub(super) fn is_beyond(measure: Option<Measure>, accepted: Option<Measure>) -> bool {
    let limited = measure.and_then(|own| Some((own.value, own.limit?)));
    let Some(((value, limit), accepted)) = limited.zip(accepted) else {
        return false;
    };
    let farther = if value < limit {
        accepted.value - value
    } else {
        value - accepted.value
    };
    // A value that is not a number is worse than every number.
    farther.is_nan() || farther > SLACK * accepted.value.abs().max(limit.abs())
}

/// How much worse a value may become before it counts as worse, as a fraction of it: exporting a model again changes the
/// last digits of everything, and a fit or a sampled maximum by a few percent.
const SLACK: f64 = 0.1;

/// To four digits, enough beside [`SLACK`].
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// The fields of a JSON report that a baseline consists of.
#[derive(Deserialize)]
pub(in crate::check) struct Record {
    models: Vec<ModelRecord>,
}

#[derive(Deserialize)]
struct ModelRecord {
    path: String,
    findings: Vec<FindingRecord>,
}

#[derive(Serialize, Deserialize)]
struct FindingRecord {
    code: String,
    subject: String,
    level: Level,
    count: usize,
    measure: Option<Measure>,
}

impl From<Record> for Baseline {
    fn from(record: Record) -> Self {
        let mut accepted = BTreeMap::new();
        for model in record.models {
            let findings = model.findings.into_iter();
            for finding in findings.filter(|finding| can_be_accepted(finding.level)) {
                let entry = AcceptedFinding {
                    file: model.path.clone(),
                    rule: finding.code,
                    subject: finding.subject,
                };
                let extent = (finding.count, finding.level, finding.measure);
                add(&mut accepted, entry, extent);
            }
        }
        Self { accepted }
    }
}

impl Baseline {
    /// Accepts all errors and warnings in `report`.
    ///
    /// * `folder` – the folder of the baseline; paths are relative to it.
    #[must_use]
    pub fn of(report: &Report, folder: &Path) -> Self {
        Self {
            accepted: present(report, &real_folder(folder)),
        }
    }

    /// Reads what [`Baseline::to_json`] wrote, or the JSON report of a check in the folder that its paths are relative to.
    ///
    /// # Errors
    ///
    /// [`RecordError`].
    pub fn parse(text: &str) -> Result<Self, RecordError> {
        let record: Record = parse(text.as_bytes())?;
        Ok(record.into())
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
            let most = accepted.entry(entry).or_insert(*extent);
            if extent.count >= most.count {
                *most = *extent;
            }
        }
        Self { accepted }
    }

    /// As the JSON report of a check with only what identifies findings: one per line in a stable order, so that versions
    /// can be compared.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut models: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (entry, extent) in &self.accepted {
            let findings = models.entry(&entry.file).or_default();
            findings.push(json(&FindingRecord {
                code: entry.rule.clone(),
                subject: entry.subject.clone(),
                level: extent.level,
                count: extent.count,
                measure: extent.measure,
            }));
        }
        let models = models.into_iter().map(|(path, findings)| {
            let (path, findings) = (json(&path), listed(&findings, "      ", "    "));
            format!("{{\"path\": {path}, \"findings\": [{findings}]}}")
        });
        let models = listed(&models.collect::<Vec<String>>(), "    ", "  ");
        format!(
            "{{\n  \"schema\": \"{SCHEMA}\",\n  \"command\": \"{COMMAND}\",\n  \"models\": [{models}]\n}}\n"
        )
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

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("no key is anything but a string")
}

/// The items of a list in JSON, one per line.
fn listed(items: &[String], indent: &str, end: &str) -> String {
    if items.is_empty() {
        return String::new();
    }
    let separator = format!(",\n{indent}");
    format!("\n{indent}{}\n{end}", items.join(&separator))
}

/// Whether a baseline holds findings of `level`: hints and infos fail no check, so there is nothing to accept.
pub(super) fn can_be_accepted(level: Level) -> bool {
    level >= Level::Warning
}

/// The errors and warnings of all files as entries.
pub(super) fn present(report: &Report, folder: &Path) -> BTreeMap<AcceptedFinding, Extent> {
    let files = report.files.iter();
    files.flat_map(|file| counted(file, folder)).collect()
}

/// The errors and warnings of `file` as entries. Findings with equal entries count as one.
pub(super) fn counted(file: &FileReport, folder: &Path) -> BTreeMap<AcceptedFinding, Extent> {
    let mut all = BTreeMap::new();
    let path = slashed(&seen_from(folder, &file.path));
    let findings = file.findings.iter();
    for finding in findings.filter(|finding| can_be_accepted(finding.level)) {
        let extent = (finding.count, finding.level, finding.measure);
        add(&mut all, entry(finding, &path), extent);
    }
    all
}

/// * `path` – of the finding's file, as in the baseline.
pub(super) fn entry(finding: &Finding, path: &str) -> AcceptedFinding {
    AcceptedFinding {
        file: path.to_owned(),
        rule: finding.code.0.to_owned(),
        subject: subject(&finding.location),
    }
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
        part: location.part.as_ref().map(lasting),
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

/// The part as another export has it. An address in the file, which has no spaces, loses its numbers.
fn lasting(part: &Part) -> Part {
    let words = part.to_string();
    let is_address = !words.contains(char::is_whitespace);
    Part::from(if is_address {
        without_numbers(&words)
    } else {
        words
    })
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
