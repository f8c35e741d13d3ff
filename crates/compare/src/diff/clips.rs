//! Pairs the clips of two models.

use std::collections::{BTreeMap, VecDeque};

use glam::{DMat4, DVec3};

use super::difference::{Before, Difference};
use super::joints::{JointPairs, are_alike, letters, plain};
use super::kinds::Kind;
use super::samples;
use super::side::{At, Side};

/// Two clips with different names count as the same if their joints stay this close, relative to the diagonal.
const SAME_MOTION: f64 = 1e-2;

/// Clips with the same name have been exchanged if another clip explains the motion up to this fraction of the
/// difference.
const EXPLAINS: f64 = 0.1;

/// The fractions of two clips at which their motion is compared, after their starts.
const PHASES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// Pairs the clips of two sides: by the `given` names, then by name, then by name without a prefix such as `Armature|`,
/// then by motion. Clips of one name that move like other clips are paired by motion too. If each side has only one
/// clip, they correspond.
pub(super) fn match_up(
    sides: [&Side<'_>; 2],
    joints: &JointPairs,
    given: &BTreeMap<String, String>,
    diagonal: f64,
) -> (Vec<[usize; 2]>, Vec<Difference>) {
    let mut matching = Matching {
        sides,
        counterparts: sides.map(|side| vec![None; side.clips.len()]),
    };
    let after_of = |name: &str| given.get(name);
    let is_target = |name: &str| given.values().any(|to| to == name);
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
    matching.by_prefix();
    let is_given = |[a, b]: [usize; 2]| {
        after_of(&sides[0].clips[a].name).is_some_and(|to| *to == sides[1].clips[b].name)
    };
    let motions = Motions {
        sides,
        joints,
        diagonal,
        starts: [0, 1].map(|side| starts(sides[side], joints, side)),
    };
    let copies = matching.undo_swaps(&motions, is_given);
    matching.by_motion(&motions);
    let mut pairs = matching.pairs();
    if pairs.is_empty() && sides[0].clips.len() == 1 && sides[1].clips.len() == 1 {
        pairs.push([0, 0]);
    }
    let mut findings = report(sides, &pairs, is_given);
    findings.extend(copies);
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

    /// Pairs the free clips whose names differ by a prefix that all free clips of one side have, such as `Robot_`.
    fn by_prefix(&mut self) {
        for side in [0, 1] {
            let names: Vec<String> = self
                .free(side)
                .into_iter()
                .map(|clip| self.sides[side].clips[clip].name.clone())
                .collect();
            for prefix in shared_prefixes(&names) {
                let whole = |name: &str| Some(letters(name));
                let rest = |name: &str| name.strip_prefix(prefix).map(letters);
                let rest = |name: &str| rest(name).filter(|rest| !rest.is_empty());
                if side == 0 {
                    self.by_key(rest, whole);
                } else {
                    self.by_key(whole, rest);
                }
            }
        }
    }

    /// Clips that were paired by name, and move like other clips: pairs those that were exchanged, and reports those
    /// that are copies.
    fn undo_swaps(
        &mut self,
        motions: &Motions<'_>,
        is_given: impl Fn([usize; 2]) -> bool,
    ) -> Vec<Difference> {
        let pairs = self.pairs();
        // For each clip after that does not move like its namesake, the clip before that it moves like.
        let by_name = pairs.iter().copied().filter(|pair| !is_given(*pair));
        let mut sources = motions.sources(by_name);
        let all = sources.clone();
        // A clip before goes to one clip after, and must be free: its own namesake has another source.
        loop {
            let is_free = |b: &usize, a: &usize| {
                let mut taken = sources.iter().filter(|(other, _)| *other != b);
                let namesake = pairs.iter().find(|pair| pair[0] == *a);
                taken.all(|(_, source)| source != a)
                    && namesake.is_none_or(|pair| sources.contains_key(&pair[1]))
            };
            let free: BTreeMap<usize, usize> = sources
                .iter()
                .filter(|(b, a)| is_free(b, a))
                .map(|(b, a)| (*b, *a))
                .collect();
            if free.len() == sources.len() {
                break;
            }
            sources = free;
        }
        for [a, b] in pairs {
            if sources.contains_key(&b) {
                self.counterparts[0][a] = None;
            }
        }
        for (b, a) in &sources {
            self.pair(*a, *b);
        }
        let name = |side: usize, clip: usize| &self.sides[side].clips[clip].name;
        let copies = all
            .iter()
            .filter(|(b, _)| !sources.contains_key(b))
            .map(|(b, a)| {
                let (copy, original) = (name(1, *b), name(0, *a));
                let message =
                    format!("clip \"{copy}\" after moves as clip \"{original}\" does before");
                let id = self.counterparts[1][*b].map(Before);
                Kind::ClipsSwapped.found(message).clip(copy, id)
            });
        copies.collect()
    }

    /// Pairs the free clips in which the joints move alike.
    fn by_motion(&mut self, motions: &Motions<'_>) {
        let free = [0, 1].map(|side| self.free(side));
        if free.iter().any(Vec::is_empty) {
            return;
        }
        for a in &free[0] {
            let found = free[1].iter().find(|b| {
                self.counterparts[1][**b].is_none()
                    && motions.apart([*a, **b], SAME_MOTION).is_some()
            });
            if let Some(b) = found {
                self.pair(*a, *b);
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
        let pairs = self.counterparts[0]
            .iter()
            .enumerate()
            .filter_map(|(before, after)| Some([before, (*after)?]));
        pairs.collect()
    }
}

/// The prefixes of all names that end with a separator, the longest first.
fn shared_prefixes(names: &[String]) -> impl Iterator<Item = &str> {
    let first = names.first().map_or("", String::as_str);
    let ends = first.char_indices().rev();
    let ends = ends.filter(|(_, letter)| "_-. |:".contains(*letter));
    let prefixes = ends.map(|(at, letter)| &first[..at + letter.len_utf8()]);
    prefixes.filter(|prefix| names.iter().all(|name| name.starts_with(prefix)))
}

/// The distance from a joint at which its motion is compared, relative to the diagonal.
const LEVER: f64 = 0.1;

/// Compares the motions of clips.
struct Motions<'a> {
    sides: [&'a Side<'a>; 2],
    joints: &'a JointPairs,
    diagonal: f64,
    /// For each side and clip, the pairs of joints at its start.
    starts: [Vec<Vec<DMat4>>; 2],
}

impl Motions<'_> {
    /// How far apart the joints of two clips are at their starts, and in how they move from there, relative to the
    /// diagonal; `None` if farther than `most`. Both are examined at the same fractions of the clips' lengths. The
    /// joints' own axes may differ.
    fn apart(&self, clips: [usize; 2], most: f64) -> Option<f64> {
        let starts = [0, 1].map(|side| self.starts[side][clips[side]].as_slice());
        let lever = LEVER * self.diagonal;
        // Most clips differ already where they start.
        let pairs = starts[0].iter().zip(starts[1]);
        let apart = pairs.map(|(a, b)| a.w_axis.distance(b.w_axis));
        let mut largest = apart.fold(0.0, f64::max);
        for phase in PHASES {
            if largest > most * self.diagonal {
                return None;
            }
            let times = samples::at_phase(self.sides, clips, phase);
            let at = |side: usize| At::Clip(clips[side], times[side]);
            let now = [0, 1].map(|side| paired(self.sides[side], self.joints, side, at(side)));
            largest = largest.max(farthest(starts, now.each_ref().map(Vec::as_slice), lever));
        }
        (largest <= most * self.diagonal).then(|| largest / self.diagonal)
    }

    /// For each clip after of `pairs` that does not move like its namesake, the clip before that it moves like.
    fn sources(&self, pairs: impl Iterator<Item = [usize; 2]>) -> BTreeMap<usize, usize> {
        let apart = pairs.filter_map(|pair| Some((pair, self.apart(pair, f64::INFINITY)?)));
        let changed: Vec<_> = apart.filter(|(_, own)| *own > SAME_MOTION).collect();
        if changed.is_empty() {
            return BTreeMap::new();
        }
        let clips = 0..self.sides[0].clips.len();
        let source = |([a, b], own): &([usize; 2], f64)| {
            let others = clips.clone().filter(|other| other != a);
            let apart = others.filter_map(|other| {
                let most = SAME_MOTION.min(EXPLAINS * own);
                Some((self.apart([other, *b], most)?, other))
            });
            let nearest = apart.min_by(|x, y| x.0.total_cmp(&y.0));
            nearest.map(|(_, other)| (*b, other))
        };
        changed.iter().filter_map(source).collect()
    }
}

/// The joints of a side that have a counterpart.
fn paired(own: &Side<'_>, joints: &JointPairs, side: usize, at: At) -> Vec<DMat4> {
    let posed = own.pose(at);
    let pairs = joints.pairs.iter();
    pairs.map(|pair| posed.joints[pair[side]]).collect()
}

/// The same at the start of each clip.
fn starts(own: &Side<'_>, joints: &JointPairs, side: usize) -> Vec<Vec<DMat4>> {
    let clips = own.clips.iter().enumerate();
    let starts = clips.map(|(clip, range)| paired(own, joints, side, At::Clip(clip, range.start)));
    starts.collect()
}

/// How far apart the joints of two clips are, each moved to where it is now from where it started.
fn farthest(starts: [&[DMat4]; 2], now: [&[DMat4]; 2], lever: f64) -> f64 {
    let pairs = 0..starts[0].len();
    let apart = pairs.flat_map(|pair| {
        let [a, b] = [0, 1].map(|side: usize| around(&starts[side][pair], &now[side][pair], lever));
        [0, 1, 2].map(|point| a[point].distance(b[point]))
    });
    apart.fold(0.0, f64::max)
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
    is_given: impl Fn([usize; 2]) -> bool,
) -> Vec<Difference> {
    let mut findings = Vec::new();
    let named = |side: usize, name: &str| sides[side].clips.iter().any(|clip| clip.name == name);
    let mut swapped = Vec::new();
    for [a, b] in pairs {
        let (before, after) = (&sides[0].clips[*a].name, &sides[1].clips[*b].name);
        if before == after || is_given([*a, *b]) {
            continue;
        }
        if named(1, before) && named(0, after) {
            swapped.push((*a, before, after));
            continue;
        }
        let message = format!("clip \"{before}\" is named \"{after}\" after");
        let finding = Kind::ClipRenamed
            .found(message)
            .clip(before, Some(Before(*a)));
        // An exporter adds the armature's name as a prefix, and the importer numbers clips without a name.
        let is_unnamed = sides[0].clips[*a].unnamed || sides[1].clips[*b].unnamed;
        let is_harmless = are_alike(before, after) || is_unnamed;
        findings.push(finding.remark_if(is_harmless));
    }
    if let Some((id, first, _)) = swapped.first() {
        let list = swapped.iter();
        let list =
            list.map(|(_, before, after)| format!("\"{before}\" before is \"{after}\" after"));
        let message = format!(
            "clips have each other's names: {}",
            list.collect::<Vec<_>>().join(", ")
        );
        let finding = Kind::ClipsSwapped.found(message);
        findings.push(finding.clip(first, Some(Before(*id))));
    }
    for (side, kind) in [(0, Kind::ClipMissing), (1, Kind::ClipAdded)] {
        for (index, clip) in sides[side].clips.iter().enumerate() {
            let is_paired = pairs.iter().any(|pair| pair[side] == index);
            if is_paired || clip.keys.is_empty() {
                continue;
            }
            let message = match side {
                0 => format!("clip \"{}\" has no counterpart in AFTER", clip.name),
                _ => format!("clip \"{}\" is only in the model after", clip.name),
            };
            let id = (side == 0).then_some(Before(index));
            let finding = kind.found(message).clip(&clip.name, id);
            findings.push(finding.remark_if(side == 1));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::diff::Source;
    use crate::diff::testing::with_rigs;
    use crate::rig::{AssetBuilder, Trs};

    /// Two clips that rotate a joint about other axes.
    #[test]
    fn clips_that_exchanged_their_names_are_paired_by_motion() {
        let model = |names: [&str; 2]| {
            let mut rig = AssetBuilder::new();
            let root = rig.node("root", None, Trs::IDENTITY);
            for (name, axis) in names.into_iter().zip([Vec3::X, Vec3::Z]) {
                let clip = rig.clip(name);
                let rotated = Quat::from_axis_angle(axis, 1.0);
                rig.rotate(clip, root, [(0.0, Quat::IDENTITY), (1.0, rotated)]);
            }
            Source::from(rig.build().expect("it is whole"))
        };
        let paired = |after: [&str; 2]| {
            let sources = [model(["nod", "lean"]), model(after)];
            with_rigs(&sources, |rigs| {
                let given = BTreeMap::new();
                let (pairs, found) = match_up(rigs.sides, rigs.joints, &given, 1.0);
                let kinds: Vec<Kind> = found.iter().map(|own| own.kind).collect();
                (pairs, kinds)
            })
        };
        let by_index = vec![[0, 0], [1, 1]];
        assert_eq!(paired(["nod", "lean"]), (by_index.clone(), Vec::new()));
        assert_eq!(
            paired(["lean", "nod"]),
            (by_index, vec![Kind::ClipsSwapped])
        );
    }
}
