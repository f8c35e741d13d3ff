//! `C537`: stepped-curve.

use glam::Quat;

use super::keys::distinct;
use crate::analysis::joints;
use crate::core::numbers::{beside, median};
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::{Clip, Key, NodeId, Span, Track, rotation_angle};
use crate::units::Seconds;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// 3° are 4 cm at the end of a leg.
const DEGREES: Limit = Limit::new("degrees", 3.0, LimitRange::DEGREES)
    .about("minimum median rotation from one step to the next, in degrees");

/// Shorter steps are frames of a baked clip, and look like one at a lower rate.
const SECONDS: f64 = 0.1;

/// One or two steps are a switch.
const FEWEST: usize = 3;

const STEPS: Gauge = Gauge::new("steps of a rotation", ReadingUnit::Degrees);

declare_rule! {
    SteppedCurve, "C537", "stepped-curve", Hint, Judged, limits = &[DEGREES]
}

impl Rule for SteppedCurve {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DEGREES);
        let skeletal = joints::skeletal(cx.asset);
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            let tracks: Vec<_> = rotating(clip)
                .filter(|(joint, _)| skeletal[joint.index()])
                .collect();
            let stepped = tracks.iter().filter(|(_, track)| is_stepped(track));
            if 2 * stepped.clone().count() >= tracks.len() {
                continue;
            }
            for (joint, track) in stepped {
                let Some(degrees) = step(track) else {
                    continue;
                };
                out.measure(STEPS, [degrees, limit], || group.clone().joint_id(*joint));
                if degrees <= limit {
                    continue;
                }
                let offence = Offence::above(&group, "joint", degrees, limit);
                out.add(offence.joint(*joint), |subject| {
                    let subject = subject.joint_id(*joint);
                    let degrees = beside(degrees, limit, 0);
                    let message =
                        format!("rotates in steps of {degrees}°, while other joints move smoothly");
                    (subject.at(Seconds(track.keys[1].time.0)), message)
                });
            }
        }
    }
}

/// The tracks whose rotation changes.
fn rotating(clip: &Clip) -> impl Iterator<Item = (NodeId, &Track<Quat>)> {
    let tracks = clip
        .channels
        .iter()
        .filter_map(|channel| Some((channel.node, channel.rotation.as_ref()?)));
    tracks.filter(|(_, track)| track.keys.windows(2).any(|pair| apart(pair) > 0.1))
}

fn is_stepped(track: &Track<Quat>) -> bool {
    let (_, spans) = track.keys.split_last().expect("a track has keys");
    spans.iter().all(|key| key.span == Span::Step)
}

/// The angle between two neighbouring keys, in degrees.
fn apart(pair: &[Key<Quat>]) -> f64 {
    let [from, to] = [&pair[0], &pair[1]].map(|key| key.value.as_dquat().normalize());
    rotation_angle(from.conjugate() * to).to_degrees()
}

/// The median of the steps that change the rotation, if there are enough, and long ones.
fn step(track: &Track<Quat>) -> Option<f64> {
    let keys = distinct(&track.keys);
    let pairs = keys.windows(2);
    let seconds = |pair: &[Key<Quat>]| pair[1].time.0 - pair[0].time.0;
    let length = median(pairs.clone().map(seconds).collect())?;
    let steps: Vec<f64> = pairs.map(apart).filter(|degrees| *degrees > 0.1).collect();
    let is_seen = steps.len() >= FEWEST && length >= SECONDS;
    median(steps).filter(|_| is_seen)
}
