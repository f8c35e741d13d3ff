//! Jumps of single joints, and cuts: times at which most joints jump.

use glam::Quat;

use super::keys::{Dense, apart};
use super::paths::LONGEST_FRAME;
use crate::core::numbers::as_f64;
use crate::rig::{Asset, Key, NodeId};

/// Of the limit of `C528` per frame.
const FRAMES_PER_SECOND: f64 = 30.0;

/// A track, and how far it rotates from key to key.
pub(super) struct Stepped<'a> {
    pub(super) track: &'a Dense<'a>,
    /// In degrees.
    steps: Vec<f64>,
    /// A step that nine in ten steps do not exceed.
    usual: f64,
}

/// A step of a track that is far larger than the others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Jump {
    /// The key before it.
    pub(super) key: usize,
    pub(super) degrees: f64,
}

/// An end of a track.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    First,
    Last,
}

impl End {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Last => "last",
        }
    }
}

/// A joint is at rest within so many degrees: keys are rounded.
pub const AT_REST: f64 = 0.5;

/// A joint is back where it was if less than this part of its jump is missing.
const BACK: f64 = 0.1;

/// For so many keys, jaws stay shut.
const HELD: usize = 3;

/// What counts as a jump.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The minimum rotation, in degrees.
    pub(super) degrees: f64,
    /// The minimum ratio to the steps around it and to the usual step.
    pub(super) times: f64,
}

impl<'a> Stepped<'a> {
    pub(super) fn all(tracks: &'a [Dense<'a>]) -> Vec<Self> {
        tracks.iter().map(Self::of).collect()
    }

    fn of(track: &'a Dense<'a>) -> Self {
        let steps = track.steps();
        Self {
            track,
            usual: usual(&steps),
            steps,
        }
    }

    /// All jumps, in order.
    pub(super) fn jumps(&self, limits: Limits) -> impl Iterator<Item = Jump> {
        let is_jump = move |key: &usize| {
            let (step, key) = (self.steps[*key], *key);
            let around = [key.checked_sub(1), Some(key + 1)]
                .into_iter()
                .flatten()
                .filter_map(|key| self.steps.get(key));
            let calm = around.fold(self.usual, |largest, step| step.max(largest));
            let keys = &*self.track.keys;
            let seconds = keys[key + 1].time.0 - keys[key].time.0;
            // Two frames between keys that lie on every second frame.
            let frames = if seconds > 1.5 * LONGEST_FRAME {
                FRAMES_PER_SECOND * seconds
            } else {
                1.0
            };
            let is_far = step > limits.degrees * frames && step > limits.times * calm;
            is_far && seconds <= 1.5 * self.track.frame
        };
        let jumps = (0..self.steps.len()).filter(is_jump);
        jumps.map(|key| Jump {
            key,
            degrees: self.steps[key],
        })
    }

    /// How far it rotates between the key at an end and the one beside it, in degrees, if that is far more than in its other
    /// steps.
    pub(super) fn jump_at(&self, end: End, limits: Limits) -> Option<f64> {
        let (step, others) = match end {
            End::First => self.steps.split_first()?,
            End::Last => self.steps.split_last()?,
        };
        let largest = others
            .iter()
            .fold(0.0_f64, |largest, step| step.max(largest));
        (*step > limits.degrees && *step > limits.times * largest).then_some(*step)
    }

    /// Whether its key at an end is its rotation at rest.
    pub(super) fn rests_at(&self, end: End, asset: &Asset) -> bool {
        let rest = asset.skeleton[self.track.joint].rest.to_trs().rotation;
        let key = match end {
            End::First => self.track.keys.first(),
            End::Last => self.track.keys.last(),
        };
        key.is_some_and(|key| apart(key.value, rest).to_degrees() < AT_REST)
    }

    /// The time of the key at an end.
    pub(super) fn time_of(&self, end: End) -> f64 {
        let key = match end {
            End::First => self.track.keys.first(),
            End::Last => self.track.keys.last(),
        };
        key.map_or(0.0, |key| key.time.0)
    }

    /// Whether a jump takes it back to where it was before it slowly left, and it stays there, as jaws that snap shut do.
    pub(super) fn snaps(&self, jump: Jump) -> bool {
        let (keys, near) = (&self.track.keys, BACK * jump.degrees);
        let shut = keys[jump.key + 1].value;
        let is_shut = |key: &Key<Quat>| apart(key.value, shut).to_degrees() < near;
        let mut after = keys[jump.key + 2..].iter().take(HELD);
        let stays = after.len() > 0 && after.all(is_shut);
        let opens = keys[..jump.key].iter().rev();
        // After a frozen stretch, a joint jumps back into its motion.
        let mut before = self.steps[..jump.key].iter().rev().take(HELD);
        let is_frozen = before.all(|step| *step < STILL);
        stays && !is_frozen && opens.clone().any(is_shut)
    }

    /// Whether it rotates at all.
    pub(super) fn moves(&self) -> bool {
        self.steps.iter().any(|step| *step > 0.0)
    }

    /// A time in the step after `key`.
    fn time_in(&self, key: usize) -> f64 {
        self.track.keys[key].time.0 + 0.5 * self.track.frame
    }

    /// The steps of the other joints in the step after `key`.
    fn beside<'b>(
        &'b self,
        key: usize,
        all: &'b [Self],
    ) -> impl Iterator<Item = (&'b Self, f64)> + use<'b, 'a> {
        let time = self.time_in(key);
        let others = all
            .iter()
            .filter(|other| other.track.joint != self.track.joint);
        others.map(move |other| (other, other.track.step_at(time)))
    }

    /// Whether at most one joint besides this one rotates by a third as much: in a blow, a whole limb and the trunk do.
    pub(super) fn stands_alone(&self, jump: Jump, all: &[Self]) -> bool {
        let far = self
            .beside(jump.key, all)
            .filter(|(_, step)| 3.0 * step > jump.degrees);
        far.count() <= 1
    }

    /// Whether `counterpart` rotates by a third as much at that time: both sides strike at once.
    pub(super) fn is_with(&self, counterpart: NodeId, jump: Jump, all: &[Self]) -> bool {
        let mut beside = self.beside(jump.key, all);
        beside.any(|(own, step)| own.track.joint == counterpart && 3.0 * step > jump.degrees)
    }

    /// The part of the other joints that ever move which jump at that time, too; 0 if fewer than two move. Where one take
    /// ends and the next begins, as in formats that have a single timeline, nearly all do.
    pub(super) fn part_beside(&self, jump: Jump, limits: Limits, all: &[Self]) -> f64 {
        let others = self.beside(jump.key, all);
        let moving = others.filter(|(other, _)| other.steps.iter().any(|step| *step > 0.0));
        let jumps: Vec<bool> = moving
            .map(|(other, step)| step > 0.0 && step > limits.times * other.usual)
            .collect();
        let count = jumps.iter().filter(|jumps| **jumps).count();
        if jumps.len() < 2 {
            return 0.0;
        }
        as_f64(count) / as_f64(jumps.len())
    }

    /// Whether every other joint jumps in that step, too, or holds still.
    fn is_only_motion(&self, jump: Jump, limits: Limits, all: &[Self]) -> bool {
        let mut beside = self.beside(jump.key, all);
        beside.all(|(other, step)| step < STILL || step > limits.times * other.usual)
    }

    /// Whether a jump is in one of `cuts`, which are in order.
    pub(super) fn is_in(&self, jump: Jump, cuts: &[[f64; 2]]) -> bool {
        let time = self.time_in(jump.key);
        let next = cuts.partition_point(|[_, end]| *end <= time);
        cuts.get(next).is_some_and(|[start, _]| *start < time)
    }
}

/// A joint that rotates by less than this many degrees per frame holds still: the rounding of rotations in 16 bits.
const STILL: f64 = 0.01;

/// A step that nine in ten steps do not exceed; the shortest of few.
pub(super) fn usual(steps: &[f64]) -> f64 {
    let mut sorted = steps.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[(sorted.len() * 9 / 10).saturating_sub(1)]
}

/// The least part of the joints that jump at a cut. In the fastest gestures of cartoons, two in three do.
const PART: f64 = 0.75;

/// The times of the keys before and after each cut, in order. In a timeline that has a cut, every jump while all other joints
/// jump or hold still is another one: in some takes, only an arm moves.
pub(super) fn cuts(all: &[Stepped<'_>], limits: Limits) -> Vec<[f64; 2]> {
    let mut cuts = Vec::new();
    add_cuts(&mut cuts, all, limits, |own, jump| {
        own.part_beside(jump, limits, all) >= PART
    });
    if !cuts.is_empty() {
        add_cuts(&mut cuts, all, limits, |own, jump| {
            own.is_only_motion(jump, limits, all)
        });
    }
    cuts
}

/// Adds the jumps that are cuts, in order of their times.
fn add_cuts(
    cuts: &mut Vec<[f64; 2]>,
    all: &[Stepped<'_>],
    limits: Limits,
    is_cut: impl Fn(&Stepped<'_>, Jump) -> bool,
) {
    for track in all {
        for jump in track.jumps(limits) {
            let next = cuts.partition_point(|[_, end]| *end <= track.time_in(jump.key));
            if !track.is_in(jump, cuts) && is_cut(track, jump) {
                let cut = [0, 1].map(|step| track.track.keys[jump.key + step].time.0);
                cuts.insert(next, cut);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Track;

    const LIMITS: Limits = Limits {
        degrees: 25.0,
        times: 4.0,
    };

    /// Turns by a degree in each frame, and by `jump` degrees in the one after key 12.
    fn turning(jump: f32) -> Vec<Key<Quat>> {
        let mut degrees = 0.0_f32;
        let keys = (0..24).map(|key| {
            degrees += if key == 13 { jump } else { 1.0 };
            let rotation = Quat::from_rotation_x(degrees.to_radians());
            (f64::from(key) / 24.0, rotation)
        });
        Track::linear(keys.collect::<Vec<_>>()).keys
    }

    /// A joint that jumps by 40°, and others.
    fn tracks(others: &[f32]) -> Vec<Dense<'static>> {
        let jumps = [40.0].iter().chain(others).enumerate();
        let tracks = jumps.map(|(index, jump)| Dense {
            joint: NodeId::from_index(index),
            keys: turning(*jump).into(),
            frame: 1.0 / 24.0,
        });
        tracks.collect()
    }

    /// Whether a joint that jumps by 40° besides others is reported, and how many cuts there are.
    fn judged(others: &[f32]) -> (bool, usize) {
        let tracks = tracks(others);
        let all = Stepped::all(&tracks);
        let jump = all[0].jumps(LIMITS).next().expect("it jumps");
        let is_reported =
            all[0].stands_alone(jump, &all) && all[0].part_beside(jump, LIMITS, &all) < 0.5;
        (is_reported, cuts(&all, LIMITS).len())
    }

    #[test]
    fn a_joint_that_jumps_alone_is_reported() {
        for others in [&[][..], &[1.0, 1.0, 1.0], &[10.0, 1.0, 1.0]] {
            assert_eq!(judged(others), (true, 0), "{others:?}");
        }
    }

    #[test]
    fn a_jump_of_both_sides_is_a_blow() {
        let with = |step: f32| {
            let tracks = tracks(&[step]);
            let all = Stepped::all(&tracks);
            let jump = all[0].jumps(LIMITS).next().expect("it jumps");
            all[0].is_with(NodeId(1), jump, &all)
        };
        assert!(with(30.0));
        assert!(!with(5.0));
    }

    #[test]
    fn between_keys_on_every_second_frame_a_joint_may_rotate_twice_as_far() {
        let jumps = |degrees: f32, frame: f64| {
            let mut keys = turning(degrees);
            for key in &mut keys {
                key.time.0 *= 24.0 * frame;
            }
            let track = Dense {
                joint: NodeId(0),
                keys: keys.as_slice().into(),
                frame,
            };
            Stepped::of(&track).jumps(LIMITS).count()
        };
        assert_eq!([jumps(40.0, 1.0 / 24.0), jumps(40.0, 1.0 / 12.0)], [1, 0]);
        assert_eq!(jumps(70.0, 1.0 / 12.0), 1);
    }

    #[test]
    fn a_pose_that_changes_as_a_whole_is_a_cut_between_takes() {
        assert_eq!(judged(&[10.0, 10.0, 1.0]), (false, 0), "a gesture");
        for others in [[10.0, 10.0, 10.0], [40.0, 40.0, 40.0]] {
            assert_eq!(judged(&others), (false, 1), "{others:?}");
        }
    }

    #[test]
    fn where_takes_meet_a_limb_that_moves_alone_meets_another_take() {
        // All joints jump in frame 13; in frame 20 the first one does, while the others move by a degree or hold still.
        let count = |others: f32, jump: f32| {
            let rotation = |joint: usize, key: u8| match (joint, key) {
                (_, 13) => jump,
                (0, 20) => 40.0,
                (0, _) => 1.0,
                (_, 14..) => others,
                _ => 1.0,
            };
            let tracks: Vec<_> = (0..4)
                .map(|joint| {
                    let mut degrees = 0.0_f32;
                    let keys = (0..28).map(|key| {
                        degrees += rotation(joint, key);
                        let rotation = Quat::from_rotation_x(degrees.to_radians());
                        (f64::from(key) / 24.0, rotation)
                    });
                    Dense {
                        joint: NodeId::from_index(joint),
                        keys: Track::linear(keys.collect::<Vec<_>>()).keys.into(),
                        frame: 1.0 / 24.0,
                    }
                })
                .collect();
            cuts(&Stepped::all(&tracks), LIMITS).len()
        };
        assert_eq!(count(0.0, 40.0), 2);
        assert_eq!(count(1.0, 40.0), 1, "the others go on moving");
        assert_eq!(count(0.0, 1.0), 0, "nothing shows that takes meet");
    }
}
