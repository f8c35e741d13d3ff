//! The text format: one line per clip, and more only where the paths disagree, with the location of the worst vertex.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::{Checked, Setting};
use crate::compare::pixels::TOLERANCE;
use crate::compare::{AttributeReport, Culprit, PixelReport, VertexReport, WorstVertex};
use crate::crosscheck::{PoseReport, TakeReport};
use crate::pose::Take;
use crate::report::words::seconds as rounded;
use crate::rig::{Asset, InstanceId};
use crate::shown::{escaped, printable};
use crate::units::counted;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// The width of the clip column; longer names exceed it.
const WIDEST_NAME: usize = 40;

/// The paths that are compared.
#[must_use]
pub fn heading(setting: &Setting) -> String {
    let [first, of_first] = &setting.first;
    let [second, of_second] = &setting.second;
    format!("{DIM}{first} ({of_first}) against {second} ({of_second}){DIM:#}\n")
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
    for (name, report) in names.iter().zip(&checked.report.takes) {
        let verdict = verdict(report);
        let _ = writeln!(text, "  {verdict}  {name:width$}  {}", numbers(report));
        for pose in report.poses.iter().filter(|pose| !pose.agrees()) {
            details(&mut text, pose, &checked.asset);
        }
    }
    for image in &checked.images {
        let kinds = "expected.png, -actual.png, -difference.png";
        let _ = writeln!(text, "    {DIM}see {image}-{kinds}{DIM:#}");
    }
    text
}

/// `clip "Walk"` or `rest pose`.
#[must_use]
pub fn name_of(take: &Take, asset: &Asset) -> String {
    match take {
        Take::Pose(name, _) => format!("{} pose", printable(&name.to_string())),
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
        format!("{DIM}no mesh {DIM:#}")
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
    let farthest = poses()
        .map(|m| m.vertices.relative().max)
        .fold(0.0, f64::max);
    let used = poses().map(|m| used(&m.vertices)).fold(0.0, f64::max);
    let apart = if farthest == 0.0 {
        "identical".to_owned()
    } else {
        format!("{farthest:.1e} of the diagonal apart")
    };
    let (count, used) = (plural(count, "vertex"), percent(used));
    let mut text = format!("{count}: within {used} of the bound, {apart}");
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
        wrong => format!("{} differ", thousands(wrong)),
    };
    let largest = pixels.iter().map(|pixels| pixels.largest).max();
    format!(
        "{}: {wrong} by more than {TOLERANCE}/255 (at most {}/255) besides {} open ones",
        plural(sum(|pixels| pixels.drawn), "drawn pixel"),
        largest.unwrap_or_default(),
        thousands(sum(|pixels| pixels.open_differing)),
    )
}

/// The largest fraction of any bound.
fn used(report: &VertexReport) -> f64 {
    let of = report.attributes().map(|(_, attribute)| attribute.used);
    of.into_iter().fold(0.0, f64::max)
}

fn details(text: &mut String, pose: &PoseReport, asset: &Asset) {
    let at = pose
        .time
        .map_or_else(String::new, |time| format!("at {}: ", rounded(time)));
    for (name, attribute) in pose.vertices.attributes() {
        if let Some(own) = attribute.culprit() {
            let _ = writeln!(
                text,
                "    {at}{}",
                of_attribute(name, attribute, culprit(own))
            );
            if let Some(worst) = &attribute.worst {
                let _ = writeln!(text, "      worst: {}", of_vertex(worst, asset));
            }
        }
    }
    if let Some(pixels) = pose.pixels.as_ref().filter(|pixels| !pixels.agrees()) {
        let _ = writeln!(text, "    {at}{}", of_pixels(pixels, asset));
    }
}

fn of_attribute(name: &str, attribute: &AttributeReport, culprit: &str) -> String {
    let (wrong, spread) = (attribute.wrong, attribute.distance);
    let who = match culprit {
        "both" => "both are".to_owned(),
        one => format!("{one} is"),
    };
    format!(
        "{BAD}{who} wrong{BAD:#} by the f64 reference: {} of {} {name} in cpu, {} in gl; apart by {:.2e} at most (99 % \
         by {:.2e}, mean {:.2e})",
        thousands(wrong.first),
        thousands(attribute.vertices),
        thousands(wrong.second),
        spread.max,
        spread.p99,
        spread.mean,
    )
}

fn of_vertex(worst: &crate::compare::WorstVertex, asset: &Asset) -> String {
    let weights = joint_weights(asset, worst);
    let joints: Vec<String> = weights
        .iter()
        .map(|(joint, weight)| format!("{} {weight}", escaped(joint)))
        .collect();
    let joints = if joints.is_empty() {
        String::new()
    } else {
        format!(" ({})", joints.join(", "))
    };
    format!(
        "vertex {} of {}{joints}: cpu {}, gl {}, exact {} within {:.1e}",
        worst.vertex,
        mesh(asset, worst.instance),
        worst.first,
        worst.second,
        worst.exact.as_vec3(),
        worst.bound,
    )
}

fn of_pixels(pixels: &PixelReport, asset: &Asset) -> String {
    let mut text = format!(
        "{BAD}{} wrong{BAD:#} of {} drawn ones, {} allowed",
        plural(pixels.wrong, "pixel"),
        thousands(pixels.drawn),
        thousands(pixels.allowed),
    );
    if let Some(worst) = pixels.worst {
        let what = match worst.instance {
            Some(instance) => format!(" of {}", mesh(asset, instance)),
            None => String::new(),
        };
        let _ = write!(
            text,
            "\n      worst: ({}, {}){what}: cpu {}, gl {}",
            worst.x,
            worst.y,
            color(worst.first),
            color(worst.second),
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
    format!("{} {}", thousands(count), counted(word, count))
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

/// The joints that influence a vertex, with their weights as stored in the file.
fn joint_weights<'a>(asset: &'a Asset, worst: &WorstVertex) -> Vec<(&'a str, f32)> {
    let Some(instance) = asset.instances.get(worst.instance.index()) else {
        return Vec::new();
    };
    let Some(skin) = asset.skin_of(instance) else {
        return Vec::new();
    };
    let influences = asset.mesh_of(instance).influences.of(worst.vertex).iter();
    let named = influences.filter_map(|influence| {
        let joint = skin.joints.get(influence.slot.index())?;
        let joint = asset.skeleton.get(*joint)?;
        Some((joint.name.as_str(), influence.weight))
    });
    named.collect()
}

/// The names of an instance's mesh and node.
pub(super) fn names(asset: &Asset, instance: InstanceId) -> [&str; 2] {
    let Some(instance) = asset.instances.get(instance.index()) else {
        return [""; 2];
    };
    let node = asset
        .skeleton
        .get(instance.node)
        .map_or("", |joint| joint.name.as_str());
    [&asset.mesh_of(instance).name, node]
}

/// A mesh by its name, or by its node's name.
pub(super) fn mesh(asset: &Asset, instance: InstanceId) -> String {
    let [mesh, node] = names(asset, instance);
    match (mesh, node) {
        ("", "") => format!("mesh {}", instance.index()),
        ("", node) => format!("mesh of node \"{}\"", escaped(node)),
        (mesh, _) => format!("mesh \"{}\"", escaped(mesh)),
    }
}

/// The name of the attribute that is wrong.
pub(super) fn culprit(culprit: Culprit) -> &'static str {
    match culprit {
        Culprit::First => "cpu",
        Culprit::Second => "gl",
        Culprit::Both => "both",
    }
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
  DISAGREE  bent pose (1 pose)  2 vertices: within 5.0e5 times of the bound, 2.5e-1 of the diagonal apart; 4,040 drawn pixels: 9 differ by more than 2/255 (at most 90/255) besides 3 open ones
    at 0.35 s: gl is wrong by the f64 reference: 0 of 2 positions in cpu, 1 in gl; apart by 5.00e-1 at most (99 % by 5.00e-1, mean 2.50e-1)
      worst: vertex 1 of mesh "Body" (Hips 0.25, Arm 0.75): cpu [1, 0, 0], gl [1.5, 0, 0], exact [1, 0, 0] within 1.0e-6
    at 0.35 s: 9 pixels wrong of 4,040 drawn ones, 7 allowed
      worst: (12, 34) of mesh "Body": cpu #808080, gl #402010
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
        let texts = [0, 12, 999, 1000, 1_234_567].map(thousands);
        assert_eq!(texts, ["0", "12", "999", "1,000", "1,234,567"]);
        let plurals = [plural(1, "vertex"), plural(2, "vertex")];
        assert_eq!(plurals, ["1 vertex", "2 vertices"]);
    }
}
