//! Sampling of one track.

use glam::{Mat4, Quat, Vec3};

use super::interpolate::{Between, Interpolate, Tangents};
use crate::rig::{Key, Span, Track};
use crate::units::Seconds;

/// The position of the last sample in a track.
#[derive(Debug, Clone)]
pub(super) struct Cursor<T: Interpolate> {
    /// The number of keys up to the last sample time.
    after: usize,
    /// The path from the last of those keys to the next one, if it was needed.
    path: Option<T::Path>,
}

impl<T: Interpolate> Default for Cursor<T> {
    fn default() -> Self {
        Self {
            after: 0,
            path: None,
        }
    }
}

/// A time, and the number of keys up to it in the last track: most tracks of a clip have the same key times.
pub(super) struct TimeIndex {
    pub(super) time: Seconds,
    pub(super) after: usize,
}

impl TimeIndex {
    /// The number of `keys` up to the time. Three guesses, each checked in constant time, spare most binary searches: the
    /// number in the last track, one more than this track had at the time before, and even spacing.
    ///
    /// * `last` – this track's number at the time before.
    pub(super) fn after<T>(&mut self, keys: &[Key<T>], last: usize) -> usize {
        let time = self.time;
        let guesses = [self.after, last + 1, if_evenly_spaced(keys, time)];
        let guess = guesses.into_iter().find(|after| is_at(keys, *after, time));
        self.after = guess.unwrap_or_else(|| keys.partition_point(|key| key.time <= time));
        self.after
    }
}

/// Whether `after` is the number of keys up to `time`, and there is a key after it.
#[inline]
fn is_at<T>(keys: &[Key<T>], after: usize, time: Seconds) -> bool {
    let before = keys.get(after.wrapping_sub(1));
    let next = keys.get(after);
    before.is_some_and(|key| key.time <= time) && next.is_some_and(|key| key.time > time)
}

/// The number of `keys` up to `time` if they are evenly spaced and it is between them.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a guess"
)]
fn if_evenly_spaced<T>(keys: &[Key<T>], time: Seconds) -> usize {
    let [first, .., last] = keys else {
        return 0;
    };
    let part = (time.0 - first.time.0) / (last.time.0 - first.time.0);
    ((part * (keys.len() - 1) as f64) as usize).saturating_add(1)
}

impl<T: Interpolate> Cursor<T> {
    /// The value of `track` at a time; `None` without a track, or if its keys give no value.
    pub(super) fn sample(&mut self, track: Option<&Track<T>>, index: &mut TimeIndex) -> Option<T> {
        let (keys, time) = (&track?.keys, index.time);
        // In ascending order, most samples lie between the same keys as the last one, so its path is still valid.
        if !is_at(keys, self.after, time) {
            *self = Self {
                after: index.after(keys, self.after),
                path: None,
            };
        }
        let after = self.after;
        // Outside its keys a track holds the nearest value.
        let (Some(key), Some(next)) = (keys.get(after.wrapping_sub(1)), keys.get(after)) else {
            let nearest = if after == 0 {
                keys.first()
            } else {
                keys.last()
            };
            return nearest?.value.at_key();
        };
        let (elapsed, span) = (time.0 - key.time.0, next.time.0 - key.time.0);
        // At a key, and if the next one is infinitely far, no span is evaluated, so that the key's bits are kept.
        if elapsed <= 0.0 || !span.is_finite() {
            return key.value.at_key();
        }
        let between = Between {
            from: &key.value,
            to: &next.value,
            phase: elapsed / span,
        };
        match &key.span {
            Span::Step => key.value.at_key(),
            Span::Linear => T::linear(between, &mut self.path),
            Span::Cubic { leave, arrive } => {
                let tangents = Tangents {
                    leave,
                    arrive,
                    span,
                };
                T::cubic(between, tangents)
            }
        }
    }
}

/// A rotation track at `time`, a unit quaternion: one track as [`sample`](super::sample()) samples it.
///
/// `None` if the track has no key, or the keys around `time` are zero or not finite.
#[must_use]
pub fn rotation_at(track: &Track<Quat>, time: Seconds) -> Option<Quat> {
    sample_track(track, time)
}

/// A translation or scale track at `time`: one track as [`sample`](super::sample()) samples it.
///
/// `None` if the track has no key.
#[must_use]
pub fn vector_at(track: &Track<Vec3>, time: Seconds) -> Option<Vec3> {
    sample_track(track, time)
}

/// A track of whole matrices at `time`: one track as [`sample`](super::sample()) samples it.
///
/// `None` if the track has no key.
#[must_use]
pub fn matrix_at(track: &Track<Mat4>, time: Seconds) -> Option<Mat4> {
    sample_track(track, time)
}

/// A track of morph weights at `time`, one number per target: one track as [`sample`](super::sample()) samples it.
///
/// `None` if the track has no key.
#[must_use]
pub fn morph_weights_at(track: &Track<Vec<f32>>, time: Seconds) -> Option<Vec<f32>> {
    sample_track(track, time)
}

pub(super) fn sample_track<T: Interpolate>(track: &Track<T>, time: Seconds) -> Option<T> {
    Cursor::default().sample(Some(track), &mut TimeIndex { time, after: 0 })
}
