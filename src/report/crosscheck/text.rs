//! The text format: one line per clip, and more only where the paths disagree.

use std::fmt::Write as _;

use super::{Checked, Setting, findings};
use crate::compare::{PixelReport, VertexReport};
use crate::crosscheck::{PoseReport, TakeReport};
use crate::pose::Take;
use crate::report::format::{BAD, FAINT, GOOD};
use crate::report::words::thousands;
use crate::rig::Asset;
use crate::shown::{escaped, printable};
use crate::units::counted;

/// The width of the clip column; longer names exceed it.
const WIDEST_NAME: usize = 40;

/// The paths that are compared.
#[must_use]
pub fn heading(setting: &Setting) -> String {
    let [first, of_first] = &setting.first;
    let [second, of_second] = &setting.second;
    format!("{FAINT}{first} ({of_first}) against {second} ({of_second}){FAINT:#}\n")
}

/// The summary of all models.
#[must_use]
pub fn summary(checked: &[Checked]) -> String {
    let compared: Vec<&Checked> = checked.iter().filter(|checked| has_mesh(checked)).collect();
    let takes = compared.iter().flat_map(|checked| &checked.report.takes);
    let all: Vec<&PoseReport> = takes.flat_map(|take| &take.poses).collect();
    let wrong = all.iter().filter(|pose| !pose.agrees()).count();
    let (poses, models) = (plural(all.len(), "pose"), plural(compared.len(), "model"));
    let mut text = match (all.len(), wrong) {
        (0, _) => String::new(),
        (_, 0) => format!("{GOOD}both paths agree{GOOD:#} in {poses} of {models}\n"),
        _ => format!("{BAD}the paths disagree{BAD:#} in {wrong} of {poses}, {models}\n"),
    };
    let without = checked.len() - compared.len();
    if without > 0 {
        let _ = writeln!(text, "nothing to compare in {}", plural(without, "model"));
    }
    text
}

/// The lines of one model.
#[must_use]
pub fn of_model(checked: &Checked) -> String {
    let mut text = format!("{}\n", printable(&checked.model));
    let names: Vec<String> = checked
        .takes
        .iter()
        .map(|take| {
            let poses = plural(take.len(), "pose");
            format!("{} ({poses})", name_of(take, &checked.asset))
        })
        .collect();
    let widths = names.iter().map(|name| name.chars().count());
    let width = widths.max().unwrap_or_default().min(WIDEST_NAME);
    let takes = checked.takes.iter().zip(&checked.report.takes);
    for (name, (take, report)) in names.iter().zip(takes) {
        let verdict = verdict(report);
        let _ = writeln!(text, "  {verdict}  {name:width$}  {}", numbers(report));
        for finding in findings(take, report, &checked.asset) {
            let (code, message) = (finding.code, printable(&finding.message));
            let _ = writeln!(text, "    {BAD}{code}{BAD:#}: {message}");
        }
    }
    for image in &checked.images {
        let kinds = "expected.png, -actual.png, -difference.png";
        let _ = writeln!(text, "    {FAINT}see {image}-{kinds}{FAINT:#}");
    }
    text
}

/// `clip "Walk"` or `rest pose`.
#[must_use]
pub fn name_of(take: &Take, asset: &Asset) -> String {
    match take {
        Take::Pose(name, _) => name.in_words(),
        Take::Clip(clip, _) => {
            let name = escaped(&asset[*clip].name);
            format!("clip \"{name}\"")
        }
    }
}

fn has_mesh(checked: &Checked) -> bool {
    checked.report.takes.iter().any(|take| vertices(take) > 0)
}

fn verdict(report: &TakeReport) -> String {
    if !report.agrees() {
        format!("{BAD}DISAGREE{BAD:#}")
    } else if vertices(report) == 0 {
        format!("{FAINT}no mesh {FAINT:#}")
    } else {
        format!("{GOOD}agree   {GOOD:#}")
    }
}

fn vertices(report: &TakeReport) -> usize {
    let poses = report.poses.iter();
    let counts = poses.map(|pose| pose.vertices.positions.vertices);
    counts.max().unwrap_or_default()
}

/// The summary of a take.
fn numbers(report: &TakeReport) -> String {
    let poses = || report.poses.iter();
    let count = vertices(report);
    if count == 0 {
        return "nothing to compare".to_owned();
    }
    let farthest = poses().map(|m| m.vertices.relative()).fold(0.0, f64::max);
    let used = poses().map(|m| used(&m.vertices)).fold(0.0, f64::max);
    let apart = if farthest == 0.0 {
        "identical".to_owned()
    } else {
        let used = times(used);
        format!("{farthest:.1e} of the diagonal apart, {used} what rounding explains")
    };
    let mut text = format!("{}: {apart}", plural(count, "vertex"));
    let pixels: Vec<&PixelReport> = poses().filter_map(|m| m.pixels.as_ref()).collect();
    if !pixels.is_empty() {
        let _ = write!(text, "; {}", of_all_pixels(&pixels));
    }
    text
}

fn of_all_pixels(pixels: &[&PixelReport]) -> String {
    let sum = |of: fn(&PixelReport) -> usize| pixels.iter().map(|p| of(p)).sum::<usize>();
    let wrong = match sum(|pixels| pixels.wrong) {
        0 => "none differs".to_owned(),
        wrong => {
            let allowed = thousands(sum(|pixels| pixels.allowed));
            format!("{} differ, {allowed} may", thousands(wrong))
        }
    };
    format!(
        "{}: {wrong}",
        plural(sum(|pixels| pixels.drawn), "drawn pixel")
    )
}

/// The largest fraction of any bound.
fn used(report: &VertexReport) -> f64 {
    let of = report.attributes().map(|(_, attribute)| attribute.used);
    of.into_iter().fold(0.0, f64::max)
}

/// `7.5 % of`, or `5.0e5 times`.
fn times(part: f64) -> String {
    if part.is_infinite() {
        return "infinitely many times".to_owned();
    }
    if part > 10.0 {
        return format!("{part:.1e} times");
    }
    format!("{:.1} % of", 100.0 * part)
}

fn plural(count: usize, word: &str) -> String {
    format!("{} {}", thousands(count), counted(word, count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::crosscheck::testing::checked;

    /// Without what makes colours.
    fn plain(text: &str) -> String {
        let (start, rest) = text.split_once('\u{1b}').unwrap_or((text, ""));
        let after = rest.split_once('m').map(|(_, after)| plain(after));
        start.to_owned() + &after.unwrap_or_default()
    }

    #[test]
    fn a_disagreement_is_reported_with_all_that_one_needs_to_find_it() {
        let expected = r#"hero.glb
  DISAGREE  pose bent (1 pose)  2 vertices: 2.5e-1 of the diagonal apart, 5.0e5 times what rounding explains; 4,040 drawn pixels: 9 differ, 7 may
    wrong-vertices: mesh "Body" vertex 1, pose bent: positions: gl is wrong in 1 vertex; cpu [1, 0, 0], gl [1.5, 0, 0], exact [1, 0, 0] within 1.0e-6
    wrong-pixels: mesh "Body", pose bent: the images differ in 9 pixels, 7 allowed
    see out/hero-0-bent-0.350s-expected.png, -actual.png, -difference.png
"#;
        assert_eq!(plain(&of_model(&checked())), expected);
        let summary = plain(&summary(&[checked()]));
        assert_eq!(summary, "the paths disagree in 1 of 1 pose, 1 model\n");
    }

    #[test]
    fn a_model_without_a_mesh_proves_no_agreement() {
        let mut bare = checked();
        bare.report.takes[0].poses[0].vertices = VertexReport::default();
        bare.report.takes[0].poses[0].pixels = None;
        let reported = |checked: &[Checked]| plain(&summary(checked));
        assert_eq!(reported(&[]), "");
        let nothing = "nothing to compare in 1 model\n";
        assert_eq!(reported(std::slice::from_ref(&bare)), nothing);
        let disagree = "the paths disagree in 1 of 1 pose, 1 model\n";
        assert_eq!(reported(&[bare, checked()]), format!("{disagree}{nothing}"));
    }

    #[test]
    fn large_numbers_are_grouped() {
        let plurals = [1, 2, 1_234_567].map(|count| plural(count, "vertex"));
        assert_eq!(plurals, ["1 vertex", "2 vertices", "1,234,567 vertices"]);
    }
}
