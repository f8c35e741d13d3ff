use glam::{DQuat, DVec3, Quat, Vec3};

use super::*;
use crate::rig::Track;

/// Whole seconds: functions below are smooth between them.
const TIMES: [f64; 3] = [0.0, 1.0, 2.0];

/// How far off a track may be: two roundings to f32 of values up to 100.
const LIMIT: f64 = 1e-6;

fn baked_as<S: Sample>(value: fn(f64) -> S, segment: Segment) -> (Track<S::Key>, Budget) {
    let mut budget = Budget::default();
    let curve = Curve {
        at: &value,
        times: &TIMES,
        may_jump: true,
        segment: &|_, _| segment,
        tolerance: TOLERANCE,
    };
    let keys = bake(&curve, &mut budget);
    (Track { keys }, budget)
}

fn baked<S: Sample>(value: fn(f64) -> S) -> Track<S::Key> {
    let (track, mut budget) = baked_as(value, Segment::Curved);
    assert!(!budget.was_exceeded());
    track
}

fn about_z(degrees: f64) -> DQuat {
    let (sine, cosine) = libm::sincos(degrees.to_radians() / 2.0);
    DQuat::from_xyzw(0.0, 0.0, sine, cosine)
}

fn about_x(degrees: f64) -> DQuat {
    let z = about_z(degrees);
    DQuat::from_xyzw(z.z, 0.0, 0.0, z.w)
}

const WAVE: fn(f64) -> DVec3 = |time| DVec3::new(100.0, libm::sin(7.0 * time), time);
const SPIN: fn(f64) -> DQuat = |time| about_z(700.0 * time) * about_x(900.0 * time);

/// What `track` says at `time`: the meaning of [`Span`], written down once more.
pub(crate) fn read<V: Sample>(track: &Track<V::Key>, time: f64, widen: fn(&V::Key) -> V) -> V {
    let after = track.keys.partition_point(|key| key.time.0 <= time);
    let (Some(key), Some(next)) = (track.keys.get(after.wrapping_sub(1)), track.keys.get(after))
    else {
        return widen(&track.keys[after.saturating_sub(1)].value).settled();
    };
    let (from, to) = (widen(&key.value), widen(&next.value));
    let length = next.time.0 - key.time.0;
    let phase = (time - key.time.0) / length;
    match &key.span {
        Span::Step => from.settled(),
        Span::Linear => V::straight(&from.settled(), &to.settled(), phase).expect("it is narrow"),
        Span::Cubic { leave, arrive } => {
            let (squared, cubed) = (phase * phase, phase * phase * phase);
            let weights = [
                2.0 * cubed - 3.0 * squared + 1.0,
                (cubed - 2.0 * squared + phase) * length,
                3.0 * squared - 2.0 * cubed,
                (cubed - squared) * length,
            ];
            V::sum(weights, [&from, &widen(leave), &to, &widen(arrive)]).settled()
        }
    }
}

/// How far `track` is from `value` anywhere in two seconds.
fn worst<V: Sample>(track: &Track<V::Key>, value: fn(f64) -> V, widen: fn(&V::Key) -> V) -> f64 {
    let times = (0..2000).map(|step| f64::from(step) / 1000.0 + 1.0 / 4096.0);
    let errors = times.map(|time| value(time).distance(&read(track, time, widen)));
    errors.fold(0.0, f64::max)
}

fn wave_is_kept(change: fn(Track<Vec3>) -> Track<Vec3>) -> bool {
    worst(&change(baked(WAVE)), WAVE, |stored| stored.as_dvec3()) < LIMIT
}

fn spin_is_kept(change: fn(Track<Quat>) -> Track<Quat>) -> bool {
    worst(&change(baked(SPIN)), SPIN, |stored| stored.as_dquat()) < LIMIT
}

#[test]
fn a_baked_motion_is_as_near_as_stated() {
    assert!(wave_is_kept(|track| track));
    assert!(spin_is_kept(|track| track));
}

fn straightened<T>(mut track: Track<T>) -> Track<T> {
    for key in &mut track.keys {
        key.span = Span::Linear;
    }
    track
}

fn swapped<T>(mut track: Track<T>) -> Track<T> {
    for key in &mut track.keys {
        if let Span::Cubic { leave, arrive } = &mut key.span {
            std::mem::swap(leave, arrive);
        }
    }
    track
}

#[test]
fn straight_pieces_and_swapped_tangents_are_caught() {
    assert!(!wave_is_kept(straightened));
    assert!(!wave_is_kept(swapped));
    assert!(!spin_is_kept(straightened));
    assert!(!spin_is_kept(swapped));
}

#[test]
fn tangents_by_the_piece_instead_of_the_second_are_caught() {
    assert!(!wave_is_kept(|mut track| {
        for index in 1..track.keys.len() {
            let length = track.keys[index].time.0 - track.keys[index - 1].time.0;
            if let Span::Cubic { leave, arrive } = &mut track.keys[index - 1].span {
                for slope in [leave, arrive] {
                    *slope = (slope.as_dvec3() * length).as_vec3();
                }
            }
        }
        track
    }));
}

#[test]
fn a_rotation_that_changes_its_sign_between_keys_is_caught() {
    assert!(!spin_is_kept(|mut track| {
        for key in track.keys.iter_mut().step_by(2) {
            key.value = -key.value;
        }
        track
    }));
}

#[test]
fn linear_and_cubic_curves_keep_their_kind() {
    let straight = baked(|time| DVec3::splat(3.0 - time));
    let is_linear = |key: &Key<Vec3>| key.span == Span::Linear;
    assert!(straight.keys[..2].iter().all(is_linear));
    assert_eq!(straight.keys.len(), 3);
    let cubic = baked(|time| DVec3::X * (time * time * time));
    assert_eq!(cubic.keys.len(), 3);
    let Span::Cubic { leave, arrive } = &cubic.keys[1].span else {
        panic!("{:?}", cubic.keys[1])
    };
    assert!((leave.x - 3.0).abs() < 1e-6 && (arrive.x - 12.0).abs() < 1e-6);
}

/// Times and values on the x axis.
fn points(track: &Track<Vec3>) -> Vec<(f64, f32)> {
    let keys = track.keys.iter();
    keys.map(|key| (key.time.0, key.value.x)).collect()
}

#[test]
fn held_keys_become_steps() {
    let (held, _) = baked_as(|time| DVec3::splat(time.floor()), Segment::Constant);
    assert_eq!(points(&held), [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]);
    assert!(held.keys.iter().all(|key| key.span == Span::Step));
}

#[test]
fn a_jump_has_a_key_on_either_side() {
    let saw = baked(|time| DVec3::splat(time - time.floor()));
    let expected = [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (2.0, 1.0), (2.0, 0.0)];
    assert_eq!(points(&saw), expected);
}

#[test]
fn full_rotations_are_followed() {
    let rotations: fn(f64) -> DQuat = |time| about_z(2880.0 * time);
    let off = worst(&baked(rotations), rotations, |stored| stored.as_dquat());
    assert!(off < LIMIT, "{off}");
}

#[test]
fn a_curve_that_stands_upright_is_followed_to_a_microsecond() {
    let upright: fn(f64) -> DVec3 = |time| DVec3::splat(libm::cbrt(time - 0.7));
    let track = baked(upright);
    let off = worst(&track, upright, |stored| stored.as_dvec3());
    assert!(
        track.keys.len() < 1000 && off < 0.01,
        "{} keys, {off} off",
        track.keys.len()
    );
}

#[test]
fn a_curve_that_cannot_be_baked_ends_and_is_reported() {
    let noise: fn(f64) -> DVec3 = |time| DVec3::splat(libm::sin(1e9 * time));
    let (track, mut budget) = baked_as(noise, Segment::Curved);
    assert!(budget.was_exceeded());
    assert!(track.keys.len() <= 2 * MOST_BETWEEN + 10);
    let (track, _) = baked_as(|_| DVec3::NAN, Segment::Curved);
    assert!(track.keys.len() <= 5);
}
