//! A cached verdict: the findings in one file, and the files they depend on.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::super::report::FileReport;
use super::key::{FileState, States};

/// The findings in one file, and the files they depend on.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::check) struct Verdict {
    /// The key of the file.
    pub(in crate::check) key: String,
    /// Every other file that was read, looked for or listed.
    pub(in crate::check) files: Vec<FileState>,
    pub(in crate::check) report: FileReport,
}

impl Verdict {
    /// Whether it is the verdict for `key`, with all dependencies unchanged.
    pub(in crate::check) fn holds(&self, key: &str, states: &States) -> bool {
        self.key == key && self.files.iter().all(|file| states.holds(file))
    }

    /// The files that the model refers to.
    pub(in crate::check) fn named(&self) -> impl Iterator<Item = PathBuf> {
        self.files.iter().map(|file| PathBuf::from(&file.path))
    }

    /// With a checksum in front.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let bytes = postcard::to_stdvec(self).expect("every length is known");
        [blake3::hash(&bytes).as_bytes(), bytes.as_slice()].concat()
    }

    /// Parses [`Verdict::to_bytes`]; `None` if damaged, or if it has a rule that this version does not have.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (checksum, bytes) = bytes.split_first_chunk::<{ blake3::OUT_LEN }>()?;
        if blake3::hash(bytes) != *checksum {
            return None;
        }
        let verdict: Self = postcard::from_bytes(bytes).ok()?;
        verdict.report.unknown_rule().is_none().then_some(verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::config::{NameSetting, UnmatchedName};
    use crate::finding::{Cause, Code, Finding, Level, Measure, Unit};
    use crate::lint::{
        self, CheckedClip, Conversion, Coverage, Place, Quantity, Reading, ReadingUnit, Share,
        Thinned, Unchecked,
    };
    use crate::rig::{Location, NamedWeight, NodeId, Note, Part, PoseName, ReaderCode};
    use crate::units::Seconds;

    fn weighted(joint: &str, weight: f32) -> NamedWeight {
        NamedWeight {
            joint: joint.to_owned(),
            weight,
            id: Some(NodeId(1)),
        }
    }

    fn of(report: FileReport) -> Verdict {
        Verdict {
            key: "k".into(),
            files: Vec::new(),
            report,
        }
    }

    fn through_bytes(file: FileReport) -> Option<FileReport> {
        Some(Verdict::parse(&of(file).to_bytes())?.report)
    }

    #[test]
    fn a_single_damaged_byte_makes_it_no_verdict() {
        let bytes = of(FileReport::default()).to_bytes();
        assert!(Verdict::parse(&bytes).is_some());
        for index in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[index] ^= 1;
            assert!(Verdict::parse(&damaged).is_none(), "byte {index}");
            assert!(Verdict::parse(&bytes[..index]).is_none(), "{index} bytes");
        }
    }

    #[test]
    fn a_report_comes_back_as_it_was() {
        let location = Location {
            joints: vec![weighted("Hips", 0.1), weighted("Head", 1.0 / 3.0)],
            part: Some(Part::Expression("happy".into())),
            ..Location::mesh("Body\n").vertex(3).at(Seconds(0.1 + 0.2))
        };
        let file = FileReport {
            path: "a/b.glb".into(),
            importer: Some("gltf 2.0".into()),
            notes: vec![Note {
                location: "file".into(),
                message: "it is old".into(),
            }],
            config: Some("skincheck.toml".into()),
            conversions: vec![Conversion {
                what: Quantity::Unit,
                file: "0.3 m".into(),
                engine: "1 cm".into(),
                factor: Some((0.1 + 0.2) / 0.01),
            }],
            findings: vec![Finding {
                count: 3,
                counted: "vertex".into(),
                covers_all: true,
                measure: Some(Measure {
                    unit: Unit::Rule,
                    value: f64::INFINITY,
                    limit: Some(1e-300),
                }),
                origin: Some("/meshes/0".into()),
                ..Finding::new(
                    Code("W103"),
                    Level::Error,
                    location,
                    "weights sum to 0.9, not 1",
                )
            }],
            checked: [Code("W103")].into(),
            unchecked: vec![Unchecked {
                code: Code("W110"),
                reader: Some(ReaderCode::Assimp),
                reason: "not checkable with assimp".into(),
            }],
            thinned: vec![Thinned {
                clip: "Run".into(),
                watched: 29,
                sample_times: 41,
            }],
            coverage: Some(Coverage {
                joints: Share { all: 23, moved: 22 },
                vertices: Share { all: 90, moved: 80 },
                clips: vec![CheckedClip {
                    name: "Run".into(),
                    poses: 29,
                    moves: true,
                }],
                range_of_motion: 7,
                is_rig: true,
            }),
            measures: vec![Reading {
                rule: Code("D602"),
                name: "stretch".into(),
                unit: ReadingUnit::Times,
                value: 0.1 + 0.2,
                limit: 4.0,
                nearness: 0.5,
                place: Place {
                    mesh: Some("Body\n".into()),
                    time: Some(Seconds(0.1 + 0.2)),
                    pose: Some(PoseName::Bind),
                    ..Place::default()
                },
            }],
            unmatched_names: vec![UnmatchedName {
                setting: NameSetting::Feet,
                name: "Foot*".into(),
                nearest: Some("foot".into()),
            }],
            deny_warnings: true,
            deny_unchecked: true,
            ..FileReport::default()
        };
        assert_eq!(through_bytes(file.clone()), Some(file));
    }

    #[test]
    fn a_rule_of_another_version_is_no_report() {
        let other = Code("W999");
        let of_a_finding = |code, cause| FileReport {
            findings: vec![Finding {
                cause,
                ..Finding::new(code, Level::Error, Location::FILE, "")
            }],
            ..FileReport::default()
        };
        let cause = Cause::Unlisted {
            code: other,
            words: String::new(),
        };
        for file in [
            FileReport {
                checked: [other].into(),
                ..FileReport::default()
            },
            FileReport {
                unchecked: vec![Unchecked {
                    code: other,
                    reader: None,
                    reason: String::new(),
                }],
                ..FileReport::default()
            },
            of_a_finding(other, None),
            of_a_finding(Code("W103"), Some(cause)),
        ] {
            assert_eq!(through_bytes(file.clone()), None, "{file:?}");
        }
        assert!(through_bytes(of_a_finding(Code("W103"), None)).is_some());
    }

    #[test]
    fn a_finding_of_every_rule_keeps_numbers_that_are_not_finite() {
        let finding = |rule: &'static dyn lint::Rule| Finding {
            count: usize::MAX,
            counted: "vertex".into(),
            measure: Some(Measure {
                unit: Unit::Rule,
                value: f64::NAN,
                limit: Some(f64::NEG_INFINITY),
            }),
            ..Finding::new(
                rule.meta().code,
                Level::Warning,
                Location {
                    joints: vec![weighted("\0\u{2028}\u{feff}", f32::NAN)],
                    ..Location::mesh("\"\\\n")
                        .vertex(usize::MAX)
                        .at(Seconds(f64::NAN))
                },
                "\u{1f480}",
            )
        };
        let file = FileReport {
            findings: lint::rules().map(finding).collect(),
            ..FileReport::default()
        };
        let read = through_bytes(file.clone()).expect("all rules are known");
        assert_eq!(format!("{read:?}"), format!("{file:?}"));
    }
}
