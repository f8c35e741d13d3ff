//! For people: a line for each clip, and more only where paths disagree.

use std::fmt::Write as _;
use std::io::Write as _;

use anstyle::{AnsiColor, Style};
use anyhow::Context;
use skincheck::compare::{AttributeReport, PixelReport, VertexReport};
use skincheck::crosscheck::{MomentReport, Take, TakeReport};
use skincheck::rig::Asset;

use super::place;
use super::run::{Checked, Paths};
use crate::cli::posing::rounded;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// Writes to standard output, in colour on a terminal.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.context("cannot write to standard output")
}

/// What is compared with what.
pub(super) fn heading(paths: &Paths) -> String {
    let [first, of_first] = &paths.first;
    let [second, of_second] = &paths.second;
    format!("{DIM}{first} ({of_first}) against {second} ({of_second}){DIM:#}\n")
}

/// How it ended, over all models.
pub(super) fn summary(checked: &[Checked]) -> String {
    let takes = || checked.iter().flat_map(|checked| &checked.report.takes);
    let poses: usize = takes().map(|take| take.moments.len()).sum();
    let wrong = takes()
        .flat_map(|take| &take.moments)
        .filter(|moment| !moment.agrees());
    let (models, wrong) = (checked.len(), wrong.count());
    let counted = format!("{} in {}", plural(poses, "pose"), plural(models, "model"));
    match wrong {
        0 => format!("{GOOD}both paths agree{GOOD:#}: {counted}\n"),
        _ => format!("{BAD}the paths disagree{BAD:#} in {wrong} of {counted}\n"),
    }
}

/// The lines of one model.
pub(super) fn of_model(checked: &Checked) -> String {
    let mut text = format!("{}\n", checked.model);
    let takes = checked.takes.iter().zip(&checked.report.takes);
    for (take, report) in takes {
        let name = name_of(take, &checked.asset);
        of_take(&mut text, &name, report, &checked.asset);
    }
    for picture in &checked.pictures {
        let _ = writeln!(
            text,
            "    {DIM}see {picture}-expected.png, -actual.png, -difference.png{DIM:#}"
        );
    }
    text
}

/// For people: `clip "Walk"` or `rest pose`.
pub(super) fn name_of(take: &Take, asset: &Asset) -> String {
    match take {
        Take::Pose(name, _) if name.ends_with("pose") => name.clone(),
        Take::Pose(name, _) => format!("{name} pose"),
        Take::Clip(clip, _) => {
            let name = asset.clips[clip.index()].name.escape_debug();
            format!("clip \"{name}\"")
        }
    }
}

fn of_take(text: &mut String, name: &str, report: &TakeReport, asset: &Asset) {
    let verdict = if report.agrees() {
        format!("{GOOD}agree{GOOD:#}   ")
    } else {
        format!("{BAD}DISAGREE{BAD:#}")
    };
    let poses = plural(report.moments.len(), "pose");
    let _ = writeln!(text, "  {verdict}  {name}, {poses}: {}", numbers(report));
    for moment in report.moments.iter().filter(|moment| !moment.agrees()) {
        details(text, moment, asset);
    }
}

/// What the whole take comes down to.
fn numbers(report: &TakeReport) -> String {
    let moments = || report.moments.iter();
    let count = moments()
        .map(|m| m.vertices.positions.vertices)
        .max()
        .unwrap_or_default();
    if count == 0 {
        return "there is no mesh to compare".to_owned();
    }
    let farthest = moments()
        .map(|m| m.vertices.relative().max)
        .fold(0.0, f64::max);
    let used = moments().map(|m| used(&m.vertices)).fold(0.0, f64::max);
    let mut text = format!(
        "{} apart by {farthest:.1e} of the size at most ({} of the bound)",
        plural(count, "vertex"),
        percent(used)
    );
    let pixels = || moments().filter_map(|moment| moment.pixels.as_ref());
    let open = pixels().map(PixelReport::open_share).fold(0.0, f64::max);
    if pixels().next().is_some() {
        let wrong: usize = pixels().map(|pixels| pixels.wrong).sum();
        let sure: usize = pixels().map(|p| p.counts.whole + p.counts.mixed).sum();
        let differing: usize = pixels().map(|pixels| pixels.open_differing).sum();
        let all: usize = pixels().map(|pixels| pixels.counts.open).sum();
        let largest = pixels()
            .map(|pixels| pixels.largest)
            .max()
            .unwrap_or_default();
        let _ = write!(
            text,
            "; {wrong} of {} wrong (apart by {largest} of 255 at most), {} open ({} at most), of which {} differ",
            plural(sure, "sure pixel"),
            thousands(all),
            percent(open),
            thousands(differing),
        );
    }
    text
}

/// The largest part of any bound.
fn used(report: &VertexReport) -> f64 {
    let of = report.attributes().map(|(_, attribute)| attribute.used);
    of.into_iter().fold(0.0, f64::max)
}

fn details(text: &mut String, moment: &MomentReport, asset: &Asset) {
    let at = moment
        .time
        .map_or_else(String::new, |time| format!("at {}: ", rounded(time)));
    for (name, attribute) in moment.vertices.attributes() {
        if let Some(culprit) = attribute.culprit() {
            let _ = writeln!(
                text,
                "    {at}{}",
                of_attribute(name, attribute, place::culprit(culprit))
            );
            if let Some(worst) = &attribute.worst {
                let _ = writeln!(text, "      worst: {}", of_vertex(worst, asset));
            }
        }
    }
    if let Some(pixels) = moment.pixels.as_ref().filter(|pixels| !pixels.agrees()) {
        let _ = writeln!(text, "    {at}{}", of_pixels(pixels, asset));
    }
}

fn of_attribute(name: &str, attribute: &AttributeReport, culprit: &str) -> String {
    let wrong = attribute.wrong;
    let spread = attribute.distance;
    format!(
        "{BAD}{} wrong{BAD:#} by the f64 reference, in {} ({} in cpu, {} in gl) of {}; the paths are apart by max {:.3e}, p99 {:.3e}, mean {:.3e}",
        match culprit {
            "both" => "both paths are".to_owned(),
            one => format!("{one} is"),
        },
        name,
        wrong.first,
        wrong.second,
        thousands(attribute.vertices),
        spread.max,
        spread.p99,
        spread.mean,
    )
}

fn of_vertex(worst: &skincheck::compare::WorstVertex, asset: &Asset) -> String {
    let pulls = place::pulls(asset, worst);
    let joints: Vec<String> = pulls
        .iter()
        .map(|(joint, weight)| format!("{} {weight}", joint.escape_debug()))
        .collect();
    let joints = if joints.is_empty() {
        String::new()
    } else {
        format!(" ({})", joints.join(", "))
    };
    format!(
        "vertex {} of {}{joints}: cpu {}, gl {}, right is {} within {:.1e}",
        worst.vertex,
        place::mesh(asset, worst.instance),
        worst.first,
        worst.second,
        worst.exact.as_vec3(),
        worst.bound,
    )
}

fn of_pixels(pixels: &PixelReport, asset: &Asset) -> String {
    let counts = pixels.counts;
    let mut text = format!(
        "{BAD}{} wrong{BAD:#} of {} whole, {} mixed and {} empty ones; {} are open",
        plural(pixels.wrong, "pixel"),
        thousands(counts.whole),
        thousands(counts.mixed),
        thousands(counts.empty),
        thousands(counts.open),
    );
    if let Some(worst) = pixels.worst {
        let what = match worst.instance {
            Some(instance) => format!(" of {}", place::mesh(asset, instance)),
            None => String::new(),
        };
        let _ = write!(
            text,
            "\n      worst: ({}, {}){what}: cpu {}, gl {}, {} allowed",
            worst.x,
            worst.y,
            color(worst.first),
            color(worst.second),
            worst.allowed,
        );
    }
    text
}

fn color([r, g, b, a]: [u8; 4]) -> String {
    match a {
        255 => format!("#{r:02x}{g:02x}{b:02x}"),
        _ => format!("#{r:02x}{g:02x}{b:02x}{a:02x}"),
    }
}

fn percent(part: f64) -> String {
    if part.is_infinite() {
        return "infinitely many times".to_owned();
    }
    if part > 10.0 {
        return format!("{part:.1e} times");
    }
    format!("{:.1} %", 100.0 * part)
}

fn plural(count: usize, word: &str) -> String {
    let counted = thousands(count);
    match (count, word) {
        (1, _) => format!("1 {word}"),
        (_, "vertex") => format!("{counted} vertices"),
        _ => format!("{counted} {word}s"),
    }
}

/// `12,345`.
fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_grouped() {
        let texts = [0, 12, 999, 1000, 1_234_567].map(thousands);
        assert_eq!(texts, ["0", "12", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [plural(1, "vertex"), plural(2, "vertex")],
            ["1 vertex", "2 vertices"]
        );
    }
}
