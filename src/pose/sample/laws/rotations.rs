//! Rotations between two keys.

use glam::{DQuat, Quat};
use proptest::prelude::*;

use super::{Case, case, linear, sample_track};
use crate::pose::law::{Verdict, check};
use crate::rig::{Span, Track};
use crate::units::Seconds;

fn rotation() -> impl Strategy<Value = Quat> + Clone {
    let components = prop::array::uniform4(-1.0_f32..1.0);
    components.prop_filter_map("too short", |components| {
        let rotation = Quat::from_array(components);
        (rotation.length() > 0.1).then(|| rotation.normalize())
    })
}

/// Half a turn apart both ways are as short: no law says which is taken.
fn rotations() -> impl Strategy<Value = Case<Quat>> {
    case(rotation()).prop_filter("half a turn", |case| angle(case.from, case.to) < 3.1)
}

/// Between two rotations, in radians; 0 for `q` and `-q`.
fn angle(a: Quat, b: Quat) -> f64 {
    let (a, b) = (a.as_dquat().normalize(), b.as_dquat().normalize());
    let half = |b: DQuat| 2.0 * (a - b).length().atan2((a + b).length());
    2.0 * half(b).min(half(-b))
}

/// A rounding to f32 turns a unit quaternion by up to this much (radians): 4 components of 2^-25, doubled, twice.
const TURN: f64 = 5e-7;

trait Rotations: Fn(&Track<Quat>, f64) -> Quat {}
impl<F: Fn(&Track<Quat>, f64) -> Quat> Rotations for F {}

fn ends_are_the_keys(sample: impl Rotations) -> Verdict<Case<Quat>> {
    check(&rotations(), |case| {
        let track = case.track();
        prop_assert!(angle(sample(&track, case.start), case.from) < TURN);
        prop_assert!(angle(sample(&track, case.start + case.span), case.to) < TURN);
        prop_assert!(angle(sample(&track, case.start - 1.0), case.from) < TURN);
        prop_assert!(angle(sample(&track, case.start + case.span + 1.0), case.to) < TURN);
        Ok(())
    })
}

fn equal_keys_hold(sample: impl Rotations) -> Verdict<Case<Quat>> {
    check(&rotations(), |mut case| {
        case.to = case.from;
        prop_assert!(angle(sample(&case.track(), case.time()), case.from) < TURN);
        Ok(())
    })
}

fn rotations_have_unit_length(sample: impl Rotations) -> Verdict<Case<Quat>> {
    check(&rotations(), |case| {
        let length = sample(&case.track(), case.time()).length();
        prop_assert!((length - 1.0).abs() < 1e-6, "{}", length);
        Ok(())
    })
}

fn the_way_is_the_shortest(sample: impl Rotations) -> Verdict<Case<Quat>> {
    check(&rotations(), |case| {
        let between = sample(&case.track(), case.time());
        let way = angle(case.from, between) + angle(between, case.to);
        let shortest = angle(case.from, case.to);
        prop_assert!(way < shortest + 4.0 * TURN, "{} > {}", way, shortest);
        Ok(())
    })
}

fn the_angle_grows_evenly(sample: impl Rotations) -> Verdict<Case<Quat>> {
    check(&rotations(), |case| {
        let turned = angle(case.from, sample(&case.track(), case.time()));
        let expected = case.phase * angle(case.from, case.to);
        prop_assert!(
            (turned - expected).abs() < 4.0 * TURN,
            "{} != {}",
            turned,
            expected
        );
        Ok(())
    })
}

/// Near half a turn the errors of the new key decide on the way, so the law stops a little before.
fn a_key_on_the_way_changes_nothing(sample: impl Rotations) -> Verdict<(Case<Quat>, f64)> {
    let strategy = (rotations(), (1..64_i32).prop_map(|n| f64::from(n) / 64.0));
    check(&strategy, |(case, at)| {
        let whole = case.track();
        let middle = case.start + at * case.span;
        let mut split = whole.clone();
        split.keys.insert(
            1,
            linear([(middle, sample(&whole, middle))]).keys[0].clone(),
        );
        let apart = angle(sample(&whole, case.time()), sample(&split, case.time()));
        prop_assert!(apart < 4.0 * TURN, "{}", apart);
        Ok(())
    })
}

fn shifting_time_shifts_the_motion(sample: impl Rotations) -> Verdict<Case<Quat>> {
    check(&rotations(), |case| {
        let shifted = Case {
            start: case.start + 8.0,
            ..case.clone()
        };
        let (before, after) = (
            sample(&case.track(), case.time()),
            sample(&shifted.track(), shifted.time()),
        );
        prop_assert_eq!(before, after);
        Ok(())
    })
}

fn both_quaternions_of_a_rotation_are_the_same(sample: impl Rotations) -> Verdict<Case<Quat>> {
    check(&rotations(), |case| {
        let negated = |from: Quat, to: Quat| {
            let case = Case {
                from,
                to,
                ..case.clone()
            };
            sample(&case.track(), case.time())
        };
        let expected = negated(case.from, case.to);
        for (from, to) in [
            (-case.from, case.to),
            (case.from, -case.to),
            (-case.from, -case.to),
        ] {
            let apart = angle(expected, negated(from, to));
            prop_assert!(apart < TURN, "{}", apart);
        }
        Ok(())
    })
}

fn real(track: &Track<Quat>, time: f64) -> Quat {
    sample_track(track, Seconds(time)).expect("the keys of the laws are rotations")
}

#[test]
fn rotations_keep_every_law() {
    ends_are_the_keys(real).unwrap();
    equal_keys_hold(real).unwrap();
    rotations_have_unit_length(real).unwrap();
    the_way_is_the_shortest(real).unwrap();
    the_angle_grows_evenly(real).unwrap();
    a_key_on_the_way_changes_nothing(real).unwrap();
    shifting_time_shifts_the_motion(real).unwrap();
    both_quaternions_of_a_rotation_are_the_same(real).unwrap();
}

/// A sampler by the book with one step of it replaced.
fn faulty(blend: impl Fn(DQuat, DQuat, f64) -> DQuat) -> impl Fn(&Track<Quat>, f64) -> Quat {
    move |track: &Track<Quat>, time| {
        let after = track.keys.partition_point(|key| key.time.0 <= time);
        if after == 0 || after == track.keys.len() {
            return track.keys[after.saturating_sub(1)].value;
        }
        let (from, to) = (&track.keys[after - 1], &track.keys[after]);
        let phase = (time - from.time.0) / (to.time.0 - from.time.0);
        blend(from.value.as_dquat(), to.value.as_dquat(), phase).as_quat()
    }
}

fn slerp_without_choice(from: DQuat, to: DQuat, phase: f64) -> DQuat {
    let angle = from.dot(to).clamp(-1.0, 1.0).acos();
    if angle.sin() < 1e-9 {
        return from;
    }
    (from * ((1.0 - phase) * angle).sin() + to * (phase * angle).sin()) / angle.sin()
}

fn nearer(from: DQuat, to: DQuat) -> DQuat {
    if from.dot(to) < 0.0 { -to } else { to }
}

#[test]
fn a_slerp_that_goes_the_long_way_is_caught() {
    let fault = || faulty(slerp_without_choice);
    assert!(the_way_is_the_shortest(fault()).is_err());
    assert!(both_quaternions_of_a_rotation_are_the_same(fault()).is_err());
}

#[test]
fn a_normalized_lerp_in_place_of_slerp_is_caught() {
    let nlerp = |from, to, phase| DQuat::lerp(from, nearer(from, to), phase).normalize();
    assert!(the_way_is_the_shortest(faulty(nlerp)).is_ok());
    assert!(the_angle_grows_evenly(faulty(nlerp)).is_err());
    assert!(a_key_on_the_way_changes_nothing(faulty(nlerp)).is_err());
}

#[test]
fn a_lerp_that_is_not_normalized_is_caught() {
    let lerp = |from: DQuat, to, phase| from * (1.0 - phase) + nearer(from, to) * phase;
    assert!(rotations_have_unit_length(faulty(lerp)).is_err());
}

#[test]
fn a_quaternion_read_with_w_first_is_caught() {
    let w_first = |track: &Track<Quat>, time| {
        let [x, y, z, w] = real(track, time).to_array();
        Quat::from_xyzw(w, x, y, z)
    };
    assert!(ends_are_the_keys(w_first).is_err());
    assert!(equal_keys_hold(w_first).is_err());
}

#[test]
fn a_phase_of_absolute_time_is_caught() {
    let absolute = |track: &Track<Quat>, time: f64| {
        let keys = &track.keys;
        let phase = (time / (keys[1].time.0 - keys[0].time.0)).clamp(0.0, 1.0);
        let (from, to) = (keys[0].value.as_dquat(), keys[1].value.as_dquat());
        slerp_without_choice(from, nearer(from, to), phase).as_quat()
    };
    assert!(shifting_time_shifts_the_motion(absolute).is_err());
}

fn cubic_rotations_are_of_unit_length(sample: impl Rotations) -> Verdict<(Case<Quat>, Quat, Quat)> {
    let tangent = prop::array::uniform4(-4.0_f32..4.0).prop_map(Quat::from_array);
    let strategy = (rotations(), tangent.clone(), tangent);
    check(&strategy, |(case, leave, arrive)| {
        let mut track = case.track();
        track.keys[0].span = Span::Cubic { leave, arrive };
        let length = sample(&track, case.time()).length();
        prop_assert!((length - 1.0).abs() < 1e-6, "{}", length);
        Ok(())
    })
}

#[test]
fn cubic_rotations_have_unit_length() {
    cubic_rotations_are_of_unit_length(real).unwrap();
}

/// A Hermite spline through the keys of a track of two keys, not normalized.
fn bare_spline(track: &Track<Quat>, time: f64) -> Quat {
    let (from, to) = (&track.keys[0], &track.keys[1]);
    let (start, end) = (from.time.0, to.time.0);
    let phase = (time.clamp(start, end) - start) / (end - start);
    let Span::Cubic { leave, arrive } = &from.span else {
        return real(track, time);
    };
    let rise = phase * phase * (3.0 - 2.0 * phase);
    let out = phase * (1.0 - phase) * (1.0 - phase) * (end - start);
    let into = phase * phase * (phase - 1.0) * (end - start);
    let value = from.value.as_dquat() * (1.0 - rise) + to.value.as_dquat() * rise;
    (value + leave.as_dquat() * out + arrive.as_dquat() * into).as_quat()
}

#[test]
fn a_spline_that_is_not_normalized_is_caught() {
    assert!(cubic_rotations_are_of_unit_length(bare_spline).is_err());
}
