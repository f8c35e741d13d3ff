//! Keys: from assimp's ticks to seconds.

use glam::{Quat, Vec3};
use russimp::sys::{
    aiAnimInterpolation, aiAnimInterpolation_aiAnimInterpolation_Step, aiQuatKey, aiVectorKey,
};

use super::math::{quat, vec3};
use crate::rig::{Key, Span, Track};
use crate::units::Seconds;

/// The conversion of ticks to seconds.
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

/// A track of translations or scales; `None` without keys.
pub(super) fn vector_track(keys: &[aiVectorKey], ticks: Ticks) -> Option<Track<Vec3>> {
    let keys = keys.iter().map(|key| Key {
        time: ticks.seconds(key.mTime),
        value: vec3(key.mValue),
        span: span(key.mInterpolation),
    });
    some(keys.collect())
}

/// A track of rotations; `None` without keys.
pub(super) fn rotation_track(keys: &[aiQuatKey], ticks: Ticks) -> Option<Track<Quat>> {
    let keys = keys.iter().map(|key| Key {
        time: ticks.seconds(key.mTime),
        value: quat(key.mValue),
        span: span(key.mInterpolation),
    });
    some(keys.collect())
}

fn some<T>(keys: Vec<Key<T>>) -> Option<Track<T>> {
    (!keys.is_empty()).then_some(Track { keys })
}

/// assimp delivers no tangents, so a cubic span looks like a linear one.
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

    #[test]
    fn ticks_become_seconds_and_step_stays_step() {
        let step = key(5.0, 1.0, aiAnimInterpolation_aiAnimInterpolation_Step);
        let linear = key(10.0, 2.0, aiAnimInterpolation_aiAnimInterpolation_Linear);
        let keys = vector_track(&[step, linear], TICKS).unwrap().keys;
        assert_eq!((keys[0].time, keys[1].time), (Seconds(0.5), Seconds(1.0)));
        assert_eq!((&keys[0].span, &keys[1].span), (&Span::Step, &Span::Linear));
        assert_eq!(vector_track(&[], TICKS), None);
    }
}
