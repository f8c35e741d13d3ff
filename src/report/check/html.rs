//! The page of a check: findings by model, the worst models first, with images and filters.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::iter;

use askama::Template;
use askama::filters::Safe;
use serde_json::Value;

use super::super::escape::base64;
use super::super::shell::Page;
use super::super::words::{amounts, fix, name, sentence, title};
use super::Moving;
use crate::check::{CloseUpImage, FileReport, Report};
use crate::closeup::command;
use crate::finding::{Code, Finding, Level};
use crate::report::results::{Group, WORTH_A_LOOK, groups};
use crate::report::words::lines;
use crate::shown::{path, printable};
use crate::units::amount;
use crate::viewer::Packed;

/// The most findings on a page: a browser lays out so many in a second.
const MOST_FINDINGS: usize = 3000;

/// The most bytes of images on a page.
const MOST_BYTES: usize = 48 << 20;

#[derive(Template)]
#[template(path = "check/html/page.html")]
struct Findings<'a> {
    report: &'a Report,
    moving: &'a Moving,
    /// The numbers of findings.
    rules: BTreeMap<Code, usize>,
    levels: Vec<(Level, usize)>,
    models: Vec<Model<'a>>,
    left_out: Vec<String>,
    /// The files without findings.
    clean: Vec<&'a FileReport>,
}

/// A file with findings, or one that cannot be read.
struct Model<'a> {
    file: &'a FileReport,
    /// The numbers of its findings.
    counts: String,
    /// The number of its data, if it can be seen in motion.
    moving: Option<usize>,
    /// Without empty parts.
    parts: Vec<Part<'a>>,
}

/// Findings of a model: those that are certain, or hints and infos.
struct Part<'a> {
    heading: Option<&'static str>,
    items: Vec<Item<'a>>,
}

/// A finding.
struct Item<'a> {
    index: usize,
    finding: &'a Finding,
    is_consequence: bool,
    image: Option<&'a CloseUpImage>,
    /// The number of the model's data, if it shows the finding.
    moving: Option<usize>,
    /// Draws it.
    command: Option<String>,
}

impl Page for Findings<'_> {
    const STYLE: Safe<&'static str> = Safe(include_str!("html/page.css"));
}

/// Renders the page.
pub(super) fn write(report: &Report, moving: &Moving) -> String {
    let mut rules: BTreeMap<Code, usize> = BTreeMap::new();
    for finding in report.files.iter().flat_map(|file| &file.findings) {
        *rules.entry(finding.code).or_default() += 1;
    }
    let levels = Level::ALL.map(|level| {
        let counts = report.files.iter().map(|file| file.count(level));
        (level, counts.sum())
    });
    let is_clean = |file: &FileReport| file.findings.is_empty() && file.failure.is_none();
    let files = report.files.iter().enumerate();
    let mut worst: Vec<(usize, &FileReport)> = files.filter(|(_, file)| !is_clean(file)).collect();
    worst.sort_by_key(|(_, file)| Reverse((file.failure.is_some(), file.worst_level())));
    let mut room = Room::default();
    let models = worst
        .into_iter()
        .map(|(number, file)| room.model(file, number, moving.models.get(&number)))
        .collect();
    let page = Findings {
        report,
        moving,
        rules,
        levels: levels.into_iter().filter(|(_, count)| *count > 0).collect(),
        models,
        left_out: room.left_out(),
        clean: report.files.iter().filter(|file| is_clean(file)).collect(),
    };
    page.html()
}

impl Findings<'_> {
    fn verdict(&self) -> &'static str {
        if self.report.passes() {
            "passed"
        } else {
            "failed"
        }
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
    /// Findings with a location but without an image.
    undrawn: usize,
}

impl Room {
    fn model<'a>(
        &mut self,
        file: &'a FileReport,
        number: usize,
        packed: Option<&Packed>,
    ) -> Model<'a> {
        let groups = groups(&file.findings);
        let counts = Level::ALL.map(|level| (file.count(level), level.name()));
        let parts = [
            (None, &groups.certain),
            (Some(WORTH_A_LOOK), &groups.worth_a_look),
        ];
        let parts = parts.map(|(heading, groups)| Part {
            heading,
            items: self.items(file, (number, packed), groups),
        });
        let parts = parts.into_iter().filter(|part| !part.items.is_empty());
        Model {
            file,
            counts: amounts(counts).join(", "),
            moving: packed.map(|_| number),
            parts: parts.collect(),
        }
    }

    /// The items that there is room for.
    ///
    /// * `packed` – the number of the file and what shows it in motion.
    fn items<'a>(
        &mut self,
        file: &'a FileReport,
        (number, packed): (usize, Option<&Packed>),
        groups: &[Group],
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
            let command = command(&file.path, finding);
            let is_undrawn = command.is_some() && file.image(*index).is_none();
            self.undrawn += usize::from(is_undrawn);
            let sight = packed.map(|packed| &packed.json["sights"][index.to_string()]);
            Item {
                index: *index,
                finding,
                is_consequence: *is_consequence,
                image: file.image(*index).filter(|image| self.has_room(image)),
                moving: sight.is_some_and(Value::is_object).then_some(number),
                command,
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

    fn left_out(&self) -> Vec<String> {
        let images = self.images_left_out + if self.bytes > 0 { self.undrawn } else { 0 };
        amounts([(self.findings_left_out, "finding"), (images, "image")])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Location;

    fn report(findings: usize) -> Report {
        let finding = |index: usize| {
            Finding::new(
                Code("D602"),
                Level::Warning,
                Location::mesh(format!("<b>{index}")),
                "edge stretched 6×",
            )
        };
        let image = CloseUpImage {
            path: None,
            png: vec![0; MOST_BYTES],
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
        let page = write(&report(MOST_FINDINGS + 7), &Moving::default());
        assert_eq!(page.matches("<article").count(), MOST_FINDINGS);
        assert!(page.contains("Not on this page: 7 findings."));
        assert!(page.contains("Not on this page: 1 image."));
        assert_eq!(page.matches("<img").count(), 1);
    }

    #[test]
    fn names_cannot_add_elements() {
        let mut report = report(2);
        report.files[0].path = "<b>.glb".into();
        report.files[0].images[0].1.png.clear();
        report.files.push(FileReport {
            path: "<b>.fbx".into(),
            failure: Some("no joint <b>".to_owned()),
            ..FileReport::default()
        });
        report.files.push(FileReport {
            path: "<b>.dae".into(),
            ..FileReport::default()
        });
        let page = write(&report, &Moving::default());
        assert!(page.contains("&lt;b&gt;1") && !page.contains("<b>"));
        for part in [
            "<h2>&lt;b&gt;.glb",
            "no joint &lt;b&gt;",
            "<li>&lt;b&gt;.dae",
        ] {
            assert!(page.contains(part), "{part}");
        }
        assert!(!page.contains("Not on this page: 7"));
    }
}
