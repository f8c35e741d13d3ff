//! The curves that bevy plays glTF clips with, under skincheck's laws: `cargo test`.
//!
//! A track becomes the curve that bevy's glTF loader makes of it: constant for one key, else as its spans are.

#![cfg(test)]

use bevy_animation::gltf_curves::{CubicKeyframeCurve, CubicRotationCurve, SteppedKeyframeCurve};
use bevy_animation::prelude::AnimatableKeyframeCurve;
use bevy_curve::Curve;
use bevy_math::{Quat, Vec3, Vec4};
use skincheck::glam;
use skincheck::laws::{Tolerance, testing};
use skincheck::rig::{Span, Track};

/// Keys as bevy stores them. The spans of a track are all of one kind, as in a glTF sampler.
enum Keys<T> {
    Step(Vec<(f32, T)>),
    Linear(Vec<(f32, T)>),
    /// In-tangent, value and out-tangent of each key.
    Cubic(Vec<f32>, Vec<T>),
}

/// * `convert` – between the two versions of glam.
fn keys<T, U: Copy>(track: &Track<T>, zero: U, convert: impl Fn(&T) -> U) -> Keys<U> {
    let times = || track.keys.iter().map(|key| key.time.0 as f32);
    let values = || track.keys.iter().map(|key| convert(&key.value));
    match track.keys[0].span {
        Span::Step => Keys::Step(times().zip(values()).collect()),
        Span::Linear => Keys::Linear(times().zip(values()).collect()),
        Span::Cubic { .. } => {
            let mut arriving = zero;
            let mut triples = Vec::new();
            for (key, value) in track.keys.iter().zip(values()) {
                let (leave, arrive) = match &key.span {
                    Span::Cubic { leave, arrive } => (convert(leave), convert(arrive)),
                    _ => (zero, zero),
                };
                triples.extend([arriving, value, leave]);
                arriving = arrive;
            }
            Keys::Cubic(times().collect(), triples)
        }
    }
}

fn rotation(track: &Track<glam::Quat>, time: f64) -> glam::Quat {
    let (quat, time) = (
        |value: &glam::Quat| Quat::from_array(value.to_array()),
        time as f32,
    );
    let sampled = if let [key] = &track.keys[..] {
        quat(&key.value)
    } else {
        match keys(track, Quat::from_vec4(Vec4::ZERO), quat) {
            Keys::Step(keys) => SteppedKeyframeCurve::new(keys)
                .unwrap()
                .sample_clamped(time),
            Keys::Linear(keys) => AnimatableKeyframeCurve::new(keys)
                .unwrap()
                .sample_clamped(time),
            Keys::Cubic(times, keys) => {
                let keys = keys.into_iter().map(Vec4::from);
                CubicRotationCurve::new(times, keys)
                    .unwrap()
                    .sample_clamped(time)
            }
        }
    };
    glam::Quat::from_array(sampled.to_array())
}

fn vector(track: &Track<glam::Vec3>, time: f64) -> glam::Vec3 {
    let (vec3, time) = (
        |value: &glam::Vec3| Vec3::from_array(value.to_array()),
        time as f32,
    );
    let sampled = if let [key] = &track.keys[..] {
        vec3(&key.value)
    } else {
        match keys(track, Vec3::ZERO, vec3) {
            Keys::Step(keys) => SteppedKeyframeCurve::new(keys)
                .unwrap()
                .sample_clamped(time),
            Keys::Linear(keys) => AnimatableKeyframeCurve::new(keys)
                .unwrap()
                .sample_clamped(time),
            Keys::Cubic(times, keys) => CubicKeyframeCurve::new(times, keys)
                .unwrap()
                .sample_clamped(time),
        }
    };
    glam::Vec3::from_array(sampled.to_array())
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
