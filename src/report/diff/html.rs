//! The report as one self-contained page for a browser, with images and plots.

mod images;
mod plots;

use askama::Template;
use askama::filters::Safe;
use serde_json::{Value, json};

use super::super::escape::base64;
use super::super::shell::{self, Page, Script};
use super::super::words::{clips, sentence};
use super::super::{seconds, viewer};
use super::{Compared, Comparison, Pair, apart};
use super::{counts, length, matched};
use crate::diff::{Kind, Report, Take, WorstJoint};
use crate::finding::{Finding, Level};
use crate::look::{colors, srgb};
use crate::shown::printable;
use crate::units::Seconds;
use crate::viewer::{Packed, hex};
use images::TakeImages;
use plots::Unit;

pub use images::{ImageError, PageImages};

const STYLE: Safe<&str> = Safe(include_str!("html/page.css"));
pub(in crate::report) const SCRIPT: Script = Script {
    text: Safe(viewer::script!("diff/html/page.js")),
    sha256: "AgVpG2jH66/K1kUOuK6zMjjTFZ+8gafM0yW45rEzJo4=",
};

/// The number of steps in the legend's gradient.
const STOPS: u8 = 24;

/// The most takes with plots if there are no images.
const MOST_PLOTTED: usize = 6;

/// The page about two models.
#[derive(Template)]
#[template(path = "diff/html/page.html")]
struct ModelsPage<'a> {
    report: &'a Report,
    images: &'a PageImages,
    paths: [String; 2],
    names: [String; 2],
    class: &'static str,
    verdict: &'static str,
    /// The script's data.
    frames: Value,
}

impl Page for ModelsPage<'_> {
    const STYLE: Safe<&'static str> = STYLE;
    const SCRIPT: Option<Script> = Some(SCRIPT);
}

/// The page about two folders.
#[derive(Template)]
#[template(path = "diff/html/folders.html")]
struct FoldersPage<'a> {
    paths: [String; 2],
    counts: String,
    models: Vec<Model<'a>>,
}

/// A model of the table: its verdict, its largest distance and what to read first.
struct Model<'a> {
    paths: &'a [String],
    class: &'static str,
    verdict: &'static str,
    largest: String,
    finding: String,
    /// Its findings and distances.
    differing: Option<&'a Compared>,
}

impl Page for FoldersPage<'_> {
    const STYLE: Safe<&'static str> = STYLE;
}

/// Renders the page.
pub(super) fn write(comparison: &Comparison, images: &PageImages) -> String {
    match comparison.models.as_slice() {
        [Pair::Compared(compared)] if comparison.folders.is_none() => of_models(compared, images),
        _ => of_folders(comparison),
    }
}

fn of_models(compared: &Compared, images: &PageImages) -> String {
    let report = &compared.report;
    let (class, verdict) = verdict(compared);
    let page = ModelsPage {
        report,
        images,
        paths: compared.paths.each_ref().map(|path| printable(path)),
        names: titles(compared),
        class,
        verdict,
        frames: frames(report, images),
    };
    page.html()
}

fn of_folders(comparison: &Comparison) -> String {
    let paths = comparison.folders.clone().unwrap_or_default();
    let models = comparison.models.iter();
    let page = FoldersPage {
        paths: paths.map(|path| printable(&path)),
        counts: counts(comparison),
        models: models.map(|pair| model(comparison, pair)).collect(),
    };
    page.html()
}

/// The class and the words.
fn verdict(compared: &Compared) -> (&'static str, &'static str) {
    if compared.report.is_same() {
        ("same", "the same")
    } else {
        ("different", "different")
    }
}

/// The names of the files, or their paths if the names are equal.
fn titles(compared: &Compared) -> [String; 2] {
    let paths = compared.paths.each_ref().map(|path| printable(path));
    let name = |path: &String| path.rfind(['/', '\\']).map_or(0, |slash| slash + 1);
    let names = paths.each_ref().map(|path| path[name(path)..].to_owned());
    if names[0] == names[1] { paths } else { names }
}

impl ModelsPage<'_> {
    fn legend(&self) -> Safe<String> {
        let first = self.images.takes.first();
        let limit = first.map_or(0.0, |own| self.report.takes[own.take].limit);
        let unit = Unit::of(self.report.metres_per_unit);
        plots::legend(self.images.hottest, limit, unit, &heat_colors())
    }

    /// The plots of the error over time and by joint, for each take with images, or the first ones if none has.
    fn plots(&self) -> Vec<(usize, Vec<Safe<String>>)> {
        let unit = Unit::of(self.report.metres_per_unit);
        let takes: Vec<usize> = if self.images.takes.is_empty() {
            (0..self.report.takes.len()).take(MOST_PLOTTED).collect()
        } else {
            self.images.takes.iter().map(|own| own.take).collect()
        };
        let plots = takes.into_iter().map(|number| {
            let take = &self.report.takes[number];
            let plots = [plots::over_time(take, unit), plots::of_joints(take, unit)];
            (number, plots.into_iter().flatten().collect())
        });
        plots.collect()
    }

    fn takes_left_out(&self) -> usize {
        self.report.takes.len() - self.images.takes.len()
    }
}

/// What was thinned in either model.
fn notes(moving: &[Packed; 2]) -> String {
    let mut notes: Vec<&str> = moving
        .iter()
        .flat_map(|own| own.notes.iter().map(String::as_str))
        .collect();
    notes.dedup();
    notes.join("; ")
}

fn heat_colors() -> Vec<String> {
    let tables = srgb::tables();
    let color = |stop: u8| {
        let light = colors::scale_color(f32::from(stop) / f32::from(STOPS));
        hex(light.to_array().map(|channel| tables.encode(channel)))
    };
    (0..=STOPS).map(color).collect()
}

/// The script's data.
fn frames(report: &Report, images: &PageImages) -> Value {
    let takes = images.takes.iter().map(|own| {
        let take = &report.takes[own.take];
        let frames = own.frames.iter().map(|frame| {
            let [before, after] = frame.models.each_ref().map(|png| base64(png));
            json!({
                "time": frame.time,
                "label": match take.clips {
                    Some(_) => seconds(Seconds(frame.time)),
                    None => "at rest".to_owned(),
                },
                "pictures": [before, after, base64(&frame.heat)],
            })
        });
        json!({
            "take": own.take,
            "worst": worst(take, own),
            "left_out": left_out(take, own),
            "frames": frames.collect::<Vec<Value>>(),
        })
    });
    takes.collect()
}

/// The image nearest to the time of the take's largest difference.
fn worst(take: &Take, own: &TakeImages) -> usize {
    let worst = take.surface.worst.as_ref();
    let time = worst.map_or(0.0, |worst| worst.time.get());
    let frames = own.frames.iter().enumerate();
    let nearest = frames.min_by(|a, b| {
        let apart = |time_of: f64| (time_of - time).abs();
        apart(a.1.time).total_cmp(&apart(b.1.time))
    });
    nearest.map_or(0, |(index, _)| index)
}

fn left_out(take: &Take, own: &TakeImages) -> String {
    if own.frames.len() == take.over_time.len() {
        return String::new();
    }
    format!(
        "Pictures of {} of {} compared times; plots have all.",
        own.frames.len(),
        take.over_time.len()
    )
}

/// The findings, by the title of their table.
fn by_level(report: &Report) -> Vec<(&'static str, Vec<&Finding>)> {
    let tables = [("Differences", Level::Error), ("Remarks", Level::Info)].map(|(title, level)| {
        let findings = report
            .findings
            .iter()
            .filter(|finding| finding.level == level);
        (title, findings.collect::<Vec<_>>())
    });
    let filled = tables.into_iter().filter(|(_, rows)| !rows.is_empty());
    filled.collect()
}

fn stage(finding: &Finding) -> &'static str {
    Kind::of(finding).map_or("", |kind| kind.stage().name())
}

/// The class and the words.
fn verdict_of(take: &Take) -> (&'static str, &'static str) {
    match take {
        Take {
            timing_only: true, ..
        } => ("different", "timing only"),
        Take {
            ignored_only: true, ..
        } => ("same", "same, apart from what is ignored"),
        Take { differs: true, .. } => ("different", "different"),
        _ => ("same", "same"),
    }
}

/// The measurements of the surface.
fn numbers(report: &Report, take: &Take) -> [String; 5] {
    let surface = &take.surface;
    [
        length(report, surface.max),
        format!("{:.3}", 100.0 * surface.max / report.diagonal),
        format!("{:.2}", surface.pixels),
        length(report, surface.p99),
        length(report, surface.rms),
    ]
}

fn worst_vertex(take: &Take) -> String {
    let worst = take
        .surface
        .worst
        .as_ref()
        .filter(|_| take.surface.max > 0.0);
    worst.map_or_else(String::new, |worst| {
        let mesh = printable(&worst.mesh);
        let after = worst.index_after();
        format!("{}{after} of {mesh}, {}", worst.vertex, seconds(worst.time))
    })
}

fn worst_joint(take: &Take) -> Option<&WorstJoint> {
    take.joint.as_ref().filter(|worst| worst.displacement > 0.0)
}

fn name(take: &Take) -> String {
    match &take.clips {
        None => "rest pose".to_owned(),
        Some([before, after]) if before == after => printable(before),
        Some([before, after]) => format!("{} as {}", printable(before), printable(after)),
    }
}

fn model<'a>(folders: &'a Comparison, pair: &'a Pair) -> Model<'a> {
    match pair {
        Pair::Compared(compared) => {
            let report = &compared.report;
            let (class, verdict) = verdict(compared);
            let largest = report
                .takes
                .iter()
                .map(|take| take.surface.max)
                .fold(0.0, f64::max)
                / report.diagonal;
            let first = report.differences().next();
            Model {
                paths: &compared.paths,
                class,
                verdict,
                largest: format!("{:.3}", 100.0 * largest),
                finding: first.map_or_else(String::new, sentence),
                differing: (!report.is_same()).then_some(compared),
            }
        }
        Pair::Alone { path, kind } => {
            let finding = folders.alone(*kind).message;
            not_compared(std::slice::from_ref(path), kind.name(), finding)
        }
        Pair::Failed { paths, reason } => not_compared(paths, "not comparable", reason.clone()),
    }
}

fn not_compared<'a>(paths: &'a [String], verdict: &'static str, finding: String) -> Model<'a> {
    Model {
        paths,
        class: "different",
        verdict,
        largest: String::new(),
        finding,
        differing: None,
    }
}
