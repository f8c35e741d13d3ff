//! The report on one file as text, for the cache and for shards of the same version of skincheck.

use std::collections::BTreeSet;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::report::FileReport;
use crate::lint::{Code, Conversion, Finding, Level, Thinned, Unchecked, find_profile, find_rule};
use crate::rig::{Location, Note};
use crate::shown::unicode;

/// A [`FileReport`] as text.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) path: String,
    importer: Option<String>,
    notes: Vec<Note>,
    config: Option<String>,
    profile: Option<String>,
    conversions: Vec<Conversion>,
    failure: Option<String>,
    has_no_models: bool,
    findings: Vec<FindingRecord>,
    checked: Vec<String>,
    /// Codes and reasons.
    unchecked: Vec<(String, String)>,
    /// Clips, and the number of sample times at which each was checked.
    thinned: Vec<(String, usize, usize)>,
    deny_warnings: bool,
    deny_unchecked: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct FindingRecord {
    code: String,
    level: Level,
    location: Location,
    origin: Option<String>,
    message: String,
    count: usize,
    counted: String,
    tells_all: bool,
    value: Option<f64>,
    limit: Option<f64>,
}

/// Stores a value as one string: postcard's bytes in hexadecimal. JSON itself would lose bits of floats, and every float
/// that is not finite.
pub(super) mod packed {
    use std::fmt::Write;

    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(in crate::check) fn serialize<T: Serialize, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let bytes = postcard::to_stdvec(value).map_err(S::Error::custom)?;
        let mut text = String::with_capacity(2 * bytes.len());
        for byte in bytes {
            write!(text, "{byte:02x}").map_err(S::Error::custom)?;
        }
        serializer.serialize_str(&text)
    }

    pub(in crate::check) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = (0..text.len()).step_by(2).map(|at| {
            let digits = text.get(at..at + 2)?;
            u8::from_str_radix(digits, 16).ok()
        });
        let bytes: Option<Vec<u8>> = bytes.collect();
        let bytes = bytes.ok_or_else(|| D::Error::custom("expected hexadecimal digits"))?;
        match postcard::take_from_bytes(&bytes) {
            Ok((value, [])) => Ok(value),
            Ok(_) => Err(D::Error::custom("the report is longer than expected")),
            Err(error) => Err(D::Error::custom(error)),
        }
    }
}

impl Record {
    pub(super) fn of(file: &FileReport) -> Self {
        let unchecked = file.unchecked.iter();
        let thinned = file.thinned.iter();
        Self {
            path: unicode(&file.path),
            importer: file.importer.clone(),
            notes: file.notes.clone(),
            config: file.config.as_ref().map(|path| unicode(path)),
            profile: file.profile.map(|profile| profile.name.to_owned()),
            conversions: file.conversions.clone(),
            failure: file.failure.clone(),
            has_no_models: file.has_no_models,
            findings: file.findings.iter().map(finding).collect(),
            checked: file.checked.iter().map(Code::to_string).collect(),
            unchecked: unchecked
                .map(|one| (one.code.to_string(), one.reason.clone()))
                .collect(),
            thinned: thinned
                .map(|clip| (clip.clip.clone(), clip.watched, clip.sample_times))
                .collect(),
            deny_warnings: file.deny_warnings,
            deny_unchecked: file.deny_unchecked,
        }
    }

    /// Parses the report; `None` if this version did not write it, for example because it has an unknown rule.
    pub(super) fn report(self) -> Option<FileReport> {
        let thinned = self.thinned.into_iter();
        let unchecked = self.unchecked.into_iter().map(|(code, reason)| {
            let code = code_of(&code)?;
            Some(Unchecked { code, reason })
        });
        Some(FileReport {
            path: self.path.into(),
            importer: self.importer,
            notes: self.notes,
            config: self.config.map(Into::into),
            profile: match self.profile {
                Some(name) => Some(find_profile(&name)?),
                None => None,
            },
            conversions: self.conversions,
            failure: self.failure,
            has_no_models: self.has_no_models,
            findings: self
                .findings
                .into_iter()
                .map(FindingRecord::read)
                .collect::<Option<_>>()?,
            images: Vec::new(),
            checked: self
                .checked
                .iter()
                .map(|code| code_of(code))
                .collect::<Option<_>>()?,
            unchecked: unchecked.collect::<Option<_>>()?,
            thinned: thinned
                .map(|(clip, watched, sample_times)| Thinned {
                    clip,
                    watched,
                    sample_times,
                })
                .collect(),
            deny_warnings: self.deny_warnings,
            deny_unchecked: self.deny_unchecked,
        })
    }
}

fn finding(finding: &Finding) -> FindingRecord {
    FindingRecord {
        code: finding.code.to_string(),
        level: finding.level,
        location: finding.location.clone(),
        origin: finding.origin.clone(),
        message: finding.message.clone(),
        count: finding.count,
        counted: finding.counted.to_owned(),
        tells_all: finding.tells_all,
        value: finding.value,
        limit: finding.limit,
    }
}

impl FindingRecord {
    fn read(self) -> Option<Finding> {
        Some(Finding {
            code: code_of(&self.code)?,
            level: self.level,
            location: self.location,
            origin: self.origin,
            message: self.message,
            count: self.count,
            counted: interned(self.counted),
            tells_all: self.tells_all,
            value: self.value,
            limit: self.limit,
            accepted: None,
        })
    }
}

fn code_of(text: &str) -> Option<Code> {
    find_rule(text).map(|rule| rule.meta().code)
}

/// Rules count in a few dozen different words, so leaking them is bounded.
fn interned(word: String) -> &'static str {
    static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut words = WORDS.lock().expect("nothing panics while it is held");
    if let Some(known) = words.get(word.as_str()) {
        return known;
    }
    let word: &'static str = word.leak();
    words.insert(word);
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint;
    use crate::units::{LengthUnit, Seconds, SignedAxis};

    #[derive(Serialize, Deserialize)]
    struct Line {
        #[serde(with = "packed")]
        record: Record,
    }

    fn through_text(file: &FileReport) -> Option<FileReport> {
        let record = Record::of(file);
        let text = serde_json::to_string(&Line { record }).expect("it can be written");
        let line: Line = serde_json::from_str(&text).expect("it can be read");
        line.record.report()
    }

    #[test]
    fn a_report_comes_back_as_it_was() {
        let location = Location {
            joints: vec![("Hips".into(), 0.1), ("Head".into(), 1.0 / 3.0)],
            ..Location::mesh("Body\n").vertex(3).at(Seconds(0.1 + 0.2))
        };
        let of = |code: &str| code_of(code).expect("there is such a rule");
        let file = FileReport {
            path: "a/b.glb".into(),
            importer: Some("gltf 2.0".into()),
            notes: vec![Note {
                location: "file".into(),
                message: "it is old".into(),
            }],
            config: Some("skincheck.toml".into()),
            profile: find_profile("unreal"),
            conversions: vec![
                Conversion::Unit {
                    file_metres: 0.1 + 0.2,
                    engine: LengthUnit::Centimetre,
                },
                Conversion::Up {
                    file: SignedAxis::PlusX,
                    engine: SignedAxis::PlusZ,
                },
            ],
            findings: vec![Finding {
                code: of("W103"),
                level: Level::Error,
                location,
                origin: Some("/meshes/0".into()),
                message: "weights sum to 0.9, not 1".into(),
                count: 3,
                counted: "vertex",
                tells_all: true,
                value: Some(f64::INFINITY),
                limit: Some(1e-300),
                accepted: None,
            }],
            checked: [of("W103")].into(),
            unchecked: vec![Unchecked {
                code: of("W110"),
                reason: "not checkable with assimp".into(),
            }],
            thinned: vec![Thinned {
                clip: "Run".into(),
                watched: 29,
                sample_times: 41,
            }],
            deny_warnings: true,
            deny_unchecked: true,
            ..FileReport::default()
        };
        assert_eq!(through_text(&file), Some(file));
    }

    #[test]
    fn a_rule_of_another_version_is_no_report() {
        let mut record = Record::of(&FileReport::default());
        record.checked.push("W999".into());
        assert_eq!(record.report(), None);
    }

    #[test]
    fn a_finding_of_every_rule_keeps_numbers_that_are_not_finite() {
        let finding = |rule: &'static dyn lint::Rule| Finding {
            code: rule.meta().code,
            level: Level::Warning,
            location: Location {
                joints: vec![("\0\u{2028}\u{feff}".into(), f32::NAN)],
                ..Location::mesh("\"\\\n")
                    .vertex(usize::MAX)
                    .at(Seconds(f64::NAN))
            },
            origin: None,
            message: "\u{1f480}".into(),
            count: usize::MAX,
            counted: "vertex",
            tells_all: false,
            value: Some(f64::NAN),
            limit: Some(f64::NEG_INFINITY),
            accepted: None,
        };
        let file = FileReport {
            findings: lint::rules().map(finding).collect(),
            ..FileReport::default()
        };
        let read = through_text(&file).expect("all rules are known");
        assert_eq!(format!("{read:?}"), format!("{file:?}"));
    }
}
