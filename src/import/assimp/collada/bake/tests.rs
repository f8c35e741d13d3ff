use glam::{DQuat, DVec3, Quat, Vec3};

use super::*;

/// A motion by formula, smooth between whole seconds.
struct Formula<V> {
    times: Vec<f64>,
    value: fn(f64) -> V,
    holds: bool,
    degrees_per_second: f64,
}

impl<V: Value> Motion for Formula<V> {
    type Value = V;

    fn times(&self) -> &[f64] {
        &self.times
    }

    fn at(&self, span: usize, time: f64) -> V {
        let start = self.times.get(span).copied().unwrap_or_default();
        (self.value)(if self.holds { start } else { time })
    }

    fn holds(&self, span: usize) -> bool {
        self.holds && span + 1 < self.times.len()
    }

    fn turn(&self, _span: usize, start: f64, end: f64) -> f64 {
        self.degrees_per_second * (end - start)
    }
}

fn smooth<V>(value: fn(f64) -> V) -> Formula<V> {
    Formula {
        times: vec![0.0, 1.0, 2.0],
        value,
        holds: false,
        degrees_per_second: 0.0,
    }
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
pub(in crate::import::assimp::collada) fn read<V: Value>(
    track: &Track<V::Stored>,
    time: f64,
    widen: fn(&V::Stored) -> V,
) -> V {
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
        Span::Linear => V::straight(&from.settled(), &to.settled(), phase),
        Span::Cubic { leave, arrive } => {
            let scaled = |slope| V::sum(&[(length, &widen(slope))]);
            hermite([&from, &scaled(leave), &to, &scaled(arrive)], phase)
        }
    }
}

/// How far `track` is from `value` anywhere in two seconds, relative to the largest value.
fn worst<V: Value>(
    track: &Track<V::Stored>,
    value: fn(f64) -> V,
    widen: fn(&V::Stored) -> V,
) -> f64 {
    let times = (0..2000).map(|step| f64::from(step) / 1000.0 + 1.0 / 4096.0);
    let errors = times.map(|time| {
        let expected = value(time);
        expected.distance(&read(track, time, widen)) / expected.size()
    });
    errors.fold(0.0, f64::max)
}

fn wave_is_kept(bake: fn(&Formula<DVec3>) -> Track<Vec3>) -> bool {
    worst(&bake(&smooth(WAVE)), WAVE, |stored| stored.as_dvec3()) < 1e-6
}

fn spin_is_kept(bake: fn(&Formula<DQuat>) -> Track<Quat>) -> bool {
    worst(&bake(&smooth(SPIN)), SPIN, |stored| stored.as_dquat()) < 1e-6
}

fn baked<V: Value>(motion: &Formula<V>) -> Track<V::Stored> {
    let mut budget = Budget::default();
    let track = bake(motion, &mut budget);
    assert_eq!(budget.coarse, 0);
    track
}

#[test]
fn a_baked_motion_is_nearer_than_a_millionth() {
    assert!(wave_is_kept(baked));
    assert!(spin_is_kept(baked));
}

/// Keys with each span changed.
fn changed<T>(track: Track<T>, change: fn(Span<T>) -> Span<T>) -> Track<T> {
    let keys = track.keys.into_iter();
    let keys = keys.map(|key| Key {
        span: change(key.span),
        ..key
    });
    Track {
        keys: keys.collect(),
    }
}

fn straightened<T>(_: Span<T>) -> Span<T> {
    Span::Linear
}

fn swapped<T>(span: Span<T>) -> Span<T> {
    match span {
        Span::Cubic { leave, arrive } => Span::Cubic {
            leave: arrive,
            arrive: leave,
        },
        other => other,
    }
}

#[test]
fn straight_pieces_and_swapped_tangents_are_caught() {
    assert!(!wave_is_kept(|motion| changed(baked(motion), straightened)));
    assert!(!wave_is_kept(|motion| changed(baked(motion), swapped)));
    assert!(!spin_is_kept(|motion| changed(baked(motion), straightened)));
    assert!(!spin_is_kept(|motion| changed(baked(motion), swapped)));
}

#[test]
fn tangents_by_the_piece_instead_of_the_second_are_caught() {
    assert!(!wave_is_kept(|motion| {
        let mut track = baked(motion);
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
    assert!(!spin_is_kept(|motion| {
        let mut track = baked(motion);
        for key in track.keys.iter_mut().step_by(2) {
            key.value = -key.value;
        }
        track
    }));
}

#[test]
fn what_is_straight_or_cubic_is_stated_as_it_is() {
    let straight = baked(&smooth(|time| DVec3::splat(3.0 - time)));
    assert!(straight.keys.iter().all(|key| key.span == Span::Linear));
    assert_eq!(straight.keys.len(), 3);
    let cubic = baked(&smooth(|time| DVec3::X * (time * time * time)));
    assert_eq!(cubic.keys.len(), 3);
    let Span::Cubic { leave, arrive } = &cubic.keys[1].span else {
        panic!("{:?}", cubic.keys[1])
    };
    assert!((leave.x - 3.0).abs() < 1e-6 && (arrive.x - 12.0).abs() < 1e-6);
}

#[test]
fn what_never_changes_is_one_key() {
    let still = baked(&smooth(|_| DVec3::ONE));
    assert_eq!(still.keys.len(), 1);
    let nothing = Formula {
        times: Vec::new(),
        ..smooth(|_| DVec3::ONE)
    };
    assert_eq!(baked(&nothing).keys[0].value, Vec3::ONE);
}

#[test]
fn what_is_held_steps() {
    let held = Formula {
        holds: true,
        ..smooth(DVec3::splat)
    };
    let keys = baked(&held).keys;
    let told: Vec<_> = keys.iter().map(|key| (key.time.0, key.value.x)).collect();
    assert_eq!(told, [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]);
    assert!(keys[..2].iter().all(|key| key.span == Span::Step));
}

#[test]
fn a_jump_has_a_key_on_either_side() {
    struct Saw;
    impl Motion for Saw {
        type Value = DVec3;
        fn times(&self) -> &[f64] {
            &[0.0, 1.0, 2.0]
        }
        fn at(&self, span: usize, time: f64) -> DVec3 {
            DVec3::splat(time - [0.0, 1.0, 2.0][span])
        }
        fn holds(&self, _span: usize) -> bool {
            false
        }
        fn turn(&self, _span: usize, _start: f64, _end: f64) -> f64 {
            0.0
        }
    }
    let keys = bake(&Saw, &mut Budget::default()).keys;
    let told: Vec<_> = keys.iter().map(|key| (key.time.0, key.value.x)).collect();
    assert_eq!(
        told,
        [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (2.0, 1.0), (2.0, 0.0)]
    );
}

#[test]
fn a_turn_that_looks_would_miss_is_followed() {
    let whole_turns = Formula {
        degrees_per_second: 2880.0,
        ..smooth(|time| about_z(2880.0 * time))
    };
    let track = baked(&whole_turns);
    let off = worst(&track, whole_turns.value, |stored: &Quat| stored.as_dquat());
    assert!(off < 1e-6, "{off}");
    assert!(track.keys.iter().all(|key| key.span == Span::Linear));
}

#[test]
fn a_curve_that_stands_upright_is_followed_to_a_nanosecond() {
    let upright: fn(f64) -> DVec3 = |time| DVec3::splat(libm::cbrt(time - 0.7));
    let track = baked(&smooth(upright));
    let off = worst(&track, upright, |stored| stored.as_dvec3());
    assert!(
        track.keys.len() < 400 && off < 1e-5,
        "{} keys, {off} off",
        track.keys.len()
    );
}

#[test]
fn what_cannot_be_baked_ends_and_is_counted() {
    let noise: [fn(f64) -> DVec3; 2] = [|_| DVec3::NAN, |time| DVec3::splat(libm::sin(1e9 * time))];
    for noise in noise {
        let mut budget = Budget::default();
        let track = bake(&smooth(noise), &mut budget);
        assert!(budget.coarse > 0);
        assert!(track.keys.len() <= 2 * (SPAN_HALVINGS + 1) + 1);
    }
}
