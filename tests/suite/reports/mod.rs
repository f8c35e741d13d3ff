//! The formats of reports, on a handmade report, and against published schemas.

mod docs;
mod engines;
pub(crate) mod fields;
pub(crate) mod junit;
mod origins;
mod presets;
pub(crate) mod sarif;
mod schemas;
mod xsd;

use std::collections::BTreeSet;
use std::path::PathBuf;

use skincheck::check::config::Position;
use skincheck::check::{Accepted, AcceptedFinding, FileReport, Idle, Report};
use skincheck::finding::{Code, Finding, Level, Measure, Unit};
use skincheck::lint::{
    CheckedClip, Conversion, Coverage, Place, Quantity, Reading, ReadingUnit, Share, Thinned,
    Unchecked,
};
use skincheck::report::{Format, View, check};
use skincheck::rig::{Location, NamedWeight, Note, ReaderCode, TrackPart};
use skincheck::units::Seconds;

use crate::support::in_group;

const W103: Code = Code("W103");

fn finding(level: Level, location: Location, count: usize) -> Finding {
    Finding {
        count,
        counted: "vertex".into(),
        measure: Some(Measure {
            unit: Unit::Rule,
            value: 0.1,
            limit: Some(1e-6),
        }),
        origin: Some("/meshes/0/primitives/0/attributes/WEIGHTS_0".to_owned()),
        ..Finding::new(W103, level, location, "weights sum to 0.9, not 1")
    }
}

fn unused_name() -> Idle {
    Idle::Name {
        path: "models/skincheck.toml".into(),
        position: Position {
            line: 2,
            column: 10,
        },
        what: "clip",
        name: "Wlak|*".to_owned(),
        nearest: Some("Walk".to_owned()),
        models: 2,
    }
}

fn weighted(joint: &str, weight: f32) -> NamedWeight {
    NamedWeight {
        joint: joint.to_owned(),
        weight,
        id: None,
    }
}

/// A report with everything that it can contain, and with names that are difficult for every format.
#[expect(clippy::too_many_lines, reason = "one of everything")]
fn report() -> Report {
    let body = Location {
        joints: vec![weighted("Spine2", 0.7), weighted("Head", 0.2)],
        ..Location::mesh("Body").vertex(1841)
    };
    let moving = Location::mesh("Körper <\"&'%,:]]>")
        .vertex(3)
        .in_clip("Run\u{1b}[2J")
        .at(Seconds(0.533_333));
    let not_checkable = |code| Unchecked {
        code: Code(code),
        reader: Some(ReaderCode::Assimp),
        reason: "not checkable with assimp".to_owned(),
    };
    let thinned = |clip: &str, sample_times| Thinned {
        clip: clip.to_owned(),
        watched: 29,
        sample_times,
    };
    Report {
        folder: PathBuf::new(),
        files: vec![
            FileReport {
                path: "models/hero model.glb".into(),
                importer: Some("gltf 2.0".into()),
                findings: vec![
                    finding(Level::Error, body, 13),
                    Finding {
                        accepted: Some(2),
                        ..finding(Level::Error, moving, 3)
                    },
                    finding(Level::Warning, Location::FILE, 1),
                    finding(Level::Hint, Location::mesh("Cape"), 4),
                    finding(
                        Level::Info,
                        Location::joint("Hips").part(TrackPart::Rotation),
                        2,
                    ),
                ],
                checked: [W103].into(),
                ..FileReport::default()
            },
            FileReport {
                path: "models/100%,a:b.fbx".into(),
                failure: Some("fbx cannot read it: line 1\nline 2\u{0}".into()),
                ..FileReport::default()
            },
            FileReport {
                path: "models/old.x".into(),
                importer: Some("assimp 6.0.2".into()),
                config: Some("models/skincheck.toml".into()),
                notes: vec![Note {
                    location: "mesh \"Body\"".into(),
                    message: "it is skinned by dual quaternions, which are taken as linear".into(),
                }],
                unchecked: vec![not_checkable("W103"), not_checkable("W110")],
                thinned: vec![thinned("Walk", 41), thinned("Run", 241)],
                ..FileReport::default()
            },
            FileReport {
                path: "models/older.x".into(),
                importer: Some("assimp 6.0.2".into()),
                config: Some("models/skincheck.toml".into()),
                unchecked: vec![not_checkable("W103"), not_checkable("W110")],
                ..FileReport::default()
            },
            FileReport {
                path: "models/fine.glb".into(),
                importer: Some("gltf 2.0".into()),
                engine: Some("unreal".to_owned()),
                preset: Some("mocap".into()),
                conversions: vec![
                    Conversion {
                        what: Quantity::Unit,
                        file: "1 m".into(),
                        engine: "1 cm".into(),
                        factor: Some(100.0),
                    },
                    Conversion {
                        what: Quantity::Up,
                        file: "+Y".into(),
                        engine: "+Z".into(),
                        factor: None,
                    },
                ],
                coverage: Some(Coverage {
                    joints: Share { all: 23, moved: 22 },
                    vertices: Share {
                        all: 4210,
                        moved: 4200,
                    },
                    clips: vec![CheckedClip {
                        name: "Walk".into(),
                        poses: 41,
                        moves: true,
                    }],
                    range_of_motion: 138,
                    is_rig: true,
                }),
                measures: vec![Reading {
                    rule: W103,
                    name: "stretch".into(),
                    unit: ReadingUnit::Times,
                    value: 2.1,
                    limit: 4.0,
                    nearness: 0.4,
                    place: Place {
                        mesh: Some("Body".into()),
                        vertex: Some(3),
                        clip: Some("Walk".into()),
                        time: Some(Seconds(0.43)),
                        ..Place::default()
                    },
                }],
                checked: [W103].into(),
                ..FileReport::default()
            },
        ],
        accepted: Some(Accepted {
            just_now: false,
            still_there: 5,
            gone: vec![AcceptedFinding {
                file: "models/fine.glb".into(),
                rule: "W103".into(),
                subject: "mesh \"Body\"".into(),
            }],
        }),
        unchecked_files: 0,
        unaffected: 0,
        idle: vec![unused_name()],
        hidden: None,
        part: None,
    }
}

fn written(format: &str, report: &Report) -> String {
    let format = Format::find(format).expect("the format is there");
    check::write(report, format, View::default())
}

/// Without the parts that change with every version and every new rule.
pub(crate) fn lasting(format: &str, text: &str) -> String {
    let text = match format {
        "sarif" => sarif::without_rules(text),
        "html" => without_shell(text),
        _ => text.to_owned(),
    };
    let version = env!("CARGO_PKG_VERSION");
    text.replace(&format!("\"{version}\""), "\"VERSION\"")
}

/// A page without its style, scripts, viewer and images.
fn without_shell(text: &str) -> String {
    let cut = |text: &str, start: &str, end: &str| {
        let mut parts = text.split(start);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |kept, part| {
            let (_, rest) = part.split_once(end).expect("it ends");
            format!("{kept}{start}...{end}{rest}")
        })
    };
    let text = cut(text, "<template id=\"viewer\">", "</template>");
    let text = cut(&text, "<script type=\"application/", "</script>");
    let text = cut(&text, "<style>", "</style>");
    let text = cut(&text, "'sha256-", "'");
    let text = cut(&text, "<script>", "</script>");
    cut(&text, "base64,", "\"")
}

#[test]
fn each_format_contains_the_whole_report() {
    for format in Format::ALL {
        let name = format.name();
        let text = lasting(name, &written(name, &report()));
        in_group("report", || insta::assert_snapshot!(name, text));
    }
}

#[test]
fn the_text_in_colour_says_the_same() {
    let color = View {
        color: true,
        ..View::default()
    };
    let colored = check::write(&report(), Format::Text, color);
    assert!(colored.contains("\u{1b}[1m\u{1b}[31merror[W103]\u{1b}[0m"));
    let stripped = anstream::adapter::strip_str(&colored).to_string();
    assert_eq!(stripped, written("text", &report()));
}

#[test]
fn what_was_looked_at_is_said_of_clean_models_and_measures_of_any() {
    let text = |report: &Report, measures| {
        let view = View {
            measures,
            ..View::default()
        };
        check::write(report, Format::Text, view)
    };
    let nearest = "stretch 2.1\u{d7} of 4\u{d7} (mesh \"Body\" vertex 3, clip \"Walk\" at 0.43 s)";
    let row =
        "  W103  stretch  2.1\u{d7} of 4\u{d7}  mesh \"Body\" vertex 3, clip \"Walk\" at 0.43 s\n";
    let all = report();
    assert!(!text(&all, false).contains("nearest to a limit"));
    assert!(text(&all, true).contains(row));
    let clean = Report {
        files: vec![all.files.last().expect("one is clean").clone()],
        ..Report::default()
    };
    let expected = format!(
        "41 poses of 1 clip, 138 of the range of motion; 22 of 23 joints move 4,200 of 4,210 vertices\n\
         nearest to a limit: {nearest}\n1 file checked: nothing found\n"
    );
    assert_eq!(text(&clean, false), expected);
    assert!(text(&clean, true).contains(row));
}

#[test]
fn verbose_text_reports_more_file_by_file() {
    let verbose = View {
        verbose: true,
        ..View::default()
    };
    let text = check::write(&report(), Format::Text, verbose);
    for expected in [
        "models/old.x
  note: mesh \"Body\": it is skinned by dual quaternions, which are taken as linear
  W103, W110: not checkable with assimp
  2 clips sampled at some of their sample times, clip \"Run\" at 29 of 241 (--moments all checks them all)\n",
        "\nconfigured by models/skincheck.toml (2 files)\n",
    ] {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn unchecked_rules_are_reported_in_one_line() {
    let text = written("text", &report());
    let expected = "\n2 rules could not be checked on 2 files, because the importer assimp does not expose the data; --verbose lists them\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn an_image_without_the_requested_data_gets_a_warning() {
    let hidden = Report {
        hidden: Some(Level::Info),
        ..report()
    };
    let text = written("text", &hidden);
    assert!(text.contains(" (--level info shows more"), "{text}");
}

#[test]
fn an_empty_report_is_one_in_every_format() {
    for format in Format::ALL {
        let text = check::write(&Report::default(), format, View::default());
        assert!(text.is_empty() || text.ends_with('\n'), "{}", format.name());
    }
    let text = written("text", &Report::default());
    assert_eq!(text, "0 files checked: nothing found\n");
}

#[test]
fn no_format_lets_control_characters_through() {
    for format in Format::ALL {
        let text = check::write(&report(), format, View::default());
        let control = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(control, None, "{}", format.name());
    }
}

#[test]
fn each_annotation_of_github_is_a_line() {
    let text = written("github", &report());
    assert_eq!(text.lines().count(), 7, "{text}");
    assert!(text.lines().all(|line| line.starts_with("::")), "{text}");
}

#[test]
fn each_issue_of_gitlab_has_a_fingerprint_of_its_own() {
    let issues: serde_json::Value =
        serde_json::from_str(&written("gitlab", &report())).expect("it is JSON");
    let issues = issues.as_array().expect("it is a list");
    let prints: BTreeSet<_> = issues
        .iter()
        .map(|issue| issue["fingerprint"].as_str())
        .collect();
    assert_eq!((issues.len(), prints.len()), (7, 7));
    let severities: BTreeSet<_> = issues
        .iter()
        .map(|issue| issue["severity"].as_str())
        .collect();
    assert!(severities.contains(&Some("blocker")) && severities.contains(&Some("major")));
}

#[test]
fn the_json_can_be_read_back() {
    let document: serde_json::Value =
        serde_json::from_str(&written("json", &report())).expect("it is JSON");
    assert_eq!(document["schema"], "skincheck/report/1");
    assert_eq!(document["summary"]["errors"], 2);
    let finding = &document["models"][0]["findings"][1];
    assert_eq!(finding["location"]["clip"], "Run\u{1b}[2J");
    assert_eq!(finding["location"]["time"], 0.533_333);
}
