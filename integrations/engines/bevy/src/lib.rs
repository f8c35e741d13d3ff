//! The curves that bevy plays glTF clips with, under skincheck's laws: `cargo test`.
//!
//! A track becomes the curve that bevy's glTF loader makes of it: a constant for one key, or else a step, linear or cubic curve.

#![cfg(test)]

mod palettes;

use bevy_animation::gltf_curves::{CubicKeyframeCurve, CubicRotationCurve, SteppedKeyframeCurve};
use bevy_animation::prelude::{Animatable, AnimatableKeyframeCurve};
use bevy_curve::Curve;
use bevy_math::{Quat, Vec3, Vec4};
use skincheck::glam;
use skincheck::laws::{Tolerance, testing};
use skincheck::rig::{Span, Track};

/// The value of `track`, whose spans are all of one kind, as in a glTF sampler.
///
/// * `convert` – between the two versions of glam.
/// * `cubic` – bevy's curve of key times, and of the in-tangent, value and out-tangent of each key.
fn sampled<T, U: Animatable + Copy, C: Curve<U>>(
    track: &Track<T>,
    time: f64,
    convert: fn(&T) -> U,
    cubic: fn(Vec<f32>, Vec<U>) -> C,
) -> U {
    let (time, keys) = (time as f32, &track.keys);
    let timed = keys
        .iter()
        .map(|key| (key.time.0 as f32, convert(&key.value)));
    match &keys[0].span {
        _ if keys.len() == 1 => convert(&keys[0].value),
        Span::Step => SteppedKeyframeCurve::new(timed)
            .unwrap()
            .sample_clamped(time),
        Span::Linear => AnimatableKeyframeCurve::new(timed)
            .unwrap()
            .sample_clamped(time),
        Span::Cubic { arrive, .. } => {
            // The first key's in-tangent and the last key's out-tangent do not matter.
            let mut arriving = convert(arrive);
            let mut triples = Vec::new();
            for key in keys {
                let Span::Cubic { leave, arrive } = &key.span else {
                    panic!("the spans of a track are of one kind");
                };
                triples.extend([arriving, convert(&key.value), convert(leave)]);
                arriving = convert(arrive);
            }
            cubic(timed.map(|(time, _)| time).collect(), triples).sample_clamped(time)
        }
    }
}

fn rotation(track: &Track<glam::Quat>, time: f64) -> glam::Quat {
    let convert = |value: &glam::Quat| Quat::from_array(value.to_array());
    let cubic = |times, keys: Vec<Quat>| {
        CubicRotationCurve::new(times, keys.into_iter().map(Vec4::from)).unwrap()
    };
    glam::Quat::from_array(sampled(track, time, convert, cubic).to_array())
}

fn vector(track: &Track<glam::Vec3>, time: f64) -> glam::Vec3 {
    let convert = |value: &glam::Vec3| Vec3::from_array(value.to_array());
    let cubic = |times, keys| CubicKeyframeCurve::new(times, keys).unwrap();
    glam::Vec3::from_array(sampled(track, time, convert, cubic).to_array())
}

#[test]
fn rotations_keep_the_laws() {
    testing::check_rotations(&rotation, &Tolerance::F32_TIME).unwrap();
}

#[test]
fn vectors_keep_the_laws() {
    testing::check_vectors(&vector, &Tolerance::F32_TIME).unwrap();
}

/// glTF's tangents are per second: without the length of the span, only spans of one second are right.
#[test]
fn tangents_that_are_not_scaled_by_the_span_are_caught() {
    let unscaled = |track: &Track<glam::Vec3>, time: f64| {
        let mut track = track.clone();
        let ends: Vec<f64> = track.keys.iter().skip(1).map(|key| key.time.0).collect();
        for (key, end) in track.keys.iter_mut().zip(ends) {
            let length = (end - key.time.0) as f32;
            if let Span::Cubic { leave, arrive } = &mut key.span {
                *leave /= length;
                *arrive /= length;
            }
        }
        vector(&track, time)
    };
    let violation = testing::check_vectors(&unscaled, &Tolerance::F32_TIME).unwrap_err();
    assert_eq!(violation.law, "reference-vector");
}
