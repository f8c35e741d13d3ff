//! Rotation tracks with a key on every frame.

use crate::lint::Context;
use crate::lint::analysis::joints;
use crate::lint::rules::clips::frames::LONGEST_FRAME;
use crate::rig::{Clip, Key, NodeId, Span, rotation_angle};
use glam::Quat;

/// Fewer keys show no rule of the motion from which one could be an exception.
const FEWEST: usize = 10;

/// A rotation track, and the median time between its keys in seconds.
pub(super) struct Dense<'a> {
    pub(super) joint: NodeId,
    pub(super) keys: &'a [Key<Quat>],
    pub(super) frame: f64,
}

/// The rotation tracks of the joints that carry a mesh, with straight spans of a frame or two.
pub(super) fn dense<'a>(cx: &Context<'_>, clip: &'a Clip) -> Vec<Dense<'a>> {
    let skeletal = joints::skeletal(cx.asset);
    let tracks = clip.channels.iter().filter_map(|channel| {
        let keys = &channel.rotation.as_ref()?.keys;
        let is_straight = keys.iter().all(|key| key.span == Span::Linear);
        (keys.len() >= FEWEST && is_straight && skeletal[channel.node.index()]).then(|| {
            let steps = keys.windows(2).map(|pair| pair[1].time.0 - pair[0].time.0);
            let mut steps: Vec<f64> = steps.collect();
            steps.sort_unstable_by(f64::total_cmp);
            Dense {
                joint: channel.node,
                keys,
                frame: steps[steps.len() / 2],
            }
        })
    });
    tracks
        .filter(|track| track.frame <= 2.1 * LONGEST_FRAME)
        .collect()
}

impl Dense<'_> {
    /// The angle from the key before `time` to the next, in degrees; 0 outside the keys.
    pub(super) fn step_at(&self, time: f64) -> f64 {
        let next = self.keys.partition_point(|key| key.time.0 <= time);
        match (
            next.checked_sub(1).and_then(|key| self.keys.get(key)),
            self.keys.get(next),
        ) {
            (Some(before), Some(after)) => degrees(before.value, after.value),
            _ => 0.0,
        }
    }

    /// The angle from each key to the next, in degrees.
    pub(super) fn steps(&self) -> Vec<f64> {
        let pairs = self.keys.windows(2);
        pairs
            .map(|pair| degrees(pair[0].value, pair[1].value))
            .collect()
    }
}

/// The angle between two rotations, in degrees.
fn degrees(a: Quat, b: Quat) -> f64 {
    rotation_angle((a.conjugate() * b).as_dquat()).to_degrees()
}
