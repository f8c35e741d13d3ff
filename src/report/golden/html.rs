//! The HTML format: expected and actual images, and the command that approves.

use askama::Template;
use askama::filters::Safe;
use serde_json::{Value, json};

use super::super::golden::summary;
use super::farthest;
use crate::golden::{Cause, ClipReport, ImageReport, ModelReport, Report, Verdict};
use crate::report::escape::base64;
use crate::report::shell::{self, Page};
use crate::shown::{path, printable, shell_word};
use crate::units::amount;
use crate::units::seconds;
use crate::viewer::Packed;

/// The ways to compare two images: a value, a label and a key for each.
const MODES: [(&str, &str); 4] = [
    ("side", "Side by side"),
    ("slider", "Slider"),
    ("blink", "Blink"),
    ("difference", "Difference"),
];

/// The most bytes of images on a page; browsers are slow beyond that.
const MOST_BYTES: usize = 64 << 20;

/// One line of the list.
struct Item<'a> {
    model: &'a ModelReport,
    /// `None` for the data that all clips share, and for a model that could not be tested.
    clip: Option<&'a ClipReport>,
}

#[derive(Template)]
#[template(path = "golden/html/page.html")]
struct Review<'a> {
    report: &'a Report,
    /// The start of approving commands, such as `skincheck accept`.
    command: &'a str,
    verdict: String,
    items: Vec<Item<'a>>,
    data: Value,
}

impl Page for Review<'_> {
    const STYLE: Safe<&'static str> = Safe(include_str!("html/page.css"));
}

/// Renders the page.
///
/// * `command` – the start of approving commands, such as `skincheck accept`.
pub(super) fn write(report: &Report, command: &str) -> String {
    let items = items(report);
    let verdict = match (items.is_empty(), report.has_lost_tests()) {
        (true, false) => "all as approved".to_owned(),
        (true, true) => "approved models are no longer tested".to_owned(),
        (false, _) => summary(report),
    };
    let page = Review {
        report,
        command,
        verdict,
        data: data(report, &items, command),
        items,
    };
    page.html()
}

impl Review<'_> {
    fn is_as_approved(&self) -> bool {
        self.items.is_empty() && !self.report.has_lost_tests()
    }

    /// The data of models in motion: two for each model.
    fn moving(&self) -> Vec<(usize, &Packed)> {
        let models = self.report.models.iter().enumerate();
        let moving = models.filter_map(|(index, model)| Some((index, model.moving.as_ref()?)));
        moving
            .flat_map(|(index, [approved, now])| [(2 * index, approved), (2 * index + 1, now)])
            .collect()
    }
}

fn items(report: &Report) -> Vec<Item<'_>> {
    let mut items = Vec::new();
    for model in &report.models {
        if model.failure.is_some() || !model.differences.is_empty() {
            items.push(Item { model, clip: None });
        }
        let clips = super::remarkable(model);
        items.extend(clips.map(|clip| Item {
            model,
            clip: Some(clip),
        }));
    }
    items
}

impl Item<'_> {
    fn name(&self) -> String {
        printable(&self.model.name)
    }

    fn part(&self) -> String {
        self.clip
            .map_or_else(|| "whole model".to_owned(), |clip| printable(&clip.name))
    }

    /// How far a vertex of the clip has moved.
    fn farthest(&self) -> String {
        self.clip.map(farthest).unwrap_or_default()
    }

    fn verdict(&self) -> &'static str {
        match (&self.model.failure, self.clip) {
            (Some(_), _) => "failed",
            (None, Some(clip)) if clip.verdict() == Verdict::New => "not approved",
            _ => "changed",
        }
    }

    /// The remarks on it, with names between backticks.
    fn lines(&self) -> Vec<String> {
        let all = match (&self.model.failure, self.clip) {
            (Some(failure), _) => vec![printable(failure)],
            (None, None) => self.model.differences.iter().map(super::sentence).collect(),
            (None, Some(clip)) => {
                let mut all: Vec<String> = clip.differences.iter().map(super::sentence).collect();
                all.extend(clip.note.clone());
                all.push(images(clip));
                all
            }
        };
        all.iter().map(|line| printable(line)).collect()
    }
}

/// The number of a clip's images that are as approved. Remarks stand below it.
fn images(clip: &ClipReport) -> String {
    let count = |verdict: Verdict| {
        clip.images
            .iter()
            .filter(|own| own.verdict == verdict)
            .count()
    };
    let (changed, new) = (count(Verdict::Changed), count(Verdict::New));
    let all = amount(clip.images.len(), "image");
    match (changed, new) {
        (0, 0) => format!("{all}, as approved"),
        (changed, 0) => format!("{all}, {changed} changed"),
        (0, new) => format!("{all}, {new} not approved"),
        (changed, new) => format!("{all}, {changed} changed and {new} not approved"),
    }
}

fn data(report: &Report, items: &[Item<'_>], command: &str) -> Value {
    let mut left = MOST_BYTES;
    let first = worst(items);
    let items = items.iter().map(|item| {
        let images = item
            .clip
            .map(|clip| clip.images.as_slice())
            .unwrap_or_default();
        let frames: Vec<Value> = images
            .iter()
            .filter_map(|own| frame(own, &mut left))
            .collect();
        json!({
            "model": item.model.name,
            "modelWord": shell_word(&item.model.name),
            "heading": match item.clip {
                None => printable(&item.model.name),
                Some(clip) => format!("{}: {}", printable(&item.model.name), printable(&clip.name)),
            },
            "lines": item.lines(),
            "moving": moving(report, item),
            "left_out": images.len() - frames.len(),
            "frames": frames,
        })
    });
    let data = items.collect::<Vec<Value>>();
    json!({ "command": command, "first": first, "items": data })
}

/// The names of the data of both versions, and the take of the clip; null if they are not shown in motion.
fn moving(report: &Report, item: &Item<'_>) -> Value {
    let index = report
        .models
        .iter()
        .position(|own| std::ptr::eq(own, item.model));
    let take = item.model.moving.as_ref().and_then(|[approved, _]| {
        let name = item.clip.map(|clip| printable(&clip.name));
        let mut takes = approved.json["takes"].as_array()?.iter();
        name.map_or(Some(0), |name| takes.position(|take| take["name"] == *name))
    });
    match (index, take) {
        (Some(index), Some(take)) => json!({ "models": [2 * index, 2 * index + 1], "take": take }),
        _ => Value::Null,
    }
}

/// The item that the page opens on: the clip with images that has moved farthest, of equal ones that with the most changed
/// images; without images, the first.
fn worst(items: &[Item<'_>]) -> usize {
    let badness = |item: &Item<'_>| {
        let clip = item
            .clip
            .filter(|clip| clip.images.iter().any(|own| own.images.is_some()))?;
        let changed = clip
            .images
            .iter()
            .filter(|own| own.verdict != Verdict::Same);
        Some((clip.largest.unwrap_or(0.0), changed.count()))
    };
    let all = items.iter().enumerate();
    let drawn = all.filter_map(|(index, item)| Some((badness(item)?, index)));
    // Of equal ones, the maximum is the last, hence the reversal.
    let worst = drawn
        .rev()
        .max_by(|((a, more), _), ((b, fewer), _)| a.total_cmp(b).then(more.cmp(fewer)));
    worst.map_or(0, |(_, index)| index)
}

fn frame(image: &ImageReport, left: &mut usize) -> Option<Value> {
    let images = image.images.as_ref()?;
    let all = [
        images.expected.as_ref(),
        Some(&images.actual),
        images.difference.as_ref(),
    ];
    let bytes = all.iter().flatten().map(|image| image.len()).sum();
    *left = left.checked_sub(bytes)?;
    Some(json!({
        "view": image.view,
        "time": image.time.get(),
        "label": seconds(image.time.0),
        "file": image.file,
        "verdict": image.verdict.name(),
        "why": super::image_line(image),
        "pixels": differing_pixels(image),
        "pictures": all.map(|image| image.map(|image| base64(image))),
    }))
}

/// How many pixels differ; 0 for an image without an approved one of its size.
fn differing_pixels(image: &ImageReport) -> usize {
    match image.cause {
        Some(
            Cause::Numbers { pixels } | Cause::Surface { pixels } | Cause::Unexplained { pixels },
        ) => pixels,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::Images;
    use crate::units::Seconds;

    fn clip(name: &str, largest: Option<f64>, verdicts: &[Verdict]) -> ClipReport {
        let image = |verdict: &Verdict| ImageReport {
            file: String::new(),
            time: Seconds(0.0),
            view: String::new(),
            verdict: *verdict,
            cause: None,
            images: Some(Images {
                expected: None,
                actual: Vec::new(),
                difference: None,
            }),
        };
        ClipReport {
            name: name.to_owned(),
            numbers: Verdict::Changed,
            note: None,
            differences: Vec::new(),
            largest,
            times: 1,
            images: verdicts.iter().map(image).collect(),
        }
    }

    #[test]
    fn the_page_opens_on_the_clip_that_has_moved_farthest() {
        let model = ModelReport {
            path: "hero.glb".into(),
            name: "hero.glb".to_owned(),
            approved: "approved".into(),
            failure: None,
            differences: Vec::new(),
            tolerance: crate::diff::Tolerance::default(),
            clips: Vec::new(),
            moving: None,
        };
        let opened = |clips: &[ClipReport]| {
            let clips = clips.iter().map(Some);
            let items: Vec<Item<'_>> = std::iter::once(None)
                .chain(clips)
                .map(|clip| Item {
                    model: &model,
                    clip,
                })
                .collect();
            worst(&items)
        };
        let changed = [Verdict::Changed];
        let [near, far] = [0.1, 0.2].map(|moved| clip("Walk", Some(moved), &changed));
        let undrawn = clip("Jump", Some(0.9), &[]);
        assert_eq!(opened(&[]), 0, "the model, which is all there is");
        assert_eq!(opened(&[near, undrawn, far]), 3);
        let alike = clip("Idle", None, &[Verdict::Same, Verdict::Changed]);
        let more = clip("Run", None, &[Verdict::Changed; 2]);
        assert_eq!(opened(&[alike, more]), 2, "more images have changed");
    }
}
