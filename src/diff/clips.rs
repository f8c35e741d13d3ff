//! Pairs the clips of two models.

use std::collections::{BTreeMap, VecDeque};

use glam::{DMat4, DVec3};

use super::joints::{JointPairs, are_alike, letters, plain};
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
    let mut matching = Matching {
        sides,
        counterparts: sides.map(|side| vec![None; side.clips.len()]),
    };
    let after_of = |name: &str| {
        let mut given = given.iter();
        given.find(|(from, _)| from == name).map(|(_, to)| to)
    };
    let is_target = |name: &str| given.iter().any(|(_, to)| to == name);
    matching.by_key(
        |before| after_of(before).cloned(),
        |after| is_target(after).then(|| after.to_owned()),
    );
    matching.by_key(
        |before| after_of(before).is_none().then(|| before.to_owned()),
        |after| (!is_target(after)).then(|| after.to_owned()),
    );
    for key in [letters, plain] {
        let known = |name: &str| Some(key(name)).filter(|key| !key.is_empty());
        matching.by_key(known, known);
    }
    matching.by_motion(joints, diagonal);
    let mut pairs = matching.pairs();
    if pairs.is_empty() && sides[0].clips.len() == 1 && sides[1].clips.len() == 1 {
        pairs.push([0, 0]);
    }
    let findings = report(sides, &pairs, |a, b| after_of(a).is_some_and(|to| to == b));
    (pairs, findings)
}

struct Matching<'a> {
    sides: [&'a Side<'a>; 2],
    /// For each clip of each side, its counterpart.
    counterparts: [Vec<Option<usize>>; 2],
}

impl Matching<'_> {
    /// Pairs the free clips whose names have the same key, in their order.
    fn by_key(
        &mut self,
        before: impl Fn(&str) -> Option<String>,
        after: impl Fn(&str) -> Option<String>,
    ) {
        let mut named: BTreeMap<String, VecDeque<usize>> = BTreeMap::new();
        for b in self.free(1) {
            if let Some(key) = after(&self.sides[1].clips[b].name) {
                named.entry(key).or_default().push_back(b);
            }
        }
        for a in self.free(0) {
            let key = before(&self.sides[0].clips[a].name);
            if let Some(b) = key.and_then(|key| named.get_mut(&key)?.pop_front()) {
                self.pair(a, b);
            }
        }
    }

    /// Pairs the free clips in which the joints move alike.
    fn by_motion(&mut self, joints: &JointPairs, diagonal: f64) {
        let free = [0, 1].map(|side| self.free(side));
        if free.iter().any(Vec::is_empty) {
            return;
        }
        let centres = [0, 1].map(|side: usize| -> Vec<Option<[DVec3; 5]>> {
            let own = free[side].iter();
            own.map(|clip| centres(self.sides, joints, side, *clip))
                .collect()
        });
        // Where every point is near its counterpart, so are the centres of all points.
        let may_be_alike = |[a, b]: [&Option<[DVec3; 5]>; 2]| match (a, b) {
            (Some(a), Some(b)) => {
                let mut apart = a.iter().zip(b).map(|(a, b)| a.distance(*b));
                // Not finite if a joint is not.
                !apart.any(|distance| distance > 2.0 * SAME_MOTION * diagonal)
            }
            _ => true,
        };
        for (&a, centre) in free[0].iter().zip(&centres[0]) {
            let mut others = free[1].iter().zip(&centres[1]);
            let found = others.find(|(b, other)| {
                self.counterparts[1][**b].is_none()
                    && may_be_alike([centre, other])
                    && move_alike(self.sides, joints, [a, **b], diagonal)
            });
            if let Some((&b, _)) = found {
                self.pair(a, b);
            }
        }
    }

    fn pair(&mut self, before: usize, after: usize) {
        self.counterparts[0][before] = Some(after);
        self.counterparts[1][after] = Some(before);
    }

    fn free(&self, side: usize) -> Vec<usize> {
        let clips = self.counterparts[side].iter().enumerate();
        let free = clips.filter(|(_, counterpart)| counterpart.is_none());
        free.map(|(clip, _)| clip).collect()
    }

    fn pairs(&self) -> Vec<[usize; 2]> {
        let pairs = self.counterparts[0].iter().enumerate();
        let pairs = pairs.filter_map(|(before, after)| Some([before, (*after)?]));
        pairs.collect()
    }
}

/// The centre of all paired joints of a clip of one side at each phase; `None` beside a reference, whose times decide
/// what the phases are.
fn centres(
    sides: [&Side<'_>; 2],
    joints: &JointPairs,
    side: usize,
    clip: usize,
) -> Option<[DVec3; 5]> {
    if !sides.into_iter().all(Side::is_model) {
        return None;
    }
    let own = &sides[side].clips[clip];
    Some(PHASES.map(|phase| {
        let time = own.start + phase * (own.end - own.start);
        let posed = sides[side].pose(At::Clip(clip, time));
        let origins = joints.pairs.iter();
        let origins = origins.map(|pair| posed.joints[pair[side]].w_axis.truncate());
        #[expect(clippy::cast_precision_loss, reason = "a count of joints")]
        let count = joints.pairs.len().max(1) as f64;
        origins.sum::<DVec3>() / count
    }))
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
