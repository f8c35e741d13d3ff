//! Clips as engines sample and interpolate them.

use glam::{DQuat, Quat};

use super::engine::{Interpolation, NEAR};
use super::error::EngineError;
use crate::pose::{matrix_at, morph_weights_at, rotation_at, vector_at};
use crate::rig::{Clip, Key, Span, Track};
use crate::shown::escaped;
use crate::units::Seconds;

/// The most keys of a clip.
const MOST_KEYS: usize = 10_000_000;

/// Replaces the keys of a clip by samples at `rate` per second from 0 to its end, and at its end. Tracks that only step still
/// do; between all other samples the clip is linear.
pub(super) fn resample(clip: &mut Clip, rate: f64) -> Result<(), EngineError> {
    let start = clip.start.0.min(0.0);
    let steps = ((clip.end.0 - start) * rate).ceil().max(0.0);
    let tracks = clip.drivers().count();
    #[expect(clippy::cast_precision_loss, reason = "it is only compared")]
    let fits = steps * tracks as f64 <= MOST_KEYS as f64;
    if !fits {
        return Err(too_many_keys(clip));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "below the limit and not negative"
    )]
    let steps = steps as u32;
    let times: Vec<Seconds> = (0..steps)
        .map(|step| start + f64::from(step) / rate)
        .chain([clip.end.0])
        .map(Seconds)
        .collect();
    for channel in &mut clip.channels {
        resample_track(&mut channel.translation, &times, vector_at);
        resample_track(&mut channel.rotation, &times, rotation_at);
        resample_track(&mut channel.scale, &times, vector_at);
        resample_track(&mut channel.matrix, &times, matrix_at);
    }
    for channel in &mut clip.morph_channels {
        sample(&mut channel.weights, &times, morph_weights_at);
    }
    Ok(())
}

fn resample_track<T>(
    track: &mut Option<Track<T>>,
    times: &[Seconds],
    at: fn(&Track<T>, Seconds) -> Option<T>,
) {
    if let Some(track) = track {
        sample(track, times, at);
    }
}

/// A track that has no value at one of the times stays as it is.
fn sample<T>(track: &mut Track<T>, times: &[Seconds], at: fn(&Track<T>, Seconds) -> Option<T>) {
    let only_steps = track.keys.iter().all(|key| matches!(key.span, Span::Step));
    let keys: Option<Vec<Key<T>>> = times
        .iter()
        .map(|&time| {
            Some(Key {
                time,
                value: at(track, time)?,
                span: if only_steps { Span::Step } else { Span::Linear },
            })
        })
        .collect();
    if let Some(keys) = keys {
        track.keys = keys;
    }
}

/// Makes the linear spans of rotations move as the engine interpolates them, by adding keys where that is not at constant speed.
///
/// * `rotations` – at constant speed if `None`.
pub(super) fn interpolate(
    clip: &mut Clip,
    rotations: Option<Interpolation>,
) -> Result<(), EngineError> {
    let is_mixed = match rotations {
        None | Some(Interpolation::Spherical) => return Ok(()),
        Some(Interpolation::Components) => false,
        Some(Interpolation::Mixed) => true,
    };
    let mut count: usize = clip.drivers().map(|driver| driver.track.count()).sum();
    for index in 0..clip.channels.len() {
        let Some(track) = &clip.channels[index].rotation else {
            continue;
        };
        let mut keys = Vec::with_capacity(track.keys.len());
        for (at, key) in track.keys.iter().enumerate() {
            keys.push(key.clone());
            let (Span::Linear, Some(next)) = (&key.span, track.keys.get(at + 1)) else {
                continue;
            };
            if is_mixed && !is_near(key, next) {
                continue;
            }
            let added = between(key, next);
            count = count.saturating_add(added.len());
            if count > MOST_KEYS {
                return Err(too_many_keys(clip));
            }
            keys.extend(added);
        }
        clip.channels[index].rotation = Some(Track { keys });
    }
    Ok(())
}

fn is_near(key: &Key<Quat>, next: &Key<Quat>) -> bool {
    let (from, to) = (key.value.as_dquat(), next.value.as_dquat());
    from.dot(to).abs() > NEAR
}

/// The largest distance of an added path from the engine's, as an angle between quaternions in radians.
const TOLERANCE: f64 = 1e-6;

/// Keys between two others on the path of a normalized linear interpolation.
///
/// That path runs along the great arc, so only its speed differs from the spherical one's. At the fraction t of an arc of angle θ
/// the angle is f(t) = atan2(t sin θ, 1 - t + t cos θ), and |f″| ≤ 2 sin θ (1 - cos θ) / ((1 + cos θ) / 2)². Between n spans
/// at constant speed the error is at most |f″| / 8n².
fn between(key: &Key<Quat>, next: &Key<Quat>) -> Vec<Key<Quat>> {
    let (from, to) = (key.value.as_dquat(), next.value.as_dquat());
    let (from, to) = (from.normalize(), to.normalize());
    let to = if from.dot(to) < 0.0 { -to } else { to };
    let cos = from.dot(to).min(1.0);
    let sin = (1.0 - cos * cos).max(0.0).sqrt();
    let half = f64::midpoint(1.0, cos);
    let bend = 2.0 * sin * (1.0 - cos) / (half * half);
    let spans = (bend / (8.0 * TOLERANCE)).sqrt().ceil();
    // Not for a rotation without a direction.
    if !(spans > 1.0 && next.time.0 > key.time.0) {
        return Vec::new();
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most 1001, for a quarter of a turn between the quaternions"
    )]
    let spans = spans as u32;
    let added = (1..spans).map(|index| {
        let part = f64::from(index) / f64::from(spans);
        let value: DQuat = (from * (1.0 - part) + to * part).normalize();
        Key {
            time: Seconds(key.time.0 + (next.time.0 - key.time.0) * part),
            value: value.as_quat(),
            span: Span::Linear,
        }
    });
    added.collect()
}

fn too_many_keys(clip: &Clip) -> EngineError {
    EngineError::TooManyKeys {
        clip: escaped(&clip.name),
        most: MOST_KEYS,
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{Channel, NodeId};

    fn clip(channel: Channel, end: f64) -> Clip {
        Clip {
            channels: vec![channel],
            ..Clip::new("clip", Seconds(end))
        }
    }

    #[test]
    fn a_curve_is_sampled_at_thirty_frames_per_second_and_at_its_end() {
        let mut track = Track::linear([(0.0, Vec3::ZERO), (0.1, Vec3::ZERO)]);
        track.keys[0].span = Span::Cubic {
            leave: Vec3::X,
            arrive: Vec3::ZERO,
        };
        let exact = |time: f64| vector_at(&track, Seconds(time)).map(|value| value.x);
        let translation = Some(track.clone());
        let channel = Channel {
            translation,
            ..Channel::of(NodeId(0))
        };
        let mut clip = clip(channel, 0.11);
        resample(&mut clip, 30.0).unwrap();
        let sampled = clip.channels[0].translation.as_ref().unwrap();
        let times: Vec<f64> = sampled.keys.iter().map(|key| key.time.0).collect();
        assert_eq!(times, [0.0, 1.0 / 30.0, 2.0 / 30.0, 0.1, 0.11]);
        let at = |time: f64| vector_at(sampled, Seconds(time)).map(|value| value.x);
        assert_eq!(at(1.0 / 30.0), exact(1.0 / 30.0));
        // Hermite: t (1 - t)² of 0.1 s, at t = 1/3 and 2/3.
        let middle = 0.05 * (4.0 / 27.0 + 2.0 / 27.0);
        assert!((f64::from(at(0.05).unwrap()) - middle).abs() < 1e-7);
    }

    #[test]
    fn steps_stay_steps() {
        let mut track = Track::linear([(0.0, Vec3::ZERO), (0.05, Vec3::X)]);
        track.keys.iter_mut().for_each(|key| key.span = Span::Step);
        let channel = Channel {
            translation: Some(track),
            ..Channel::of(NodeId(0))
        };
        let mut clip = clip(channel, 0.1);
        resample(&mut clip, 30.0).unwrap();
        let sampled = clip.channels[0].translation.as_ref().unwrap();
        assert_eq!(vector_at(sampled, Seconds(0.06)), Some(Vec3::ZERO));
        assert_eq!(vector_at(sampled, Seconds(0.07)), Some(Vec3::X));
    }

    #[test]
    fn a_clip_that_is_too_long_is_an_error() {
        for end in [1e12, f64::INFINITY] {
            let channel = Channel {
                translation: Some(Track::linear([(0.0, Vec3::ZERO)])),
                ..Channel::of(NodeId(0))
            };
            let error = resample(&mut clip(channel, end), 30.0).unwrap_err();
            assert!(matches!(error, EngineError::TooManyKeys { .. }), "{error}");
        }
    }

    /// A rotation about z by 160°, a quarter of the way: atan2(sin 80° / 4, 3/4 + cos 80° / 4) of the half angle.
    #[test]
    fn components_are_slow_at_the_ends_of_a_span() {
        let to = Quat::from_rotation_z(160_f32.to_radians());
        let rotation = Track::linear([(0.0, Quat::IDENTITY), (1.0, -to)]);
        let channel = Channel {
            rotation: Some(rotation),
            ..Channel::of(NodeId(0))
        };
        let mut clip = clip(channel, 1.0);
        interpolate(&mut clip, Some(Interpolation::Components)).unwrap();
        let track = clip.channels[0].rotation.as_ref().unwrap();
        for part in [0.1, 0.25, 0.4321, 0.5, 0.9] {
            let half = 80_f64.to_radians();
            let expected = libm::atan2(part * half.sin(), 1.0 - part + part * half.cos());
            let at = rotation_at(track, Seconds(part)).unwrap();
            let angle = libm::atan2(f64::from(at.z), f64::from(at.w));
            assert!(
                (angle - expected).abs() < 2e-6,
                "{part}: {angle}, {expected}"
            );
        }
    }

    #[test]
    fn a_mixed_interpolation_is_by_components_between_near_rotations_only() {
        for (degrees, added) in [(30_f32, true), (40.0, false)] {
            let to = Quat::from_rotation_z(degrees.to_radians());
            let rotation = Some(Track::linear([(0.0, Quat::IDENTITY), (1.0, -to)]));
            let channel = Channel {
                rotation,
                ..Channel::of(NodeId(0))
            };
            let mut clip = clip(channel, 1.0);
            interpolate(&mut clip, Some(Interpolation::Mixed)).unwrap();
            let keys = clip.channels[0].rotation.as_ref().unwrap().keys.len();
            assert_eq!(keys > 2, added, "{degrees}");
        }
    }

    #[test]
    fn rotations_without_a_direction_stay_as_they_are() {
        let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        let rotation = Some(Track::linear([(0.0, zero), (1.0, Quat::IDENTITY)]));
        let channel = Channel {
            rotation,
            ..Channel::of(NodeId(0))
        };
        let mut clip = clip(channel, 1.0);
        interpolate(&mut clip, Some(Interpolation::Components)).unwrap();
        assert_eq!(clip.channels[0].rotation.as_ref().unwrap().keys.len(), 2);
    }
}
