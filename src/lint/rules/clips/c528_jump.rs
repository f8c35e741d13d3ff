//! `C528`: jump.

use super::keys::{Dense, dense, dense_of};
use crate::lint::core::numbers::beside;
use crate::lint::rules::rule::{Follows, Through, declare_rule};
use crate::lint::{Context, Curve, Findings, Limit, LimitRange, Offence, Rule};
use crate::rig::{Clip, NodeId};
use crate::units::Seconds;

/// 25° per frame is 750° per second at 30 frames: faster than any throw. Spins are that fast, but for many frames.
const DEGREES: Limit = Limit::new("degrees", 25.0, LimitRange::DEGREES)
    .about("minimum rotation of a jump from one key to the next, in degrees");

/// The first frame of a kick or a blow is up to twice as fast as the frame before.
const TIMES: Limit = Limit::new("times", 4.0, LimitRange::FROM_ZERO)
    .about("minimum ratio of a jump to the steps before and after it");

declare_rule! {
    /// ## What it does
    /// Looks for joints that jump from one frame to the next and continue from there: a step of more than `degrees`
    /// (25) that is more than `times` (4) times as large as the steps right before and after it.
    ///
    /// The step must also be that much larger than nine in ten steps of the track. At most one other joint may rotate
    /// by a third as much at that time, and fewer than half of the joints that move may jump: where one take of a
    /// timeline ends and the next begins, all of them jump. The joint must not change its position as suddenly, as a
    /// plane does that starts its round again. `C523` reports joints that jump off and back.
    ///
    /// Only linear and cubic rotation tracks with at least ten keys, one on nearly every frame, are checked.
    ///
    /// ## Why is this bad?
    /// The limb is in one pose in one frame and in another in the next. Common causes are takes cut together without a
    /// blend, a frozen stretch of motion capture, an Euler flip, or a last key that belongs to another clip.
    ///
    /// ## How to fix
    /// - Delete the key after the jump, and let the curve run through. Between two jumps, delete all keys.
    /// - Blender: *Discontinuity (Euler) Filter*; Maya: *Curves → Euler Filter*; MotionBuilder: blend the takes in *Story*.
    /// - If the cut is intended, key it with constant (stepped) interpolation.
    ///
    /// ## References
    /// - L. Kovar, M. Gleicher, F. Pighin, "Motion Graphs", SIGGRAPH 2002, on continuity of motions.
    Jump, "C528", "jump", Warning, limits: [DEGREES, TIMES]
}

impl Rule for Jump {
    fn follows_from(&self) -> &'static [Follows] {
        &const { Through::Clips.each(["C510", "C532"]) }
    }

    fn curve(&self, cx: &Context<'_>, clip: &Clip, joint: NodeId) -> Option<Curve> {
        let track = dense_of(cx, clip, joint)?;
        let times = track.keys[1..].iter().map(|key| key.time.0);
        let points = times.zip(track.steps()).collect();
        let curve = Curve::of("rotation since the key before, degrees", [("", points)]);
        curve.map(|curve| curve.limited(1.0))
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let [least, times] = [DEGREES, TIMES].map(|limit| cx.limit(&Self::META, &limit));
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            let tracks = dense(cx, clip);
            for track in &tracks {
                let Some((key, degrees)) = jump(track, [least, times]) else {
                    continue;
                };
                if !stands_alone(track, key, degrees, &tracks)
                    || is_cut(track, key, times, &tracks)
                    || is_moved(clip, track, key, times)
                {
                    continue;
                }
                let offence = Offence::above(&group, "joint", degrees, least);
                let offence = offence
                    .joint(track.joint)
                    .at(Seconds(track.keys[key + 1].time.0));
                out.add(offence, |subject| {
                    let subject = subject.of_joint(track.joint);
                    let degrees = beside(degrees, least, 0);
                    let message =
                        format!("jumps by {degrees}° in one frame and continues from there");
                    (subject.at(Seconds(track.keys[key + 1].time.0)), message)
                });
            }
        }
    }
}

/// Whether at most one joint besides `track`'s rotates by a third of `degrees` from `key` to the next: in a blow, a
/// whole limb and the trunk do.
fn stands_alone(track: &Dense<'_>, key: usize, degrees: f64, tracks: &[Dense<'_>]) -> bool {
    let time = track.keys[key].time.0 + 0.5 * track.frame;
    let others = tracks.iter().filter(|other| other.joint != track.joint);
    let far = others.filter(|other| 3.0 * other.step_at(time) > degrees);
    far.count() <= 1
}

/// Whether the joint is also moved in that step, as far beyond its other steps: it is put elsewhere on purpose, such as a plane
/// that begins its round again.
fn is_moved(clip: &Clip, track: &Dense<'_>, key: usize, times: f64) -> bool {
    let mut channels = clip.channels.iter();
    let channel = channels.find(|channel| channel.node == track.joint);
    let Some(moves) = channel.and_then(|channel| channel.translation.as_ref()) else {
        return false;
    };
    let pairs = moves.keys.windows(2);
    let steps = pairs.map(|pair| f64::from(pair[0].value.distance(pair[1].value)));
    let steps: Vec<f64> = steps.collect();
    let middle = track.keys[key].time.0 + 0.5 * track.frame;
    let next = moves.keys.partition_point(|key| key.time.0 <= middle);
    let step = next.checked_sub(1).and_then(|before| steps.get(before));
    step.is_some_and(|step| *step > 0.0 && *step > times * usual(&steps))
}

/// Whether at least half of the other joints that ever move, and two or more, jump at that time, too: one take ends there and the
/// next begins, as in formats that have a single timeline.
fn is_cut(track: &Dense<'_>, key: usize, times: f64, tracks: &[Dense<'_>]) -> bool {
    let time = track.keys[key].time.0 + 0.5 * track.frame;
    let others = tracks.iter().filter(|other| other.joint != track.joint);
    let jumps = others.filter_map(|other| {
        let steps = other.steps();
        let moves = steps.iter().any(|step| *step > 0.0);
        let step = other.step_at(time);
        moves.then(|| step > 0.0 && step > times * usual(&steps))
    });
    let jumps: Vec<bool> = jumps.collect();
    jumps.len() >= 2 && 2 * jumps.iter().filter(|jumps| **jumps).count() >= jumps.len()
}

/// A step that nine in ten steps do not exceed; the shortest of few.
fn usual(steps: &[f64]) -> f64 {
    let mut sorted = steps.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[(sorted.len() * 9 / 10).saturating_sub(1)]
}

/// The largest jump: the key before it, and its degrees.
fn jump(track: &Dense<'_>, [least, times]: [f64; 2]) -> Option<(usize, f64)> {
    let steps = track.steps();
    let usual = usual(&steps);
    let is_jump = |&key: &usize| {
        let around = [key.checked_sub(1), Some(key + 1)].into_iter().flatten();
        let around = around.filter_map(|key| steps.get(key));
        let calm = around.fold(usual, |largest, step| step.max(largest));
        let seconds = track.keys[key + 1].time.0 - track.keys[key].time.0;
        steps[key] > least && steps[key] > times * calm && seconds <= 1.5 * track.frame
    };
    let jumps = (0..steps.len())
        .filter(is_jump)
        .map(|key| (key, steps[key]));
    jumps.max_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::rig::{Key, NodeId, Track};

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

    fn is_reported(others: &[f32]) -> bool {
        let jumps = [40.0].iter().chain(others);
        let keys: Vec<_> = jumps.map(|jump| turning(*jump)).collect();
        let tracks = keys.iter().enumerate().map(|(index, keys)| Dense {
            joint: NodeId::from_index(index),
            keys,
            frame: 1.0 / 24.0,
        });
        let tracks: Vec<Dense<'_>> = tracks.collect();
        let (key, degrees) = jump(&tracks[0], [25.0, 4.0]).expect("it jumps");
        stands_alone(&tracks[0], key, degrees, &tracks) && !is_cut(&tracks[0], key, 4.0, &tracks)
    }

    #[test]
    fn a_joint_that_jumps_alone_is_reported() {
        assert!(is_reported(&[]));
        assert!(is_reported(&[1.0, 1.0, 1.0]));
        assert!(is_reported(&[10.0, 1.0, 1.0]));
    }

    #[test]
    fn a_pose_that_changes_as_a_whole_is_a_cut_between_takes() {
        assert!(!is_reported(&[10.0, 10.0, 1.0]));
        assert!(!is_reported(&[10.0, 10.0, 10.0]));
    }
}
