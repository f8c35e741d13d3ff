//! Finds the joints of a clip that cause a difference, and the kind of cause.

use std::collections::BTreeMap;

use super::binds::Binds;
use super::difference::{Before, Difference};
use super::kinds::Kind;
use super::motion::JointMotion;
use super::reach::Rigs;
use super::samples::{self, SAME_TIME, Sample, TimeMap};
use super::side::At;
use super::timing::{SAME_RANGE, in_frames};
use super::words::{self, Lengths, significant, span};
use crate::rig::TrackPart;
use crate::units::seconds;

/// One clip, and the measurements of its joints.
pub(super) struct Clip<'a> {
    pub(super) rigs: &'a Rigs<'a>,
    pub(super) clips: [usize; 2],
    pub(super) samples: &'a [Sample],
    /// One entry per pair, as in the limits.
    pub(super) motions: &'a [JointMotion],
    pub(super) limits: Vec<f64>,
    pub(super) binds: &'a Binds,
    pub(super) lengths: Lengths,
}

/// A joint whose own motion differs.
pub(super) struct Culprit {
    pub(super) pair: usize,
    pub(super) fault: Fault,
    /// In words.
    why: String,
}

/// What is wrong with a joint's motion. Joints with one fault are one finding, even if several faults are of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    RestPose,
    /// Keys are missing at the start or the end of a clip.
    KeysCut,
    TrackMissing,
    RootMotion,
    TranslationScale,
    /// Its keys run earlier or later than those of other joints.
    TrackShift,
    ConstantOffset,
    Keys,
    Resampled,
    Stepped,
    /// A rotation takes the long arc between two keys.
    LongWay,
    Interpolation,
}

impl Fault {
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::RestPose => Kind::RestPose,
            Self::KeysCut | Self::TrackMissing => Kind::KeysMissing,
            Self::RootMotion => Kind::RootMotion,
            Self::TranslationScale | Self::TrackShift | Self::ConstantOffset | Self::Keys => {
                Kind::Keys
            }
            Self::Resampled => Kind::Resampled,
            Self::Stepped | Self::LongWay | Self::Interpolation => Kind::Interpolation,
        }
    }
}

/// A component of a joint's motion that moves less than this fraction of its motion before has stopped.
const STOPPED: f64 = 0.02;

/// A difference that varies by less than this fraction of itself is constant.
const CONSTANT: f64 = 0.1;

/// If rotation, scale and translation each explain less than this fraction of an error, it is a shear.
const SHEARED: f64 = 0.2;

impl Clip<'_> {
    /// One finding for each fault, with its worst joint.
    pub(super) fn findings(&self, culprits: Vec<Culprit>) -> Vec<Difference> {
        let mut by_fault: BTreeMap<Fault, Vec<Culprit>> = BTreeMap::new();
        for culprit in culprits {
            by_fault.entry(culprit.fault).or_default().push(culprit);
        }
        let error = |culprit: &Culprit| self.motions[culprit.pair].own.max;
        let findings = by_fault.into_values().filter_map(|alike| {
            let more = alike.len() - 1;
            // The first of equals.
            let worst = alike.into_iter().rev();
            let worst = worst.max_by(|a, b| error(a).total_cmp(&error(b)))?;
            Some(self.finding(&worst, more))
        });
        findings.collect()
    }

    /// Joints whose own motion exceeds the limit. If only the bind pose differs, that is the cause and no joint is to
    /// blame.
    pub(super) fn culprits(&self) -> Vec<Culprit> {
        let pairs = 0..self.motions.len();
        let beyond = pairs.filter(|pair| {
            let (motion, limit) = (&self.motions[*pair], self.limits[*pair]);
            let is_explained =
                self.binds.shows_in(self.rigs, *pair) && motion.own_from_rest <= limit;
            motion.own.max > limit && !is_explained
        });
        let culprits = beyond.map(|pair| {
            let (fault, why) = self.cause(pair);
            Culprit { pair, fault, why }
        });
        culprits.collect()
    }

    /// The fault of a joint, and its description.
    fn cause(&self, pair: usize) -> (Fault, String) {
        let (motion, limit) = (&self.motions[pair], self.limits[pair]);
        if self.binds.resting.contains(&pair) && self.is_constant(pair) {
            let why = "a constant offset in its rest transform";
            return (Fault::RestPose, why.to_owned());
        }
        if let Some(why) = self.cut(motion) {
            return (Fault::KeysCut, why);
        }
        let [before, after] = &motion.ranges;
        let stopped = |before: f64, after: f64| before > limit && after < STOPPED * before;
        let parts = [
            (TrackPart::Rotation, before.rotation, after.rotation),
            (TrackPart::Translation, before.shift, after.shift),
            (TrackPart::Scale, before.scale, after.scale),
        ];
        let missing = parts
            .into_iter()
            .find(|(_, a, b)| stopped(*a, *b))
            .map(|(part, ..)| (part, format!("its {} no longer moves", part.name())));
        // What is held agrees wherever the motion passes through the one value, as the ends of a loop do.
        if let Some((part, why)) = &missing
            && self.is_held(pair, *part)
        {
            let fault = self.of_root(pair).unwrap_or(Fault::TrackMissing);
            return (fault, why.clone());
        }
        let [at_before, at_after] = motion.own.at_keys;
        if at_after <= limit && self.has_opposed_spline(pair) {
            let why =
                "cubic keys have opposite signs, so that the rotation takes a detour between them";
            return (Fault::LongWay, why.to_owned());
        }
        if at_after <= limit && self.has_inner_key(pair) {
            if at_before > limit {
                return (Fault::Resampled, self.resampled(pair));
            }
            let (fault, why) = if motion.holds {
                (Fault::Stepped, "it jumps from key to key")
            } else if motion.is_long_way {
                (
                    Fault::LongWay,
                    "the rotation takes the long arc between two keys",
                )
            } else {
                (
                    Fault::Interpolation,
                    "the keys are the same, and the motion between them is not",
                )
            };
            return (fault, why.to_owned());
        }
        if at_before <= limit && self.is_driven(0, pair) {
            let why = "it agrees at the keys before, and not between them";
            return (Fault::Interpolation, why.to_owned());
        }
        if let Some(found) = self.reason(pair) {
            return found;
        }
        if self.is_constant(pair) {
            // A reference states no rest pose.
            let are_models = self.rigs.sides.iter().all(|side| side.is_model());
            let why = if are_models {
                "a constant offset"
            } else {
                "a constant offset in its keys or its rest pose"
            };
            return (Fault::ConstantOffset, why.to_owned());
        }
        if let Some(fault) = self.of_root(pair) {
            let why = if stopped(before.shift, after.shift) {
                "the model no longer travels"
            } else {
                "the root travels elsewhere"
            };
            return (fault, why.to_owned());
        }
        match missing {
            Some((_, why)) => (Fault::TrackMissing, why),
            None => (Fault::Keys, "its keys have other values".to_owned()),
        }
    }

    /// Whether a key of the joint after, other than at the ends, is among the samples. The samples of a reference with few times may
    /// miss all keys, and the ends of a loop agree whatever happens between them.
    fn has_inner_key(&self, pair: usize) -> bool {
        if self.rigs.sides[0].is_model() {
            return true;
        }
        let (after, clip) = (self.rigs.sides[1], self.clips[1]);
        let keys = after.joint_keys(clip, self.rigs.joints.pairs[pair][1]);
        let keys = keys.as_deref().unwrap_or(&after.clips[clip].keys);
        let inner = self.samples.get(1..self.samples.len().saturating_sub(1));
        let mut inner = inner.into_iter().flatten();
        inner.any(|sample| samples::contains(keys, sample.times[1]))
    }

    /// Whether the clip after holds a part of the joint's transform.
    fn is_held(&self, pair: usize, part: TrackPart) -> bool {
        let [_, joint] = self.rigs.joints.pairs[pair];
        self.rigs.sides[1].is_held(self.clips[1], joint, part)
    }

    /// Whether cubic keys of the joint have opposite signs after, and not before.
    fn has_opposed_spline(&self, pair: usize) -> bool {
        let joints = self.rigs.joints.pairs[pair];
        let [before, after] = [0, 1].map(|side: usize| {
            self.rigs.sides[side].has_opposed_spline(self.clips[side], joints[side])
        });
        after && !before
    }

    /// Whether a side's clip has keys of the joint. A reference may have keys of any joint.
    fn is_driven(&self, side: usize, pair: usize) -> bool {
        let (own, joint) = (self.rigs.sides[side], self.rigs.joints.pairs[pair][side]);
        !own.is_model() || own.joint_keys(self.clips[side], joint).is_some()
    }

    /// The fault of a root that travels elsewhere.
    fn of_root(&self, pair: usize) -> Option<Fault> {
        (self.is_shifted(pair) && self.is_root(pair)).then_some(Fault::RootMotion)
    }

    /// Whether the motion differs only before the first key of the clip after, or behind its last one.
    fn cut(&self, motion: &JointMotion) -> Option<String> {
        let [first, last] = motion.own.beyond?;
        let keys = |side: usize| &self.rigs.sides[side].clips[self.clips[side]].keys;
        let (before, after) = (keys(0), keys(1));
        let time = |key: &f64| {
            let own = self
                .samples
                .iter()
                .find(|sample| sample.times[1] >= *key - SAME_TIME)?;
            Some(own.times[0])
        };
        let [start, end] = [after.first()?, after.last()?].map(time);
        let (start, end) = (start?, end?);
        let has_earlier = before.first().is_some_and(|key| *key < start - SAME_TIME);
        let has_later = before.last().is_some_and(|key| *key > end + SAME_TIME);
        if has_earlier && last < start - SAME_TIME {
            return Some(format!("its keys only begin at {}", seconds(start)));
        }
        if has_later && first > end + SAME_TIME {
            return Some(format!("its keys already end at {}", seconds(end)));
        }
        None
    }

    fn is_constant(&self, pair: usize) -> bool {
        let motion = &self.motions[pair];
        motion.change <= CONSTANT * motion.own.max
    }

    /// Whether the error is mostly a translation, not a rotation or a scale.
    pub(super) fn is_shifted(&self, pair: usize) -> bool {
        let (difference, reach) = (&self.motions[pair].difference, self.rigs.reach(pair));
        let [rotated, scaled] = difference.turned_and_scaled(reach);
        difference.shift > 2.0 * rotated.max(scaled)
    }

    /// Whether no bound joint is above it, or only some that stand still while it carries most of the model.
    fn is_root(&self, pair: usize) -> bool {
        let own = self.rigs.sides[0];
        let [joint, _] = self.rigs.joints.pairs[pair];
        let above = |joint: usize| {
            std::iter::successors(own.joints[joint].parent, |parent| {
                own.joints[*parent].parent
            })
        };
        let bound: Vec<usize> = above(joint)
            .filter(|one| own.joints[*one].is_bound)
            .collect();
        let is_still = |one: &usize| own.joint_keys(self.clips[0], *one).is_none();
        if !(own.is_model() && bound.iter().all(is_still)) {
            return bound.is_empty();
        }
        let all = (0..own.joints.len()).filter(|one| own.joints[*one].is_bound);
        let below = all
            .clone()
            .filter(|one| above(*one).any(|parent| parent == joint));
        bound.is_empty() || 2 * below.count() > all.count()
    }

    fn resampled(&self, pair: usize) -> String {
        let part = self.motions[pair].difference.part(self.rigs.reach(pair));
        let keys = [0, 1].map(|side: usize| {
            let (own, clip) = (self.rigs.sides[side], self.clips[side]);
            let joint = self.rigs.joints.pairs[pair][side];
            let keys = own
                .part_keys(clip, joint, part)
                .or_else(|| own.joint_keys(clip, joint));
            keys.unwrap_or_else(|| own.clips[clip].keys.clone())
        });
        let [before, after] = &keys;
        let is_kept = |key: &f64| samples::contains(before, *key);
        if after.len() < before.len() && after.iter().all(is_kept) {
            let removed = before.len() - after.len();
            return format!(
                "{removed} of {} are removed, and the motion between the others is lost",
                crate::units::amount(before.len(), "key")
            );
        }
        let step = samples::usual_step(after).unwrap_or(0.0);
        format!(
            "keys after are {} s apart, and the motion between them is lost",
            significant(step)
        )
    }

    fn finding(&self, culprit: &Culprit, more: usize) -> Difference {
        let &Culprit {
            pair,
            fault,
            ref why,
        } = culprit;
        let motion = &self.motions[pair];
        let [joint, _] = self.rigs.joints.pairs[pair];
        let before = self.rigs.sides[0];
        let name = &before.joints[joint].shown;
        let message = format!(
            "{} `{name}` is {}: {why}{}{}",
            self.when(motion),
            self.how(pair),
            self.inherited(pair),
            likewise(more)
        );
        let finding = fault.kind().found(message).joint(name, Some(Before(joint)));
        let finding = before.in_clip(finding, self.clips[0]);
        finding.at(motion.own.time).by(motion.own.max).caused(why)
    }

    fn when(&self, motion: &JointMotion) -> String {
        let Some([first, last]) = motion.own.beyond else {
            return "here and there".to_owned();
        };
        let clip = &self.rigs.sides[0].clips[self.clips[0]];
        let mut times = self.samples.iter().map(|sample| sample.times[0]);
        let is_start = times.clone().next().is_some_and(|start| first <= start);
        let is_end = times.next_back().is_some_and(|end| last >= end);
        match (is_start, is_end) {
            (true, true) => "throughout".to_owned(),
            (false, true) => format!("from {} on", clip.time_with_frame(first)),
            (true, false) => format!("until {}", clip.time_with_frame(last)),
            (false, false) if first < last => {
                format!("from {}", span(&[first, last]))
            }
            (false, false) => format!("at {}", clip.time_with_frame(first)),
        }
    }

    fn how(&self, pair: usize) -> String {
        let (difference, reach) = (&self.motions[pair].difference, self.rigs.reach(pair));
        let [rotated, scaled] = difference.turned_and_scaled(reach);
        if difference.is_mirrored {
            return "mirrored".to_owned();
        }
        let error = self.motions[pair].own.max;
        if rotated.max(scaled).max(difference.shift) < SHEARED * error {
            return format!("sheared by up to {}", self.lengths.show(error));
        }
        if scaled > rotated.max(difference.shift) {
            return format!("scaled by up to {}", words::factor(difference.factor));
        }
        if rotated > 0.5 * difference.shift {
            return format!("rotated by up to {}°", significant(difference.angle));
        }
        format!("moved by up to {}", self.lengths.show(difference.shift))
    }

    /// The number of joints below that are off only because this one is.
    fn inherited(&self, pair: usize) -> String {
        let is_below = |mut below: usize| {
            while let Some(parent) = self.rigs.parents[below] {
                if parent == pair {
                    return true;
                }
                below = parent;
            }
            false
        };
        let heirs = (0..self.motions.len()).filter(|other| {
            let motion = &self.motions[*other];
            let limit = self.limits[*other];
            is_below(*other) && motion.total > limit && motion.own.max <= limit
        });
        match heirs.count() {
            0 => String::new(),
            1 => "; 1 joint below inherits it".to_owned(),
            count => format!("; {count} joints below inherit it"),
        }
    }
}

fn likewise(more: usize) -> String {
    match more {
        0 => String::new(),
        more => format!(
            "; {more} more {} likewise",
            crate::units::counted("joint", more)
        ),
    }
}

/// The number of times at which a clip is searched for the rest pose of the other model.
const STEPS: usize = 100;

/// The clip and the time at which the model before looks like the rest pose of the model after, if there is one.
pub(super) fn time_of_rest(
    rigs: &Rigs<'_>,
    clips: &[[usize; 2]],
    limit: f64,
) -> Option<(usize, f64)> {
    let rest = rigs.poses(None, [0.0; 2]);
    let [at_rest, _] = rigs.displacements(&rest);
    let farthest = |a: &[glam::DMat4], b: &[glam::DMat4]| {
        let pairs = 0..rigs.joints.pairs.len();
        pairs
            .map(|pair| rigs.apart(pair, &a[pair], &b[pair]))
            .fold(0.0, f64::max)
    };
    let mut best: Option<(f64, usize, f64)> = None;
    for [before, _] in clips {
        let clip = &rigs.sides[0].clips[*before];
        let step = clip.keys.len().div_ceil(STEPS).max(1);
        for time in clip.keys.iter().copied().step_by(step) {
            // Compares the clip's joints with the other model's joints at rest. Bind poses are left out, because they
            // may have been taken at the same time.
            let posed = rigs.sides[0].pose(At::Clip(*before, time));
            let pairs = rigs.joints.pairs.iter();
            let (a, b): (Vec<_>, Vec<_>) = pairs
                .map(|[a, b]| {
                    let bind = rigs.sides[0].joints[*a].bind.inverse();
                    (posed.joints[*a] * bind, rest[1].joints[*b] * bind)
                })
                .unzip();
            let apart = farthest(&a, &b);
            let is_moved = farthest(&a, &at_rest) > limit;
            if apart <= limit && is_moved && best.is_none_or(|(least, ..)| apart < least) {
                best = Some((apart, *before, time));
            }
        }
    }
    best.map(|(_, clip, time)| (clip, time))
}

/// A factor closer to 1 than this does not count as a scale.
const LEAST_FACTOR: f64 = 1.05;

/// The most samples at which a shift in time is tried, and the fewest that show one.
const TRIED: usize = 24;
const FEWEST: usize = 3;

/// A shift explains a difference if the remaining error is less than this fraction of it.
const EXPLAINS: f64 = 0.1;

impl Clip<'_> {
    /// The reason for which the keys of a joint have other values, if it is one of these.
    pub(super) fn reason(&self, pair: usize) -> Option<(Fault, String)> {
        self.translation_factor(pair)
            .or_else(|| self.track_shift(pair))
    }

    fn translation_factor(&self, pair: usize) -> Option<(Fault, String)> {
        let motion = &self.motions[pair];
        let factor = motion.translation_factor?;
        let moves = motion.ranges[0].shift.min(motion.ranges[1].shift) > self.limits[pair];
        if !moves || !self.is_shifted(pair) || factor.max(1.0 / factor) < LEAST_FACTOR {
            return None;
        }
        let why = format!(
            "translation keys are {} times as large, as if the skeleton had been scaled without its clips",
            words::factor(factor)
        );
        Some((Fault::TranslationScale, why))
    }

    /// The keys of a joint run earlier or later than those of the other joints.
    fn track_shift(&self, pair: usize) -> Option<(Fault, String)> {
        let joints = self.rigs.joints.pairs[pair];
        let own = [0, 1].map(|side: usize| &self.rigs.sides[side].clips[self.clips[side]]);
        let map = self.time_map()?;
        let parts = [
            TrackPart::Rotation,
            TrackPart::Translation,
            TrackPart::Scale,
        ];
        let shift = parts.into_iter().find_map(|part| {
            let keys =
                |side: usize| self.rigs.sides[side].part_keys(self.clips[side], joints[side], part);
            let (before, after) = (keys(0)?, keys(1)?);
            let ends = [
                after.first()? - map.after(*before.first()?),
                after.last()? - map.after(*before.last()?),
            ];
            let mut shifts = ends.into_iter().filter(|shift| shift.abs() > SAME_RANGE);
            shifts.find(|shift| self.explains(pair, *shift))
        })?;
        let when = if shift > 0.0 { "later" } else { "earlier" };
        let why = format!(
            "its keys are {} s {when} than those of other joints{}",
            significant(shift.abs()),
            in_frames(own, shift.abs())
        );
        Some((Fault::TrackShift, why))
    }

    /// Whether a joint moves as before if its own times are shifted.
    fn explains(&self, pair: usize, shift: f64) -> bool {
        let clip = &self.rigs.sides[1].clips[self.clips[1]];
        let limit = self.limits[pair].max(EXPLAINS * self.motions[pair].own.max);
        let range = clip.start - SAME_TIME..=clip.end + SAME_TIME;
        let step = self.samples.len().div_ceil(TRIED).max(1);
        let times = self.samples.iter().step_by(step).map(|sample| {
            let [before, after] = sample.times;
            [before, after + shift]
        });
        let times: Vec<[f64; 2]> = times.filter(|times| range.contains(&times[1])).collect();
        let fits = |times: &[f64; 2]| self.rigs.own_apart(pair, self.clips, *times) <= limit;
        times.len() >= FEWEST.max(self.samples.len() / step / 2) && times.iter().all(fits)
    }

    /// The map of times that the samples follow.
    fn time_map(&self) -> Option<TimeMap> {
        let (first, last) = (self.samples.first()?.times, self.samples.last()?.times);
        let rate = (last[1] - first[1]) / (last[0] - first[0]);
        let offset = first[1] - rate * first[0];
        rate.is_finite().then_some(TimeMap { rate, offset })
    }
}
