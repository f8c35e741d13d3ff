//! The report as one self-contained page for a browser, with images and plots.

mod images;
mod plot;

use askama::Template;
use askama::filters::Safe;

use super::super::escape::base64;
use super::super::shell::Page;
use super::super::words::{clips, sentence, significant};
use super::{Compared, Comparison, Pair};
use super::{counts, matched, not_compared};
use crate::diff::{Difference, JointError, Report, Take, Verdict};
use crate::finding::Level;
use crate::shown::printable;
use crate::units::{seconds, time_with_frame};
use crate::viewer::Packed;
use images::TakeImages;

pub use images::{ImageError, PageImages};

const STYLE: Safe<&str> = Safe(include_str!("html/page.css"));

/// The most joints in a table.
const MOST_JOINTS: usize = 8;

/// The page about two models.
#[derive(Template)]
#[template(path = "diff/html/page.html")]
struct ModelsPage<'a> {
    report: &'a Report,
    images: &'a PageImages,
    names: [String; 2],
    class: &'static str,
    verdict: &'static str,
    /// Of the images of a take.
    captions: [String; 3],
}

impl Page for ModelsPage<'_> {
    const STYLE: Safe<&'static str> = STYLE;
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
    const HAS_SCRIPT: bool = false;
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
    let [before, after] = compared.names().map(|name| printable(&name));
    let page = ModelsPage {
        report,
        images,
        names: titles(compared),
        class,
        verdict,
        captions: [
            format!("Before: {before}"),
            format!("After: {after}"),
            "Distance of each vertex".to_owned(),
        ],
    };
    page.html()
}

fn of_folders(comparison: &Comparison) -> String {
    let models = comparison.models.iter();
    let paths = match (&comparison.folders, comparison.models.as_slice()) {
        (Some(folders), _) => folders.clone(),
        (None, [Pair::Alone { path, .. }]) => [path.clone(), path.clone()],
        _ => Default::default(),
    };
    let page = FoldersPage {
        paths: paths.map(|path| printable(&path)),
        counts: counts(comparison),
        models: models.map(model).collect(),
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
    let paths = compared.names().map(|name| printable(&name));
    let name = |path: &String| path.rfind(['/', '\\']).map_or(0, |slash| slash + 1);
    let names = paths.each_ref().map(|path| path[name(path)..].to_owned());
    if names[0] == names[1] { paths } else { names }
}

impl ModelsPage<'_> {
    /// The images of a take in base64, with their captions.
    fn pictures(&self, take: &TakeImages) -> Vec<(String, &str)> {
        let images = take.images.iter().map(|png| base64(png));
        images
            .zip(self.captions.iter().map(String::as_str))
            .collect()
    }

    fn plot(&self, take: &Take) -> Option<Safe<String>> {
        plot::over_time(take, self.report.lengths)
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

/// When the images of a take are.
fn worst_time(take: &Take) -> String {
    match (&take.clips, take.over_time.get(take.worst_sample())) {
        (Some(_), Some(worst)) if take.surface.max > 0.0 => {
            format!("At {}, where it differs most.", seconds(worst.time.0))
        }
        (Some(_), Some(worst)) => {
            let time = seconds(worst.time.0);
            format!("At {time}. All vertices that correspond are where they were.")
        }
        _ => "At rest.".to_owned(),
    }
}

/// The joints with the largest errors of their own: the name, that error, and the error with what the joint inherits; and how many
/// more have an error.
fn worst_joints(report: &Report, take: &Take) -> (Vec<[String; 3]>, usize) {
    let off = take.joints.iter().filter(|joint| joint.total > 0.0);
    let mut joints: Vec<_> = off.collect();
    joints.sort_by(|a, b| b.own.total_cmp(&a.own));
    let row = |joint: &&JointError| {
        let own = joint.own.min(joint.total);
        [
            printable(&joint.joint),
            report.lengths.plain(own),
            report.lengths.plain(joint.total),
        ]
    };
    let rows = joints.iter().take(MOST_JOINTS).map(row).collect();
    (rows, joints.len().saturating_sub(MOST_JOINTS))
}

/// The findings, by the title of their table.
fn by_level(report: &Report) -> Vec<(&'static str, Vec<&Difference>)> {
    let tables = [("Differences", Level::Error), ("Remarks", Level::Info)].map(|(title, level)| {
        let findings = report
            .findings
            .iter()
            .filter(|own| own.finding.level == level);
        (title, findings.collect::<Vec<_>>())
    });
    let filled = tables.into_iter().filter(|(_, rows)| !rows.is_empty());
    filled.collect()
}

/// The class and the words.
fn verdict_of(take: &Take) -> (&'static str, &'static str) {
    match take.verdict {
        Verdict::Same => ("same", "same"),
        Verdict::Ignored => ("same", "same, apart from what is ignored"),
        Verdict::Timing => ("different", "timing only"),
        Verdict::Different => ("different", "different"),
    }
}

/// The measurements of the surface.
fn numbers(report: &Report, take: &Take) -> [String; 2] {
    let surface = &take.surface;
    [
        report.lengths.plain(surface.max),
        significant(100.0 * surface.max / report.diagonal),
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
        format!(
            "{}{after} of {mesh}, {}",
            worst.vertex,
            time_with_frame(worst.time.0, worst.frame)
        )
    })
}

fn worst_joint(take: &Take) -> Option<&JointError> {
    take.joint.as_ref().filter(|worst| worst.total > 0.0)
}

fn name(take: &Take) -> String {
    match &take.clips {
        None => "rest pose".to_owned(),
        Some([before, after]) if before == after => printable(before),
        Some([before, after]) => format!("{} as {}", printable(before), printable(after)),
    }
}

fn model(pair: &Pair) -> Model<'_> {
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
                largest: significant(100.0 * largest),
                finding: first.map_or_else(String::new, |first| sentence(&first.finding)),
                differing: (!report.is_same()).then_some(compared),
            }
        }
        Pair::Alone {
            path,
            kind,
            message,
        } => alone(std::slice::from_ref(path), kind.name(), message.clone()),
        Pair::Failed { paths, reason } => alone(paths, "not comparable", reason.clone()),
    }
}

fn alone<'a>(paths: &'a [String], verdict: &'static str, finding: String) -> Model<'a> {
    Model {
        paths,
        class: "different",
        verdict,
        largest: String::new(),
        finding,
        differing: None,
    }
}
