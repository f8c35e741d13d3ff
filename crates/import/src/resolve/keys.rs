//! Faults of keys, and their repair.

use std::cell::LazyCell;

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};

use crate::log::Log;
use crate::rig::{DefectKind, Key, Location, Span, Track};
use crate::source::KeyTimes;
use crate::unit::{self, rounded};
use crate::units::{Seconds, without_trailing_zeros};

/// The channel that keys belong to.
pub(crate) struct Site<'a> {
    /// Clip, joint and part.
    pub(crate) location: Location,
    pub(crate) log: &'a mut Log,
}

impl Site<'_> {
    pub(super) fn note(&mut self, message: &str) {
        let clip = self.location.clip.as_deref().unwrap_or_default();
        self.log.notes.add(format!("clip {clip:?}"), message);
    }

    /// * `time` – omitted from the report if it is not finite.
    pub(crate) fn report(&mut self, kind: DefectKind, time: f64, badness: f64, message: String) {
        let mut location = self.location.clone();
        location.time = time.is_finite().then_some(Seconds(time));
        self.log
            .defects
            .add_worst(kind, location, 1, badness, message);
    }
}

/// Keys in the order of a file, of any kind of value.
pub(crate) trait Examined {
    fn count(&self) -> usize;

    /// In seconds.
    fn time(&self, key: usize) -> f64;

    /// Whether all numbers of a key are finite.
    fn is_finite(&self, key: usize) -> bool;

    /// Whether the value of a key holds up to the next.
    fn is_held(&self, key: usize) -> bool;

    /// The largest number in the values of all finite keys.
    fn size(&self) -> f64;

    /// The largest difference of a number in the values of two keys.
    fn distance(&self, a: usize, b: usize) -> f64;
}

/// Two values are the same if they are this far apart, in the largest value of the track: sixteen units in the last place
/// of an f32, in which formats store keys and programs compute them in a few steps.
const ROUNDING: f64 = 2e-6;

/// Reports keys that are not finite, before 0, out of order, or in conflict with the one before. Returns whether all are
/// finite and in order.
pub(crate) fn examine(keys: &impl Examined, times: KeyTimes, site: &mut Site<'_>) -> bool {
    let mut is_sound = true;
    let mut before = None;
    let rounding = LazyCell::new(|| ROUNDING * keys.size());
    for key in 0..keys.count() {
        let time = keys.time(key);
        if !keys.is_finite(key) {
            let message = format!("key {key} is NaN or infinite");
            site.report(DefectKind::NonfiniteKey, time, 0.0, message);
            is_sound = false;
            continue;
        }
        if time < 0.0 {
            let message = format!("key {key} is at {} s", seconds(time));
            site.report(DefectKind::NegativeTime, time, -time, message);
        }
        if let Some(before) = before.replace(key) {
            let are_same = || keys.distance(before, key) <= *rounding;
            is_sound &= pair(keys, (before, key), are_same, times, site);
        }
    }
    is_sound
}

/// Examines two consecutive keys. Returns whether they are in order.
///
/// * `are_same` – whether their values are, except for rounding.
fn pair(
    keys: &impl Examined,
    (before, key): (usize, usize),
    are_same: impl FnOnce() -> bool,
    times: KeyTimes,
    site: &mut Site<'_>,
) -> bool {
    let (earlier, time) = (keys.time(before), keys.time(key));
    let late = earlier - time;
    if late < 0.0 {
        return true;
    }
    if late > 0.0 {
        let [time_text, earlier] = two_seconds(time, earlier);
        let message = format!("key {key} at {time_text} s comes after one at {earlier} s");
        site.report(DefectKind::UnorderedKeys, time, late, message);
        return false;
    }
    let both = format!("keys {before} and {key} are both at {} s", seconds(time));
    if !keys.is_held(before) && !are_same() {
        let message = format!("{both} and differ");
        site.report(DefectKind::ConflictingKeys, time, 0.0, message);
    } else if times == KeyTimes::Increasing {
        site.report(DefectKind::UnorderedKeys, time, 0.0, both);
    }
    true
}

/// To a tenth of a millisecond, without trailing zeros; with more digits if the time would round to 0.
pub(crate) fn seconds(time: f64) -> String {
    match without_trailing_zeros(&format!("{time:.4}")) {
        "0" if time.abs() > 0.0 => format!("{time:.1e}"),
        text => text.to_owned(),
    }
}

/// Two times with as many digits as distinguish them.
fn two_seconds(a: f64, b: f64) -> [String; 2] {
    let rounded = [a, b].map(seconds);
    if rounded[0] == rounded[1] {
        [a, b].map(|time| time.to_string())
    } else {
        rounded
    }
}

/// A value of a track.
pub(super) trait Value: Clone + PartialEq {
    /// Whether all its numbers are finite.
    fn is_finite(&self) -> bool;

    /// The largest of its numbers, without their signs.
    fn size(&self) -> f32;

    /// The largest difference of a number in two values.
    fn distance(&self, other: &Self) -> f32;
}

macro_rules! vectors {
    ($($value:ident),+) => {
        $(
            impl Value for $value {
                fn is_finite(&self) -> bool {
                    Self::is_finite(*self)
                }

                fn size(&self) -> f32 {
                    self.abs().max_element()
                }

                fn distance(&self, other: &Self) -> f32 {
                    (*self - *other).size()
                }
            }
        )+
    };
}

vectors!(Vec2, Vec3, Vec4);

impl Value for f32 {
    fn is_finite(&self) -> bool {
        Self::is_finite(*self)
    }

    fn size(&self) -> f32 {
        self.abs()
    }

    fn distance(&self, other: &Self) -> f32 {
        (self - other).abs()
    }
}

impl Value for bool {
    fn is_finite(&self) -> bool {
        true
    }

    fn size(&self) -> f32 {
        1.0
    }

    fn distance(&self, other: &Self) -> f32 {
        f32::from(u8::from(self != other))
    }
}

impl Value for Mat4 {
    fn is_finite(&self) -> bool {
        Self::is_finite(self)
    }

    fn size(&self) -> f32 {
        largest(self.to_cols_array())
    }

    fn distance(&self, other: &Self) -> f32 {
        largest((*self - *other).to_cols_array())
    }
}

impl Value for Quat {
    fn is_finite(&self) -> bool {
        Self::is_finite(*self)
    }

    fn size(&self) -> f32 {
        largest(self.to_array())
    }

    /// A quaternion and its negative are one rotation.
    fn distance(&self, other: &Self) -> f32 {
        let [straight, negated] = [*self - *other, *self + *other];
        straight.size().min(negated.size())
    }
}

impl Value for Vec<f32> {
    fn is_finite(&self) -> bool {
        self.iter().all(Value::is_finite)
    }

    fn size(&self) -> f32 {
        largest(self.iter().copied())
    }

    fn distance(&self, other: &Self) -> f32 {
        largest(self.iter().zip(other).map(|(a, b)| a - b))
    }
}

fn largest(numbers: impl IntoIterator<Item = f32>) -> f32 {
    numbers.into_iter().map(f32::abs).fold(0.0, f32::max)
}

impl<T: Value> Examined for Track<T> {
    fn count(&self) -> usize {
        self.keys.len()
    }

    fn time(&self, key: usize) -> f64 {
        self.keys[key].time.0
    }

    fn is_finite(&self, key: usize) -> bool {
        let Key { time, value, span } = &self.keys[key];
        let leaves = match span {
            Span::Cubic { leave, .. } => leave.is_finite(),
            Span::Step | Span::Linear => true,
        };
        let arrives = arrival(&self.keys, key).is_none_or(Value::is_finite);
        time.0.is_finite() && value.is_finite() && leaves && arrives
    }

    fn is_held(&self, key: usize) -> bool {
        matches!(self.keys[key].span, Span::Step)
    }

    fn size(&self) -> f64 {
        let values = self.keys.iter().map(|key| &key.value);
        let finite = values.filter(|value| value.is_finite());
        f64::from(largest(finite.map(Value::size)))
    }

    fn distance(&self, a: usize, b: usize) -> f64 {
        f64::from(self.keys[a].value.distance(&self.keys[b].value))
    }
}

/// The in-tangent of `key`: the span before it stores it; for the first key, the span of the last.
fn arrival<T>(keys: &[Key<T>], key: usize) -> Option<&T> {
    let before = key.checked_sub(1).unwrap_or(keys.len() - 1);
    match &keys[before].span {
        Span::Cubic { arrive, .. } => Some(arrive),
        Span::Step | Span::Linear => None,
    }
}

/// Removes keys that are not finite or that `units` rejects, and sorts the others by time.
///
/// * `units` – checks the values further; returns the indices of the rejected keys, ascending.
pub(super) fn repair<T: Value>(
    track: &mut Track<T>,
    times: KeyTimes,
    units: impl FnOnce(&mut Track<T>, &mut Site<'_>) -> Vec<usize>,
    site: &mut Site<'_>,
) {
    let is_sound = examine(track, times, site);
    let refused = units(track, site);
    if is_sound && refused.is_empty() {
        return;
    }
    let keys = 0..track.keys.len();
    let is_finite: Vec<bool> = keys.map(|key| track.is_finite(key)).collect();
    if is_finite.contains(&false) {
        site.note("skipped keys that are NaN or infinite");
    }
    relink(track, |keys| {
        let mut numbers = 0..;
        keys.retain(|_| {
            let key = numbers.next().expect("there is always a next number");
            is_finite[key] && refused.binary_search(&key).is_err()
        });
    });
    if !track.keys.is_sorted_by(|a, b| a.time <= b.time) {
        site.note("put keys in order of time");
        relink(track, |keys| {
            keys.sort_by(|(a, _), (b, _)| a.time.0.total_cmp(&b.time.0));
        });
    }
}

/// Normalizes quaternions whose length differs from 1 by more than storage explains. Returns the keys without a
/// direction, ascending.
pub(super) fn units(track: &mut Track<Quat>, site: &mut Site<'_>) -> Vec<usize> {
    let mut aimless = Vec::new();
    for key in 0..track.keys.len() {
        let Key { time, value, .. } = track.keys[key];
        if unit::is_nearly(&value.to_array(), unit::ROTATION) {
            continue;
        }
        let length = unit::length(&value.to_array());
        let Some(off) = unit::excess(length, unit::ROTATION) else {
            continue;
        };
        let message = format!("rotation key {key} has length {}, not 1", rounded(length));
        if length < unit::NO_DIRECTION {
            site.report(DefectKind::ZeroQuaternion, time.0, off, message);
            site.note("skipped rotation keys whose quaternions are near zero");
            aimless.push(key);
        } else {
            site.report(DefectKind::NonunitKey, time.0, off, message);
            site.note("rotations that are not unit quaternions are normalized");
            scale(&mut track.keys, key, 1.0 / length);
        }
    }
    aimless
}

/// Scales the value and both tangents of key `key`.
fn scale(keys: &mut [Key<Quat>], key: usize, factor: f64) {
    let scaled = |quat: Quat| (quat.as_dquat() * factor).as_quat();
    keys[key].value = scaled(keys[key].value);
    if let Span::Cubic { leave, .. } = &mut keys[key].span {
        *leave = scaled(*leave);
    }
    let before = key.checked_sub(1).unwrap_or(keys.len() - 1);
    if let Span::Cubic { arrive, .. } = &mut keys[before].span {
        *arrive = scaled(*arrive);
    }
}

/// Removes or reorders keys without changing their tangents. A span stores the out-tangent of its key and the in-tangent of
/// the next one, so the in-tangents are first moved to their own keys, and afterwards to the spans that then precede them.
fn relink<T: Clone>(track: &mut Track<T>, change: impl FnOnce(&mut Vec<(Key<T>, Option<T>)>)) {
    let arrivals: Vec<_> = (0..track.keys.len())
        .map(|key| arrival(&track.keys, key).cloned())
        .collect();
    let mut keys: Vec<_> = track.keys.drain(..).zip(arrivals).collect();
    change(&mut keys);
    let mut next: Vec<Option<T>> = keys.iter().map(|(_, arrive)| arrive.clone()).collect();
    let first = usize::from(!next.is_empty());
    next.rotate_left(first);
    let linked = keys.into_iter().zip(next).map(|((key, _), next)| {
        let span = match (key.span, next) {
            (Span::Cubic { leave, .. }, Some(arrive)) => Span::Cubic { leave, arrive },
            (Span::Cubic { .. }, None) => Span::Step,
            (other, _) => other,
        };
        Key { span, ..key }
    });
    track.keys = linked.collect();
}

/// The last key of a spline starts no span.
pub(super) fn close<T>(track: &mut Track<T>) {
    if let Some(Key { span, .. }) = track.keys.last_mut()
        && matches!(span, Span::Cubic { .. })
    {
        *span = Span::Step;
    }
}
