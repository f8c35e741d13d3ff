//! An engine that does exactly what it declares keeps every law, and one that is worse breaks some.

use glam::{Quat, Vec3};

use super::super::testing::{check_rotations, check_skinning, check_vectors};
use super::super::{Body, Capabilities, Cpu, Interpolator, Own, Skinner, Tolerance, reference};
use crate::rig::{Influence, Influences, Track};

/// The tolerance of an engine that declares `capabilities`, as JSON.
fn declaring(capabilities: &str) -> Tolerance {
    let capabilities: Capabilities = serde_json::from_str(capabilities).expect("they are valid");
    capabilities.tolerance()
}

/// The samples around a time, and the position between them.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a phase needs no more bits"
)]
fn resampled<T>(track: &Track<T>, time: f64, fps: f64) -> [(T, f32); 2]
where
    Own: Interpolator<T>,
{
    let (first, last) = (
        track.keys[0].time.0,
        track.keys[track.keys.len() - 1].time.0,
    );
    let frame = ((time.clamp(first, last) - first) * fps).floor();
    let at = |frame: f64| Own.sample(track, first + frame / fps);
    let phase = ((time.clamp(first, last) - first) * fps - frame) as f32;
    [(at(frame), 1.0 - phase), (at(frame + 1.0), phase)]
}

#[test]
fn clips_resampled_at_30_fps_are_right_at_that_rate_and_wrong_at_5() {
    let vectors = |fps: f64| {
        move |track: &Track<Vec3>, time: f64| {
            let [(a, s), (b, t)] = resampled(track, time, fps);
            a * s + b * t
        }
    };
    let rotations = |fps: f64| {
        move |track: &Track<Quat>, time: f64| {
            let [(a, _), (b, t)] = resampled(track, time, fps);
            reference::slerp(a.as_dquat(), b.as_dquat(), f64::from(t)).as_quat()
        }
    };
    let thirty = declaring(r#"{"resampled_fps": 30}"#);
    check_vectors(&vectors(30.0), &thirty).unwrap_or_else(|broken| panic!("{broken}"));
    check_rotations(&rotations(30.0), &thirty).unwrap_or_else(|broken| panic!("{broken}"));
    assert!(check_vectors(&vectors(5.0), &thirty).is_err());
    assert!(check_rotations(&rotations(5.0), &thirty).is_err());
    assert!(check_vectors(&vectors(30.0), &Tolerance::F32_TIME).is_err());
}

/// Skins with other influences.
fn with(change: impl Fn(&[Influence]) -> Vec<Influence> + 'static) -> impl Skinner + 'static {
    move |body: &Body| {
        Cpu.skin(&Body {
            influences: Influences::from_vertices(body.influences.iter().map(&change)),
            ..body.clone()
        })
    }
}

#[test]
fn an_engine_of_two_influences_may_drop_the_smallest_only() {
    let kept = |by_weight: bool| {
        with(move |list: &[Influence]| {
            let mut list = list.to_vec();
            if by_weight {
                list.sort_by(|a, b| b.weight.total_cmp(&a.weight));
            }
            list.truncate(2);
            list
        })
    };
    let two = declaring(r#"{"influences": 2}"#);
    check_skinning(&kept(true), &two).unwrap_or_else(|broken| panic!("{broken}"));
    assert!(check_skinning(&kept(false), &two).is_err());
    assert!(check_skinning(&kept(true), &Tolerance::F32_TIME).is_err());
}

#[test]
#[expect(clippy::cast_possible_truncation, reason = "weights are in f32")]
fn an_engine_of_8_bit_weights_must_round_them_and_keep_their_sum() {
    let stored = |round: fn(f64) -> f64, steps: f64| {
        with(move |list: &[Influence]| {
            let shares = reference::normalize(list);
            let mut stored: Vec<f64> = shares.iter().map(|(_, w)| round(w * steps)).collect();
            let missing = steps - stored.iter().sum::<f64>();
            let heaviest = (0..stored.len()).max_by(|a, b| stored[*a].total_cmp(&stored[*b]));
            if let Some(heaviest) = heaviest {
                stored[heaviest] += missing;
            }
            let slots = shares.iter().zip(stored);
            slots
                .map(|((slot, _), weight)| Influence::new(*slot, (weight / steps) as f32))
                .collect()
        })
    };
    let eight = declaring(r#"{"weight_bits": 8}"#);
    check_skinning(&stored(f64::round, 255.0), &eight).unwrap_or_else(|broken| panic!("{broken}"));
    // Truncated to four bits.
    assert!(check_skinning(&stored(f64::floor, 15.0), &eight).is_err());
    assert!(check_skinning(&stored(f64::round, 255.0), &Tolerance::F32_TIME).is_err());
}
