//! Keys of a channel: rotations between neighbours, tracks with a key on every frame, and gaps.

use std::borrow::Cow;

use glam::{DQuat, Quat};

use super::paths::{LONGEST_FRAME, SAME_TIME, frames, stated_frame};
use crate::Context;
use crate::analysis::joints;
use crate::core::numbers::median;
use crate::pose::rotation_at;
use crate::rig::{ChannelId, Clip, Driver, Key, NodeId, Span, Track, TrackPart, rotation_angle};
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

impl KeyPair<'_> {
    pub(super) fn channel(&self) -> ChannelId {
        ChannelId {
            node: self.joint,
            path: TrackPart::Rotation,
        }
    }
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

/// With fewer keys, a motion has no pattern from which a key could deviate.
const FEWEST: usize = 10;

/// A rotation track with a value on nearly every frame.
pub(super) struct Dense<'a> {
    pub(super) joint: NodeId,
    /// The keys; the frames of a curve in a file that counts frames, as importers add keys between these.
    pub(super) keys: Cow<'a, [Key<Quat>]>,
    /// The median time between them, in seconds.
    pub(super) frame: f64,
}

/// The rotation tracks of the joints that influence a mesh, without steps, with keys that are one or two frames apart.
pub(super) fn dense<'a>(cx: &Context<'_>, clip: &'a Clip) -> Vec<Dense<'a>> {
    let skeletal = joints::skeletal(cx.asset);
    let tracks = clip.channels.iter().filter_map(|channel| {
        let track = channel.rotation.as_ref()?;
        let is_usable = track.keys.len() >= FEWEST && skeletal[channel.node.index()];
        if !is_usable {
            return None;
        }
        let keys = on_beat(track, clip, rotation_at)?;
        let steps = keys.windows(2).map(|pair| pair[1].time.0 - pair[0].time.0);
        let frame = median(steps.collect())?;
        let joint = channel.node;
        (keys.len() >= FEWEST).then_some(Dense { joint, keys, frame })
    });
    tracks
        .filter(|track| track.frame <= 2.1 * LONGEST_FRAME)
        .collect()
}

/// Whether a value is held until the next key, which is another one.
fn is_step<T: PartialEq>(key: &Key<T>, next: &Key<T>) -> bool {
    key.span == Span::Step && key.value != next.value
}

/// The keys without those that a later one of the same time replaces. Keys that are all stored twice would be a motion that
/// stops in every frame.
pub(super) fn distinct<T: Clone>(keys: &[Key<T>]) -> Cow<'_, [Key<T>]> {
    let is_replaced = |pair: &[Key<T>]| pair[0].time >= pair[1].time;
    if !keys.windows(2).any(is_replaced) {
        return Cow::Borrowed(keys);
    }
    let kept = keys.windows(2).filter(|pair| !is_replaced(pair));
    let kept = kept.map(|pair| &pair[0]).chain(keys.last());
    Cow::Owned(kept.cloned().collect())
}

/// The keys of a track, one per time. Of a curve in a file that counts frames, the values at the frames from its first key to its last, as
/// importers add keys between these; `None` if it has keys for fewer than half of them, or steps.
pub(super) fn on_beat<'a, T: Copy + PartialEq>(
    track: &'a Track<T>,
    clip: &Clip,
    at: fn(&Track<T>, Seconds) -> Option<T>,
) -> Option<Cow<'a, [Key<T>]>> {
    let mut pairs = track.keys.windows(2);
    if pairs.any(|pair| is_step(&pair[0], &pair[1])) {
        return None;
    }
    let is_straight = track.keys.iter().all(|key| key.span == Span::Linear);
    let Some(frame) = stated_frame(clip).filter(|_| !is_straight) else {
        return Some(distinct(&track.keys));
    };
    let [first, last] = [track.keys.first()?, track.keys.last()?].map(|key| key.time.0);
    let within = |time: &f64| (first - SAME_TIME..=last + SAME_TIME).contains(time);
    let times: Vec<f64> = frames(clip, frame).filter(within).collect();
    if 2 * track.keys.len() < times.len() {
        return None;
    }
    let values = times.into_iter().map(|time| {
        let time = Seconds(time);
        let value = at(track, time)?;
        Some(Key {
            time,
            value,
            span: Span::Linear,
        })
    });
    values.collect()
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
    apart(a, b).to_degrees()
}

/// The angle between two rotations, in radians.
pub(super) fn apart(a: Quat, b: Quat) -> f64 {
    rotation_angle((a.conjugate() * b).as_dquat())
}

/// A gap is visible from this fraction of a clip: the joint stands still for a quarter of the clip. Tools that trim
/// channels leave less.
const SEEN: f64 = 0.25;

/// The longest time between keys that a program writes at a fixed rate, in seconds. Keys set by an animator are farther apart.
const BAKED: f64 = 0.12;

/// The parts without keys.
#[derive(Clone, Copy)]
pub(super) enum Gap {
    /// Before its first key, in seconds.
    Before(f64),
    /// After its last key, in seconds.
    After(f64),
}

impl Gap {
    /// Whether a gap cuts off the motion of a joint that carries a mesh: it is a large part of the clip, and the channel
    /// moves in the span beside it. At the end it must also have keys at a fixed rate, and move at a quarter of
    /// its largest speed or faster. A joint that comes to rest, a pose that an animator holds, or a part of a machine
    /// that waits, is not cut off.
    pub(super) fn cuts(self, cx: &Context<'_>, clip: &Clip, driver: &Driver<'_>) -> bool {
        let (seconds, span) = match self {
            Self::Before(seconds) => (seconds, 0),
            Self::After(seconds) => (seconds, driver.track.count().saturating_sub(2)),
        };
        let is_long = seconds > SEEN * clip.duration().0;
        let is_motion = matches!(driver.part, TrackPart::Translation | TrackPart::Rotation);
        is_long
            && is_motion
            && moves(driver, span)
            && self.is_abrupt(driver, span)
            && joints::skeletal(cx.asset)[driver.joint.index()]
    }

    /// Whether a motion does not slow down before a gap at the end.
    fn is_abrupt(self, driver: &Driver<'_>, span: usize) -> bool {
        let track = driver.track;
        let last = track.count() - 1;
        if matches!(self, Self::Before(_)) || span >= last {
            return true;
        }
        let seconds = |span: usize| track.time(span + 1) - track.time(span);
        let speed = |span: usize| {
            let pairs = track.value(span).iter().zip(track.value(span + 1));
            let steps = pairs.map(|(a, b)| f64::from((a - b).abs()));
            steps.fold(0.0, f64::max) / seconds(span)
        };
        seconds(span) <= BAKED && (0..last).all(|other| speed(other) <= 4.0 * speed(span))
    }
}

/// Whether the value changes from key `span` to the next.
fn moves(driver: &Driver<'_>, span: usize) -> bool {
    let track = driver.track;
    let next = (span + 1).min(track.count() - 1);
    let mut pairs = track.value(span).iter().zip(track.value(next));
    pairs.any(|(a, b)| (a - b).abs() > 1e-4 * a.abs().max(1.0))
}
