//! `C528`: jump.

use super::cuts::{End, Jump as Jumped, Limits, Stepped, cuts, usual};
use super::keys::{Dense, dense, distinct};
use crate::analysis::naming::Pairs;
use crate::core::numbers::beside;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::Clip;
use crate::units::Seconds;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// 25° per frame is 750° per second at 30 frames: faster than any throw. Spins are that fast, but for many frames.
const DEGREES: Limit = Limit::new("degrees", 25.0, LimitRange::DEGREES)
    .about("minimum rotation of a jump from one key to the next, in degrees");

/// The first frame of a kick or a blow is up to twice as fast as the frame before.
const TIMES: Limit = Limit::new("times", 4.0, LimitRange::FROM_ZERO)
    .about("minimum ratio of a jump to the steps before and after it");

/// If this part of the other joints jumps at the same time, the pose changes as a whole.
const AT_ONCE: f64 = 0.5;

const STEP: Gauge = Gauge::new(
    "rotation in one frame that stands alone",
    ReadingUnit::Degrees,
);

declare_rule! {
    Jump, "C528", "jump", Hint, Judged, on_request = true, limits = &[DEGREES, TIMES]
}

impl Rule for Jump {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limits = limits(cx);
        let counterparts = cx.get::<Pairs>().counterparts(cx.asset);
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            let tracks = dense(cx, clip);
            let all = Stepped::all(&tracks);
            let cuts = cuts(&all, limits);
            let [starts, ends] =
                [End::First, End::Last].map(|end| report_rest(cx, clip, (&all, end), limits, out));
            for own in &all {
                let counterpart = counterparts[own.track.joint.index()];
                let is_alone = |jump: &Jumped| {
                    let is_last = jump.key + 2 == own.track.keys.len();
                    let is_known = starts && jump.key == 0 || ends && is_last;
                    !is_known
                        && own.stands_alone(*jump, &all)
                        && !counterpart.is_some_and(|other| own.is_with(other, *jump, &all))
                        && own.part_beside(*jump, limits, &all) < AT_ONCE
                        && !own.is_in(*jump, &cuts)
                        && !own.snaps(*jump)
                        && !is_moved(clip, own.track, *jump, limits)
                };
                let larger = |a: &Jumped, b: &Jumped| a.degrees.total_cmp(&b.degrees);
                let joint = own.track.joint;
                let time = |jump: Jumped| Seconds(own.track.keys[jump.key + 1].time.0);
                let Some(jump) = own.jumps(limits).filter(&is_alone).max_by(larger) else {
                    let any = Limits {
                        degrees: 0.0,
                        ..limits
                    };
                    let steps = own.jumps(any).filter(|step| step.degrees <= limits.degrees);
                    if let Some(step) = steps.max_by(larger).filter(&is_alone) {
                        out.measure(STEP, [step.degrees, limits.degrees], || {
                            group.clone().joint_id(joint).at(time(step))
                        });
                    }
                    continue;
                };
                let time = time(jump);
                out.measure(STEP, [jump.degrees, limits.degrees], || {
                    group.clone().joint_id(joint).at(time)
                });
                let offence = Offence::above(&group, "joint", jump.degrees, limits.degrees);
                out.add(offence.joint(joint).at(time), |subject| {
                    let degrees = beside(jump.degrees, limits.degrees, 0);
                    let message =
                        format!("jumps by {degrees}° in one frame and continues from there");
                    (subject.joint_id(joint).at(time), message)
                });
            }
        }
    }
}

/// Reports a pose of one key at an end of a clip that is the rest pose, which exporters leave there. Returns whether it is.
fn report_rest(
    cx: &Context<'_>,
    clip: &Clip,
    (all, end): (&[Stepped<'_>], End),
    limits: Limits,
    out: &mut Findings,
) -> bool {
    let jumps: Vec<_> = all
        .iter()
        .filter_map(|own| Some((own, own.jump_at(end, limits)?)))
        .collect();
    let is_rest = |own: &Stepped<'_>| own.rests_at(end, cx.asset);
    let Some((first, degrees)) = jumps
        .iter()
        .map(|(own, degrees)| (*own, *degrees))
        .reduce(|a, b| if b.1 > a.1 { b } else { a })
    else {
        return false;
    };
    // Of the joints that move at all, all are at rest.
    let moving = all.iter().filter(|own| own.moves());
    if jumps.len() < FEWEST_AT_REST || !moving.clone().all(is_rest) {
        return false;
    }
    let joint = first.track.joint;
    let time = Seconds(first.time_of(end));
    let group = cx.clip(clip).part(end.words());
    let joints: Vec<_> = jumps.iter().map(|(own, _)| own.track.joint).collect();
    let offence = Offence::above(&group, "joint", degrees, limits.degrees).joints(&joints);
    out.add_many(offence.at(time), joints.len(), |_| {
        let (key, frame) = (end.words(), beside(degrees, limits.degrees, 0));
        let message = format!(
            "the {key} key of the clip is the rest pose, {frame}° from the key beside it: was a T-pose left there?"
        );
        (cx.clip(clip).joint_id(joint).at(time), message)
    });
    true
}

/// So many joints jump from or to the rest pose; one may start a move.
const FEWEST_AT_REST: usize = 2;

/// Whether the joint is also moved in that step, as far beyond its other steps: it is put elsewhere on purpose.
fn is_moved(clip: &Clip, track: &Dense<'_>, jump: Jumped, limits: Limits) -> bool {
    let channel = clip.channel_of(track.joint);
    let Some(moves) = channel.and_then(|channel| channel.translation.as_ref()) else {
        return false;
    };
    let keys = distinct(&moves.keys);
    let steps: Vec<f64> = keys
        .windows(2)
        .map(|pair| f64::from(pair[0].value.distance(pair[1].value)))
        .collect();
    let middle = track.keys[jump.key].time.0 + 0.5 * track.frame;
    let next = keys.partition_point(|key| key.time.0 <= middle);
    let step = next.checked_sub(1).and_then(|before| steps.get(before));
    step.is_some_and(|step| *step > 0.0 && *step > limits.times * usual(&steps))
}

/// What counts as a jump in this model.
pub(super) fn limits(cx: &Context<'_>) -> Limits {
    let [degrees, times] = [DEGREES, TIMES].map(|limit| cx.limit(&Jump::META, &limit));
    Limits { degrees, times }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::rig::{Asset, Key, Span, TickRate, Track};
    use crate::testing::{arm, reported, rotating};

    /// An elbow that turns by 90° in one of 24 frames, and moves by `away` there.
    fn jumping(away: f32) -> Asset {
        let mut asset = rotating(arm(), Quat::IDENTITY);
        let frames = || (0_u8..24).map(|frame| (f32::from(frame), frame >= 12));
        let turned = frames().map(|(frame, has_jumped)| {
            let degrees = frame + if has_jumped { 90.0 } else { 0.0 };
            (
                f64::from(frame) / 24.0,
                Quat::from_rotation_z(degrees.to_radians()),
            )
        });
        let moved = frames().map(|(frame, has_jumped)| {
            let by = 0.01 * frame + if has_jumped { away } else { 0.0 };
            (f64::from(frame) / 24.0, Vec3::new(by, 1.0, 0.0))
        });
        let channel = &mut asset.clips[0].channels[0];
        channel.rotation = Some(Track::linear(turned.collect::<Vec<_>>()));
        channel.translation = Some(Track::linear(moved.collect::<Vec<_>>()));
        asset
    }

    /// How many of its joints are reported.
    fn count(asset: &Asset) -> usize {
        reported(&Jump, asset).len()
    }

    #[test]
    fn a_joint_that_is_put_elsewhere_at_once_does_not_jump() {
        assert_eq!(count(&jumping(0.0)), 1);
        assert_eq!(count(&jumping(2.0)), 0);
    }

    /// Both joints of the arm bent by some 60°, at rest in one of the keys, and off their rest by `off` degrees there.
    fn with_rest(key: u8, off: f32) -> Vec<String> {
        let mut asset = rotating(arm(), Quat::IDENTITY);
        let channels = [0, 1].map(|joint| {
            let keys = (0_u8..24).map(|own| {
                let degrees = if own == key {
                    off
                } else {
                    60.0 + f32::from(own)
                };
                let rotation = Quat::from_rotation_z(degrees.to_radians());
                (f64::from(own) / 24.0, rotation)
            });
            crate::rig::Channel {
                rotation: Some(Track::linear(keys)),
                ..crate::rig::Channel::of(crate::rig::NodeId(joint))
            }
        });
        asset.clips[0].channels = channels.into();
        reported(&Jump, &asset)
    }

    #[test]
    fn the_rest_pose_at_an_end_of_a_clip_is_reported() {
        for (key, word) in [(0, "first"), (23, "last")] {
            let found = with_rest(key, 0.0);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains(&format!("the {word} key of the clip is the rest pose")));
            let other = with_rest(key, 5.0);
            assert!(
                !other.iter().any(|own| own.contains("rest pose")),
                "{other:?}"
            );
        }
        assert!(with_rest(99, 0.0).is_empty());
    }

    #[test]
    fn a_blow_whose_keys_are_stored_twice_does_not_jump() {
        let mut asset = jumping(0.0);
        let bend = |frame: u8| match frame {
            0..30 => 0.0,
            30 => 10.0,
            31 => 40.0,
            32 => 80.0,
            33 => 110.0,
            _ => 120.0_f32,
        };
        let frames = (0_u8..60).flat_map(|frame| vec![frame; if frame % 5 == 0 { 1 } else { 2 }]);
        let blow = frames.map(|frame| {
            let rotation = Quat::from_rotation_z(bend(frame).to_radians());
            (f64::from(frame) / 24.0, rotation)
        });
        let channel = &mut asset.clips[0].channels[0];
        channel.rotation = Some(Track::linear(blow));
        channel.translation = None;
        assert_eq!(count(&asset), 0);
    }

    #[test]
    fn curves_are_read_at_the_frames_that_a_file_counts() {
        let mut asset = jumping(0.0);
        let keys = keys(&mut asset);
        let still = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        for key in keys.iter_mut() {
            key.span = Span::Cubic {
                leave: still,
                arrive: still,
            };
        }
        // Three keys in the frame of the jump, as an importer adds them to follow a curve.
        let [before, after] = [11, 12].map(|key: usize| keys[key].clone());
        let within = (1_u8..4).map(|part| {
            let part = f32::from(part) / 4.0;
            Key {
                time: Seconds(before.time.0 + f64::from(part) / 24.0),
                value: before.value.slerp(after.value, part),
                span: before.span.clone(),
            }
        });
        keys.splice(12..12, within);
        assert_eq!(count(&asset), 0);
        asset.clips[0].rate = TickRate {
            stated: Some(24.0),
            used: 24.0,
            frames: true,
        };
        assert_eq!(count(&asset), 1);
    }

    fn keys(asset: &mut Asset) -> &mut Vec<Key<Quat>> {
        let track = asset.clips[0].channels[0].rotation.as_mut();
        &mut track.expect("the elbow rotates").keys
    }
}
