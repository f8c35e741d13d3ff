//! The report on one file as text, for the cache and for shards of the same version of skincheck.

use std::collections::BTreeSet;
use std::sync::Mutex;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::report::FileReport;
use crate::lint::{Code, Conversion, Finding, Level, Thinned, Unchecked, find_profile, find_rule};
use crate::rig::{Location, Note};
use crate::shown::unicode;
use crate::units::{LengthUnit, Seconds, SignedAxis};

/// A [`FileReport`] as text.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) path: String,
    importer: Option<String>,
    notes: Vec<Note>,
    config: Option<String>,
    profile: Option<String>,
    conversions: Vec<ConversionRecord>,
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
enum ConversionRecord {
    Unit {
        file_metres: Exact,
        engine: LengthUnit,
    },
    Up {
        file: SignedAxis,
        engine: SignedAxis,
    },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct FindingRecord {
    code: String,
    level: Level,
    /// The finding without its time.
    location: Location,
    time: Option<Exact>,
    origin: Option<String>,
    message: String,
    count: usize,
    counted: String,
    tells_all: bool,
    value: Option<Exact>,
    limit: Option<Exact>,
}

/// A float as its shortest text. As a number, serde_json would not read it back to the last bit, nor at all if it is
/// not finite.
#[derive(Debug, Clone, Copy)]
struct Exact(f64);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_string())
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(serde::de::Error::custom)
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
            conversions: file.conversions.iter().map(conversion).collect(),
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
        let conversions = self.conversions.into_iter().map(ConversionRecord::read);
        Some(FileReport {
            path: self.path.into(),
            importer: self.importer,
            notes: self.notes,
            config: self.config.map(Into::into),
            profile: match self.profile {
                Some(name) => Some(find_profile(&name)?),
                None => None,
            },
            conversions: conversions.collect(),
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

fn conversion(conversion: &Conversion) -> ConversionRecord {
    match *conversion {
        Conversion::Unit {
            file_metres,
            engine,
        } => ConversionRecord::Unit {
            file_metres: Exact(file_metres),
            engine,
        },
        Conversion::Up { file, engine } => ConversionRecord::Up { file, engine },
    }
}

impl ConversionRecord {
    fn read(self) -> Conversion {
        match self {
            Self::Unit {
                file_metres: Exact(file_metres),
                engine,
            } => Conversion::Unit {
                file_metres,
                engine,
            },
            Self::Up { file, engine } => Conversion::Up { file, engine },
        }
    }
}

fn finding(finding: &Finding) -> FindingRecord {
    let location = Location {
        time: None,
        ..finding.location.clone()
    };
    FindingRecord {
        code: finding.code.to_string(),
        level: finding.level,
        location,
        time: finding.location.time.map(|time| Exact(time.get())),
        origin: finding.origin.clone(),
        message: finding.message.clone(),
        count: finding.count,
        counted: finding.counted.to_owned(),
        tells_all: finding.tells_all,
        value: finding.value.map(Exact),
        limit: finding.limit.map(Exact),
    }
}

impl FindingRecord {
    fn read(self) -> Option<Finding> {
        let time = self.time.map(|Exact(time)| Seconds(time));
        Some(Finding {
            code: code_of(&self.code)?,
            level: self.level,
            location: Location {
                time,
                ..self.location
            },
            origin: self.origin,
            message: self.message,
            count: self.count,
            counted: interned(self.counted),
            tells_all: self.tells_all,
            value: self.value.map(|Exact(value)| value),
            limit: self.limit.map(|Exact(limit)| limit),
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
        let text = serde_json::to_string(&Record::of(&file)).expect("it can be written");
        let record: Record = serde_json::from_str(&text).expect("it can be read");
        assert_eq!(record.report(), Some(file));
        let other = text.replace("\"W103\"", "\"W999\"");
        let record: Record = serde_json::from_str(&other).expect("it can be read");
        assert_eq!(record.report(), None);
    }
}
