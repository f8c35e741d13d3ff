//! Pairs the clips of two models.

use glam::{DMat4, DVec3};

use super::joints::{JointPairs, are_alike};
use super::report::{Finding, Kind};
use super::samples;
use super::side::{At, Side};

/// Two clips with different names count as the same if their joints stay this close, relative to the diagonal.
const SAME_MOTION: f64 = 1e-2;

/// The fractions of two clips at which their motion is compared.
const PHASES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Pairs the clips of two sides: by the `given` names, then by name, then by name without a prefix such as `Armature|`,
/// then by motion. If each side has only one clip left, they correspond.
pub(super) fn match_up(
    sides: [&Side<'_>; 2],
    joints: &JointPairs,
    given: &[(String, String)],
    diagonal: f64,
) -> (Vec<[usize; 2]>, Vec<Finding>) {
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    let is_given = |a: &str, b: &str| given.iter().any(|(from, to)| from == a && to == b);
    let same = |a: &str, b: &str| a == b && !given.iter().any(|(from, to)| from == a || to == b);
    let alike = |a: &str, b: &str| a.contains(char::is_alphanumeric) && are_alike(a, b);
    for names_match in [&is_given as &dyn Fn(&str, &str) -> bool, &same, &alike] {
        pair_if(sides, &mut pairs, |a, b| {
            names_match(&sides[0].clips[a].name, &sides[1].clips[b].name)
        });
    }
    pair_if(sides, &mut pairs, |a, b| {
        move_alike(sides, joints, [a, b], diagonal)
    });
    if pairs.is_empty() && sides[0].clips.len() == 1 && sides[1].clips.len() == 1 {
        pairs.push([0, 0]);
    }
    pairs.sort_unstable();
    let findings = report(sides, &pairs, is_given);
    (pairs, findings)
}

fn pair_if(
    sides: [&Side<'_>; 2],
    pairs: &mut Vec<[usize; 2]>,
    matches: impl Fn(usize, usize) -> bool,
) {
    for a in 0..sides[0].clips.len() {
        if pairs.iter().any(|pair| pair[0] == a) {
            continue;
        }
        let free = |b: &usize| pairs.iter().all(|pair| pair[1] != *b);
        let found = (0..sides[1].clips.len())
            .filter(free)
            .find(|b| matches(a, *b));
        pairs.extend(found.map(|b| [a, b]));
    }
}

/// The distance from a joint at which its motion is compared, relative to the diagonal.
const LEVER: f64 = 0.1;

/// Whether the joints of two clips start at the same positions and move alike, at the same fractions of the clips'
/// lengths. The joints' own axes may differ.
fn move_alike(
    sides: [&Side<'_>; 2],
    joints: &JointPairs,
    clips: [usize; 2],
    diagonal: f64,
) -> bool {
    let joints_at = |side: usize, phase: f64| -> Vec<DMat4> {
        let times = samples::at_phase(sides, clips, phase);
        let posed = sides[side].pose(At::Clip(clips[side], times[side]));
        let paired = joints.pairs.iter();
        paired.map(|pair| posed.joints[pair[side]]).collect()
    };
    let starts = [0, 1].map(|side| joints_at(side, 0.0));
    let is_alike = |phase: f64| {
        let now = [0, 1].map(|side| joints_at(side, phase));
        (0..joints.pairs.len()).all(|pair| {
            let [a, b] =
                [0, 1].map(|side| around(&starts[side][pair], &now[side][pair], LEVER * diagonal));
            let mut apart = a.iter().zip(&b).map(|(a, b)| a.distance(*b));
            apart.all(|distance| distance <= SAME_MOTION * diagonal)
        })
    };
    PHASES.into_iter().all(is_alike)
}

/// Three points at the distance `lever` from where a joint starts, carried along with it.
fn around(start: &DMat4, now: &DMat4, lever: f64) -> [DVec3; 3] {
    let moved = *now * start.inverse();
    let origin = start.w_axis.truncate();
    DVec3::AXES.map(|axis| {
        if moved.is_finite() {
            moved.transform_point3(origin + axis * lever)
        } else {
            now.w_axis.truncate()
        }
    })
}

fn report(
    sides: [&Side<'_>; 2],
    pairs: &[[usize; 2]],
    is_given: impl Fn(&str, &str) -> bool,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for [a, b] in pairs {
        let (before, after) = (&sides[0].clips[*a].name, &sides[1].clips[*b].name);
        if before == after || is_given(before, after) {
            continue;
        }
        let message = format!("clip \"{before}\" is named \"{after}\" after");
        let finding = Finding::new(Kind::ClipRenamed, message).clip(Some(before));
        // An exporter adds the armature's name as a prefix, and the importer numbers clips without a name.
        let is_unnamed = |name: &str| name.starts_with("animation_");
        let is_harmless = are_alike(before, after) || is_unnamed(before) || is_unnamed(after);
        findings.push(if is_harmless {
            finding.remark()
        } else {
            finding
        });
    }
    for (side, kind) in [(0, Kind::ClipMissing), (1, Kind::ClipAdded)] {
        for (index, clip) in sides[side].clips.iter().enumerate() {
            let is_paired = pairs.iter().any(|pair| pair[side] == index);
            if is_paired || clip.keys.is_empty() {
                continue;
            }
            let message = match side {
                0 => format!("clip \"{}\" has no counterpart after", clip.name),
                _ => format!("clip \"{}\" is only in the model after", clip.name),
            };
            let finding = Finding::new(kind, message).clip(Some(&clip.name));
            findings.push(if side == 0 { finding } else { finding.remark() });
        }
    }
    findings
}
