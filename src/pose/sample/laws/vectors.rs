//! Vectors between two keys.

use glam::{DVec3, Vec3};
use proptest::prelude::*;

use super::{Case, case, sample_track};
use crate::pose::law::{Verdict, check};
use crate::rig::{Span, Track};
use crate::units::Seconds;

fn vectors() -> impl Strategy<Value = Case<Vec3>> {
    case(prop::array::uniform3(-100.0_f32..100.0).prop_map(Vec3::from))
}

fn vectors_run_straight(sample: impl Fn(&Track<Vec3>, f64) -> Vec3) -> Verdict<Case<Vec3>> {
    check(&vectors(), |case| {
        let (from, to) = (case.from.as_dvec3(), case.to.as_dvec3());
        let expected = (from + (to - from) * case.phase).as_vec3();
        let value = sample(&case.track(), case.time());
        prop_assert!(
            value.abs_diff_eq(expected, 1e-5),
            "{} != {}",
            value,
            expected
        );
        let held = Case {
            to: case.from,
            ..case.clone()
        };
        prop_assert_eq!(sample(&held.track(), held.time()), case.from);
        prop_assert_eq!(sample(&case.track(), case.start), case.from);
        prop_assert_eq!(sample(&case.track(), case.start + case.span), case.to);
        Ok(())
    })
}

#[test]
fn vectors_run_straight_from_key_to_key() {
    vectors_run_straight(|track, time| sample_track(track, Seconds(time)).unwrap()).unwrap();
}

#[test]
fn a_step_in_place_of_a_line_is_caught() {
    let step = |track: &Track<Vec3>, time| {
        let mut track = track.clone();
        track.keys.iter_mut().for_each(|key| key.span = Span::Step);
        sample_track(&track, Seconds(time)).unwrap()
    };
    assert!(vectors_run_straight(step).is_err());
}

/// A spline through samples of a cubic polynomial, with its derivatives as tangents, is that polynomial.
fn splines_reproduce_polynomials(
    sample: impl Fn(&Track<Vec3>, f64) -> Vec3,
) -> Verdict<(Case<Vec3>, [f32; 4])> {
    let strategy = (vectors(), prop::array::uniform4(-2.0_f32..2.0));
    check(&strategy, |(case, coefficients)| {
        let [a, b, c, d] = coefficients.map(f64::from);
        let value = |t: f64| DVec3::splat(a + b * t + c * t * t + d * t * t * t);
        let slope = |t: f64| DVec3::splat(b + 2.0 * c * t + 3.0 * d * t * t).as_vec3();
        let mut track = Case {
            from: value(0.0).as_vec3(),
            to: value(case.span).as_vec3(),
            ..case.clone()
        }
        .track();
        let (leave, arrive) = (slope(0.0), slope(case.span));
        track.keys[0].span = Span::Cubic { leave, arrive };
        let expected = value(case.phase * case.span);
        let actual = sample(&track, case.time()).as_dvec3();
        let size = 2.0 * (1.0 + case.span + case.span.powi(2) + case.span.powi(3));
        prop_assert!(
            actual.abs_diff_eq(expected, size * 1e-6),
            "{} != {}",
            actual,
            expected
        );
        Ok(())
    })
}

/// `sample_track` on a track whose tangents were tampered with.
fn with_tangents(
    tamper: impl Fn(Vec3, Vec3, f64) -> (Vec3, Vec3),
) -> impl Fn(&Track<Vec3>, f64) -> Vec3 {
    move |track: &Track<Vec3>, time| {
        let mut track = track.clone();
        let span = track.keys[1].time.0 - track.keys[0].time.0;
        if let Span::Cubic { leave, arrive } = track.keys[0].span {
            let (leave, arrive) = tamper(leave, arrive, span);
            track.keys[0].span = Span::Cubic { leave, arrive };
        }
        sample_track(&track, Seconds(time)).unwrap()
    }
}

#[test]
fn cubic_splines_reproduce_polynomials() {
    let untouched = with_tangents(|leave, arrive, _| (leave, arrive));
    splines_reproduce_polynomials(untouched).unwrap();
}

#[test]
fn tangents_that_are_not_scaled_by_the_span_are_caught() {
    let unscaled = |v: Vec3, span: f64| (v.as_dvec3() / span).as_vec3();
    let fault =
        with_tangents(|leave, arrive, span| (unscaled(leave, span), unscaled(arrive, span)));
    assert!(splines_reproduce_polynomials(fault).is_err());
}

#[test]
fn tangents_in_the_wrong_order_are_caught() {
    let fault = with_tangents(|leave, arrive, _| (arrive, leave));
    assert!(splines_reproduce_polynomials(fault).is_err());
}
