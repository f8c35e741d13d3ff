//! Rotations between neighbouring keys.

use glam::{DQuat, Quat};

use crate::rig::{Clip, Key, NodeId, Span};
use crate::units::Seconds;

/// The effect of rounding keys on the dot product of two.
///
/// The coarsest storage that glTF 2.0 §3.11 allows for rotations is signed 8-bit integers: a component is off by at most
/// 1/254, a key by 2/254, and the product of two by 4/254.
pub(super) const ROUNDING: f64 = 4.0 / 254.0;

/// The rotation halfway between two along the shortest arc: `slerp` at 0.5 without a sine.
pub(super) fn halfway(a: Quat, b: Quat) -> DQuat {
    let (a, b) = (a.as_dquat(), b.as_dquat());
    let b = if a.dot(b) < 0.0 { -b } else { b };
    (a + b).normalize()
}

/// Two neighbouring rotation keys.
pub(super) struct KeyPair<'a> {
    /// The driven node.
    pub(super) joint: NodeId,
    /// The time of the earlier key.
    pub(super) time: Seconds,
    /// The rotation from the earlier key to the later.
    pub(super) seconds: f64,
    /// The dot product of the two keys at unit length: the cosine of half the angle between them.
    pub(super) dot: f64,
    /// The interpolation between them.
    pub(super) span: &'a Span<Quat>,
}

/// All pairs of neighbouring rotation keys that are rotations.
pub(super) fn key_pairs(clip: &Clip) -> impl Iterator<Item = KeyPair<'_>> {
    clip.channels.iter().flat_map(|channel| {
        let keys = channel
            .rotation
            .iter()
            .flat_map(|track| track.keys.windows(2));
        keys.filter_map(|pair| key_pair(channel.node, &pair[0], &pair[1]))
    })
}

/// `None` if a key is zero or not finite, which other rules report.
fn key_pair<'a>(joint: NodeId, from: &'a Key<Quat>, to: &Key<Quat>) -> Option<KeyPair<'a>> {
    let (a, b) = (from.value.as_dquat(), to.value.as_dquat());
    let lengths = (a.length_squared() * b.length_squared()).sqrt();
    let dot = a.dot(b) / lengths;
    dot.is_finite().then_some(KeyPair {
        joint,
        time: from.time,
        seconds: to.time.0 - from.time.0,
        dot,
        span: &from.span,
    })
}
