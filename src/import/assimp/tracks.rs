//! Keys: from assimp's ticks to seconds, in order of time.

use glam::{Quat, Vec3};
use russimp::sys::{
    aiAnimInterpolation, aiAnimInterpolation_aiAnimInterpolation_Step, aiQuatKey, aiVectorKey,
};

use super::math::{quat, vec3};
use super::notes::Notes;
use crate::rig::{Key, Span, Track};
use crate::units::Seconds;

/// How ticks become seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ticks {
    /// Greater than 0.
    pub(super) per_second: f64,
}

impl Ticks {
    /// The time of tick `ticks`.
    pub(super) fn seconds(self, ticks: f64) -> Seconds {
        Seconds(ticks / self.per_second)
    }
}

/// Leaves out keys at no finite time and puts the others in order; `None` if none is left.
pub(super) fn track<T>(mut keys: Vec<Key<T>>, place: &str, notes: &mut Notes) -> Option<Track<T>> {
    let all = keys.len();
    keys.retain(|key| key.time.0.is_finite());
    if keys.len() < all {
        notes.add(place, "left out keys whose time is not a number");
    }
    if !keys.is_sorted_by(|a, b| a.time <= b.time) {
        keys.sort_by(|a, b| a.time.0.total_cmp(&b.time.0));
        notes.add(place, "put keys in order of time");
    }
    (!keys.is_empty()).then_some(Track { keys })
}

/// A track of translations or scales; `None` without keys.
pub(super) fn vector_track(
    keys: &[aiVectorKey],
    ticks: Ticks,
    place: &str,
    notes: &mut Notes,
) -> Option<Track<Vec3>> {
    let keys = keys.iter().map(|key| Key {
        time: ticks.seconds(key.mTime),
        value: vec3(key.mValue),
        span: span(key.mInterpolation),
    });
    track(keys.collect(), place, notes)
}

/// A track of rotations; `None` without keys.
pub(super) fn rotation_track(
    keys: &[aiQuatKey],
    ticks: Ticks,
    place: &str,
    notes: &mut Notes,
) -> Option<Track<Quat>> {
    let keys = keys.iter().map(|key| Key {
        time: ticks.seconds(key.mTime),
        value: quat(key.mValue),
        span: span(key.mInterpolation),
    });
    track(keys.collect(), place, notes)
}

/// assimp gives no tangents, so that a cubic span cannot be told from a linear one.
fn span<T>(interpolation: aiAnimInterpolation) -> Span<T> {
    if interpolation == aiAnimInterpolation_aiAnimInterpolation_Step {
        Span::Step
    } else {
        Span::Linear
    }
}

#[cfg(test)]
mod tests {
    use russimp::sys::{aiAnimInterpolation_aiAnimInterpolation_Linear, aiVector3D};

    use super::*;

    const TICKS: Ticks = Ticks { per_second: 10.0 };

    fn key(time: f64, x: f32, interpolation: aiAnimInterpolation) -> aiVectorKey {
        aiVectorKey {
            mTime: time,
            mValue: aiVector3D { x, y: 0.0, z: 0.0 },
            mInterpolation: interpolation,
        }
    }

    fn read(keys: &[aiVectorKey]) -> (Option<Track<Vec3>>, usize) {
        let mut notes = Notes::default();
        let track = vector_track(keys, TICKS, "clip", &mut notes);
        (track, notes.into_inner().len())
    }

    #[test]
    fn ticks_become_seconds_and_step_stays_step() {
        let step = key(5.0, 1.0, aiAnimInterpolation_aiAnimInterpolation_Step);
        let linear = key(10.0, 2.0, aiAnimInterpolation_aiAnimInterpolation_Linear);
        let (track, notes) = read(&[step, linear]);
        let keys = track.expect("there are two keys").keys;
        assert_eq!((keys[0].time, keys[1].time), (Seconds(0.5), Seconds(1.0)));
        assert_eq!((&keys[0].span, &keys[1].span), (&Span::Step, &Span::Linear));
        assert_eq!(notes, 0);
    }

    #[test]
    fn keys_out_of_order_are_sorted_and_those_at_no_time_left_out() {
        let (track, notes) = read(&[key(3.0, 3.0, 1), key(f64::NAN, 0.0, 1), key(2.0, 2.0, 1)]);
        let keys = track.expect("two of the keys are good").keys;
        let values: Vec<f32> = keys.iter().map(|key| key.value.x).collect();
        assert_eq!(values, [2.0, 3.0]);
        assert_eq!(notes, 2);
    }

    #[test]
    fn a_track_without_a_usable_key_is_no_track() {
        assert_eq!(read(&[]), (None, 0));
        assert_eq!(read(&[key(f64::INFINITY, 0.0, 1)]), (None, 1));
    }
}
