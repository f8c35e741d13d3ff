//! The page of a check: an overview of models and rules, and the findings by model, the worst first, with images and filters.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use askama::Template;
use askama::filters::Safe;
use serde_json::Value;

use super::super::document::{Article, Block, Document, Span};
use super::super::escape::base64;
use super::super::shell::Page;
use super::super::words::{amounts, fix, name, rule};
use super::Moving;
use crate::check::{CloseUpImage, FileReport, Report};
use crate::closeup::command;
use crate::finding::{Code, Finding, Level};
use crate::frame::png;
use crate::report::results::{Group, alike, groups};
use crate::report::words::{lines, places};
use crate::rig::PoseName;
use crate::shown::{path, printable};
use crate::units::amount;

/// The most findings on a page: a browser lays out so many in a second.
const MOST_FINDINGS: usize = 3000;

/// The rules that the overview shows before the others are unfolded.
const MOST_RULES: usize = 10;

/// The most bytes of images on a page.
const MOST_BYTES: usize = 48 << 20;

#[derive(Template)]
#[template(path = "check/html/page.html")]
struct Findings<'a> {
    report: &'a Report,
    moving: &'a Moving,
    /// The worst first.
    rules: Vec<Rule>,
    levels: Vec<(Level, usize)>,
    /// The worst first.
    models: Vec<Model<'a>>,
    /// What the page does not show, one sentence each.
    left_out: Vec<String>,
    /// The files without findings.
    clean: Vec<&'a FileReport>,
}

/// A rule that found something.
struct Rule {
    code: Code,
    /// The worst of its findings.
    level: Level,
    findings: usize,
    models: usize,
    /// What it means, if skincheck has the rule.
    page: Option<Article>,
}

/// A file with findings, or one that cannot be read.
struct Model<'a> {
    /// In the report.
    number: usize,
    file: &'a FileReport,
    /// The numbers of its findings, without zeros.
    counts: Vec<(Level, usize)>,
    /// A PNG file.
    picture: Option<&'a [u8]>,
    /// Without empty parts.
    parts: Vec<Part<'a>>,
}

impl Model<'_> {
    /// The parts of its path.
    fn folder_and_name(&self) -> (String, String) {
        let mut folder = path(&self.file.path);
        let name = folder.rfind(['/', '\\']).map_or(0, |slash| slash + 1);
        let name = folder.split_off(name);
        (folder, name)
    }
}

/// Findings of a model: those that are certain, hints, or infos.
struct Part<'a> {
    heading: Option<&'static str>,
    kinds: Vec<Kind<'a>>,
}

/// The first finding of a rule and level with its consequences, and the others.
struct Kind<'a> {
    first: Vec<Item<'a>>,
    others: Vec<Item<'a>>,
}

/// A finding.
struct Item<'a> {
    /// In the model.
    index: usize,
    finding: &'a Finding,
    is_consequence: bool,
    image: Option<&'a CloseUpImage>,
    /// Whether the model's data show it.
    moves: bool,
    /// Draws it.
    command: Option<String>,
}

impl Page for Findings<'_> {
    const STYLE: Safe<&'static str> = Safe(include_str!("html/page.css"));
}

/// Renders the page.
pub(super) fn write(report: &Report, moving: &Moving) -> String {
    let levels = Level::ALL.map(|level| {
        let counts = report.files.iter().map(|file| file.count(level));
        (level, counts.sum())
    });
    let is_clean = |file: &FileReport| file.findings.is_empty() && file.failure.is_none();
    let files = report.files.iter().enumerate();
    let mut worst: Vec<(usize, &FileReport)> = files.filter(|(_, file)| !is_clean(file)).collect();
    worst.sort_by_key(|(_, file)| {
        let counts = Level::ALL.map(|level| file.count(level));
        Reverse((file.failure.is_some(), file.worst_level(), counts))
    });
    let mut room = Room::default();
    let models = worst
        .into_iter()
        .map(|(number, file)| room.model(file, number, moving))
        .collect();
    let page = Findings {
        report,
        moving,
        rules: rules(&report.files),
        levels: levels.into_iter().filter(|(_, count)| *count > 0).collect(),
        models,
        left_out: left_out(report, moving, &room),
        clean: report.files.iter().filter(|file| is_clean(file)).collect(),
    };
    page.html()
}

fn rules(files: &[FileReport]) -> Vec<Rule> {
    let mut known: BTreeMap<Code, Rule> = BTreeMap::new();
    for file in files {
        let mut of_file = BTreeSet::new();
        for finding in &file.findings {
            let rule = known.entry(finding.code).or_insert_with(|| Rule {
                code: finding.code,
                level: finding.level,
                findings: 0,
                models: 0,
                page: rule(finding.code).map(|meta| Article::of(&Document::of_rule(meta))),
            });
            rule.level = rule.level.max(finding.level);
            rule.findings += 1;
            rule.models += usize::from(of_file.insert(finding.code));
        }
    }
    let mut rules: Vec<Rule> = known.into_values().collect();
    rules.sort_by_key(|rule| Reverse((rule.level, rule.models, rule.findings)));
    rules
}

impl Findings<'_> {
    fn verdict(&self) -> &'static str {
        if self.report.passes() {
            "passed"
        } else {
            "failed"
        }
    }

    /// As the last line in a terminal counts them.
    fn checked(&self) -> String {
        let summary = self.report.summary();
        format!(
            "{} checked",
            amount(summary.files - summary.unreadable, "file")
        )
    }

    fn counts(&self) -> String {
        let summary = self.report.summary();
        let counts = amounts([
            (summary.errors, "error"),
            (summary.warnings, "warning"),
            (summary.hints, "hint"),
            (summary.infos, "info"),
            (summary.unreadable, "unreadable file"),
        ]);
        if counts.is_empty() {
            "nothing found".to_owned()
        } else {
            counts.join(", ")
        }
    }
}

/// What the page holds so far, and what it has no room for.
#[derive(Default)]
struct Room {
    findings: usize,
    bytes: usize,
    findings_left_out: usize,
    images_left_out: usize,
}

impl Room {
    fn model<'a>(&mut self, file: &'a FileReport, number: usize, moving: &'a Moving) -> Model<'a> {
        let groups = groups(&file.findings);
        let counts = Level::ALL.map(|level| (level, file.count(level)));
        let sights = moving.models.get(&number).map(|own| &own.json["sights"]);
        let [hints, infos] = groups
            .headed(&file.findings)
            .map(|(heading, groups)| (Some(heading), groups));
        let parts = [(None, groups.certain.as_slice()), hints, infos];
        let parts = parts.map(|(heading, groups)| {
            let kinds = alike(groups, &file.findings).into_iter().map(|kind| Kind {
                first: self.items(file, sights, &kind[..1]),
                others: self.items(file, sights, &kind[1..]),
            });
            let kinds = kinds.filter(|kind| !kind.first.is_empty()).collect();
            Part { heading, kinds }
        });
        Model {
            number,
            file,
            counts: counts.into_iter().filter(|(_, count)| *count > 0).collect(),
            picture: moving.pictures.get(&number).map(Vec::as_slice),
            parts: parts
                .into_iter()
                .filter(|part| !part.kinds.is_empty())
                .collect(),
        }
    }

    /// The items that there is room for.
    ///
    /// * `sights` – of the model in motion: what shows each finding.
    fn items<'a>(
        &mut self,
        file: &'a FileReport,
        sights: Option<&Value>,
        groups: &[&Group],
    ) -> Vec<Item<'a>> {
        let in_order: Vec<(usize, bool)> = groups
            .iter()
            .flat_map(|group| {
                let consequences = group.consequences.iter();
                iter::once((group.cause, false)).chain(consequences.map(|index| (*index, true)))
            })
            .collect();
        let room = MOST_FINDINGS - self.findings;
        let shown = &in_order[..in_order.len().min(room)];
        self.findings += shown.len();
        self.findings_left_out += in_order.len() - shown.len();
        let items = shown.iter().map(|(index, is_consequence)| {
            let finding = &file.findings[*index];
            Item {
                index: *index,
                finding,
                is_consequence: *is_consequence,
                image: file.image(*index).filter(|image| self.has_room(image)),
                moves: can_move(file, finding)
                    && sights.is_some_and(|sights| sights[index.to_string()].is_object()),
                command: command(&file.path, finding, file.image(*index).map(|own| &own.shot)),
            }
        });
        items.collect()
    }

    /// Takes the room for an image.
    fn has_room(&mut self, image: &CloseUpImage) -> bool {
        if self.bytes + image.png.len() > MOST_BYTES {
            self.images_left_out += 1;
            return false;
        }
        self.bytes += image.png.len();
        true
    }
}

/// Whether anything moves where it is seen: not in a model without clips at rest.
fn can_move(file: &FileReport, finding: &Finding) -> bool {
    let coverage = file.coverage.as_ref();
    let has_clips = coverage.is_none_or(|coverage| !coverage.clips.is_empty());
    let pose = finding.location.pose.as_ref();
    has_clips || pose.is_some_and(|pose| *pose != PoseName::REST)
}

/// * `room` – after all models.
fn left_out(report: &Report, moving: &Moving, room: &Room) -> Vec<String> {
    let mut sentences = Vec::new();
    if room.findings_left_out > 0 {
        let findings = amount(room.findings_left_out, "finding");
        sentences.push(format!(
            "Not on this page: {findings}. --format json has all."
        ));
    }
    if room.images_left_out > 0 {
        let images = amount(room.images_left_out, "image");
        sentences.push(format!(
            "Not on this page: {images} beyond {} MiB.",
            MOST_BYTES >> 20
        ));
    }
    if moving.images_left_out > 0 {
        let findings = amount(moving.images_left_out, "finding");
        let mut images = report.files.iter().flat_map(|file| &file.images);
        // A run with --artifacts has drawn as many as it may.
        let remedy = if images.any(|(_, image)| image.path.is_some()) {
            ""
        } else {
            "; --artifacts DIR draws more"
        };
        sentences.push(format!(
            "{findings} have no picture on this page, besides others like them{remedy}."
        ));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::closeup::Shot;
    use crate::finding::Cause;
    use crate::lint::{CheckedClip, Coverage};
    use crate::rig::Location;
    use crate::viewer::Packed;

    fn report(findings: usize) -> Report {
        let finding = |index: usize| {
            Finding::new(
                Code("D602"),
                Level::Warning,
                Location::mesh(format!("<u>{index}")),
                "edge stretched 6×",
            )
        };
        let image = CloseUpImage {
            path: None,
            png: vec![0; MOST_BYTES],
            shot: Shot::default(),
        };
        Report {
            files: vec![FileReport {
                path: "hero.glb".into(),
                findings: (0..findings).map(finding).collect(),
                images: vec![(0, image.clone()), (1, image)],
                ..FileReport::default()
            }],
            ..Report::default()
        }
    }

    #[test]
    fn a_page_says_what_it_has_no_room_for() {
        let moving = Moving {
            images_left_out: 97,
            ..Moving::default()
        };
        let page = write(&report(MOST_FINDINGS + 7), &moving);
        assert_eq!(
            page.matches("<article class=\"finding").count(),
            MOST_FINDINGS
        );
        assert!(page.contains("Not on this page: 7 findings."));
        assert!(page.contains("Not on this page: 1 image beyond 48 MiB."));
        assert!(page.contains("97 findings have no picture on this page, besides others like them; --artifacts DIR draws more."));
        assert_eq!(page.matches("<img").count(), 1);
    }

    #[test]
    fn findings_of_a_kind_follow_the_first_and_a_rule_is_explained_once() {
        let page = write(&report(13), &Moving::default());
        assert!(page.contains("<summary>+ 12 like this</summary>"));
        assert!(page.contains("13 warnings; 1 file checked"));
        assert_eq!(page.matches(" id=\"rule-D602\"").count(), 1);
        for index in 0..13 {
            let id = format!(" id=\"f0-{index}\"");
            assert_eq!(page.matches(&id).count(), 1, "{id}");
        }
    }

    #[test]
    fn the_worst_model_and_the_worst_rule_are_first() {
        let of = |path: &str, code, levels: &[Level]| FileReport {
            path: path.into(),
            findings: levels
                .iter()
                .map(|level| Finding::new(Code(code), *level, Location::FILE, "is off"))
                .collect(),
            ..FileReport::default()
        };
        let (hint, error) = (Level::Hint, Level::Error);
        let report = Report {
            files: vec![
                of("a.glb", "D602", &[hint; 5]),
                of("b.glb", "W103", &[error]),
                of("c.glb", "W103", &[error; 2]),
            ],
            ..Report::default()
        };
        let page = write(&report, &Moving::default());
        let at = |text: &str| page.find(text).expect(text);
        assert!(at(" id=\"m2\"") < at(" id=\"m1\"") && at(" id=\"m1\"") < at(" id=\"m0\""));
        assert!(at("href=\"#rule=W103\"") < at("href=\"#rule=D602\""));
    }

    #[test]
    fn hints_and_infos_have_headings_of_their_own() {
        let finding = |level| Finding::new(Code("D602"), level, Location::FILE, "is off");
        let report = Report {
            files: vec![FileReport {
                path: "a.glb".into(),
                findings: [Level::Info, Level::Hint].map(finding).into(),
                ..FileReport::default()
            }],
            ..Report::default()
        };
        let page = write(&report, &Moving::default());
        let at = |text: &str| page.find(text).expect(text);
        let [look, hint] = [">Worth a look<", " id=\"f0-1\""].map(at);
        let [knowing, info] = [">Worth knowing<", " id=\"f0-0\""].map(at);
        assert!(look < hint && hint < knowing && knowing < info);
    }

    #[test]
    fn a_consequence_has_no_fix_of_its_own() {
        let mesh = || Location::mesh("Body");
        let cause = Finding::new(Code("H302"), Level::Error, mesh(), "no such node");
        let consequence = Finding {
            cause: Some(Cause::Finding {
                code: cause.code,
                location: Box::new(mesh()),
            }),
            ..Finding::new(Code("W103"), Level::Error, mesh(), "weights sum to 0.9")
        };
        let of = |findings| Report {
            files: vec![FileReport {
                path: "a.glb".into(),
                findings,
                ..FileReport::default()
            }],
            ..Report::default()
        };
        let fixes = |report: &Report| {
            let page = write(report, &Moving::default());
            page.matches("<p class=\"faint\">Fix: ").count()
        };
        assert_eq!(fixes(&of(vec![consequence.clone(), cause])), 1);
        assert_eq!(fixes(&of(vec![consequence])), 1, "the cause is not shown");
    }

    #[test]
    fn at_rest_nothing_moves_in_a_model_without_clips() {
        let mut report = report(1);
        let packed = Packed {
            json: json!({ "sights": { "0": {} } }),
            blocks: Vec::new(),
            notes: Vec::new(),
        };
        let moving = Moving {
            models: [(0, packed)].into(),
            ..Moving::default()
        };
        let mut is_offered = |clips| {
            report.files[0].coverage = Some(Coverage {
                clips,
                ..Coverage::default()
            });
            write(&report, &moving).contains(">See it move<")
        };
        assert!(!is_offered(Vec::new()));
        assert!(is_offered(vec![CheckedClip {
            name: "Walk".to_owned(),
            poses: 31,
            moves: true,
        }]));
    }

    #[test]
    fn the_overview_folds_the_rules_beyond_the_worst() {
        let codes = [
            "W101", "W102", "W103", "W104", "W105", "W106", "W107", "W108", "W109", "W110", "W111",
            "W112",
        ];
        let finding = |code| Finding::new(Code(code), Level::Warning, Location::FILE, "is off");
        let report = Report {
            files: vec![FileReport {
                path: "a.glb".into(),
                findings: codes.map(finding).into(),
                ..FileReport::default()
            }],
            ..Report::default()
        };
        let page = write(&report, &Moving::default());
        assert!(page.contains("<summary>12 rules</summary>"));
        let (worst, others) = page
            .split_once("<details><summary>2 more rules</summary>")
            .expect("the others are folded");
        let links = |text: &str| text.matches("href=\"#rule=").count();
        assert_eq!((links(worst), links(others)), (MOST_RULES, 2));
    }

    #[test]
    fn names_cannot_add_elements() {
        let mut report = report(2);
        report.files[0].path = "<u>.glb".into();
        report.files[0].images[0].1.png.clear();
        report.files.push(FileReport {
            path: "<u>.fbx".into(),
            failure: Some("no joint <u>".to_owned()),
            ..FileReport::default()
        });
        report.files.push(FileReport {
            path: "<u>.dae".into(),
            ..FileReport::default()
        });
        let page = write(&report, &Moving::default());
        assert!(page.contains("&lt;u&gt;1") && !page.contains("<u>"));
        for part in [
            "<h2>&lt;u&gt;.glb",
            "<span class=\"name\">&lt;u&gt;.glb",
            "no joint &lt;u&gt;",
            "<li>&lt;u&gt;.dae",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert!(!page.contains("Not on this page: 7"));
    }
}
