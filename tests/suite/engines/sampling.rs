//! Faults in sampling tracks.

use glam::{Quat, Vec3};
use skincheck::laws::reference::{self, SpanAt, span_at};
use skincheck::laws::{Interpolator, Own};
use skincheck::rig::{Span, Track};

use super::{Fault, Parts, RIGHT, engine};

pub(super) fn all() -> impl Iterator<Item = Fault> {
    [of_rotations(), of_vectors()].into_iter().flatten()
}

fn rotations(
    name: &'static str,
    mistake: &'static str,
    rotations: &'static dyn Interpolator<Quat>,
) -> Fault {
    engine(name, mistake, Parts { rotations, ..RIGHT })
}

fn vectors(
    name: &'static str,
    mistake: &'static str,
    vectors: &'static dyn Interpolator<Vec3>,
) -> Fault {
    engine(name, mistake, Parts { vectors, ..RIGHT })
}

/// Of rotations.
fn of_rotations() -> Vec<Fault> {
    vec![
        rotations(
            "long-way",
            "slerp without the choice of the nearer quaternion",
            &|track: &Track<Quat>, time: f64| between(track, time, slerp_without_choice),
        ),
        rotations(
            "nlerp",
            "a normalized lerp instead of slerp",
            &|track: &Track<Quat>, time: f64| between(track, time, nlerp),
        ),
        rotations(
            "nlerp-long-way",
            "a normalized lerp without the choice of the nearer quaternion",
            &|track: &Track<Quat>, time: f64| between(track, time, nlerp_of),
        ),
        rotations(
            "lerp",
            "a lerp that is not normalized",
            &|track: &Track<Quat>, time: f64| between(track, time, lerp),
        ),
        rotations(
            "w-first",
            "a quaternion's components in the order w, x, y, z",
            &|track: &Track<Quat>, time: f64| {
                let [x, y, z, w] = own(track, time).to_array();
                Quat::from_xyzw(w, x, y, z)
            },
        ),
        rotations(
            "absolute-phase",
            "the phase is the time divided by the span, without the span's start",
            &|track: &Track<Quat>, time: f64| absolute(track, time),
        ),
        rotations(
            "key-ahead",
            "the next key instead of interpolation",
            &|track: &Track<Quat>, time: f64| match span_at(track, time) {
                Ok(span) if span.phase > 0.0 => span.to.value,
                _ => own(track, time),
            },
        ),
        rotations(
            "rotation-tangents-swapped",
            "the in-tangent and the out-tangent of a cubic span exchanged",
            &|track: &Track<Quat>, time: f64| own(&swapped(track), time),
        ),
    ]
}

/// Of translations and scales.
fn of_vectors() -> Vec<Fault> {
    vec![
        vectors(
            "step",
            "every span holds its first value",
            &|track: &Track<Vec3>, time: f64| match span_at(track, time) {
                Ok(span) => span.from.value,
                Err(held) => held,
            },
        ),
        vectors(
            "extrapolated",
            "the last span continues past the last key",
            &|track: &Track<Vec3>, time: f64| match track.keys.as_slice() {
                [.., before, last] if time > last.time.0 => {
                    let phase = (time - last.time.0) / (last.time.0 - before.time.0);
                    last.value + (last.value - before.value) * narrow(phase)
                }
                _ => Own.sample(track, time),
            },
        ),
        vectors(
            "hermite-basis",
            "a wrong sign in the basis of cubic spans",
            &|track: &Track<Vec3>, time: f64| match span_at(track, time) {
                Ok(span) if matches!(span.from.span, Span::Cubic { .. }) => {
                    let t = span.phase;
                    let wrong = t * t * (3.0 + 2.0 * t) - t * t * (3.0 - 2.0 * t);
                    let value = reference::vector(track, time);
                    (value + span.to.value.as_dvec3() * wrong).as_vec3()
                }
                _ => Own.sample(track, time),
            },
        ),
        vectors(
            "eased-x",
            "one axis is eased in and out",
            &|track: &Track<Vec3>, time: f64| {
                in_linear(track, time, |span| {
                    let off = smoothstep(span.phase) - span.phase;
                    let way = span.to.value.as_dvec3() - span.from.value.as_dvec3();
                    let eased = reference::vector(track, time) + glam::DVec3::X * (way.x * off);
                    eased.as_vec3()
                })
            },
        ),
        vectors(
            "vector-absolute-phase",
            "the phase is the time divided by the span, without the span's start",
            &|track: &Track<Vec3>, time: f64| {
                in_linear(track, time, |span| {
                    at_phase(&span, (time / span.seconds()).clamp(0.0, 1.0))
                })
            },
        ),
        vectors(
            "smoothstep",
            "linear spans eased in and out",
            &|track: &Track<Vec3>, time: f64| {
                in_linear(track, time, |span| at_phase(&span, smoothstep(span.phase)))
            },
        ),
        vectors(
            "tangents-not-scaled",
            "the tangents of a cubic span are not scaled by its length",
            &|track: &Track<Vec3>, time: f64| {
                let mut track = track.clone();
                let times: Vec<f64> = track.keys.iter().map(|key| key.time.0).collect();
                for (key, times) in track.keys.iter_mut().zip(times.windows(2)) {
                    if let Span::Cubic { leave, arrive } = &mut key.span {
                        let by = 1.0 / (times[1] - times[0]);
                        *leave = (leave.as_dvec3() * by).as_vec3();
                        *arrive = (arrive.as_dvec3() * by).as_vec3();
                    }
                }
                Own.sample(&track, time)
            },
        ),
        vectors(
            "vector-tangents-swapped",
            "the in-tangent and the out-tangent of a cubic span exchanged",
            &|track: &Track<Vec3>, time: f64| Own.sample(&swapped(track), time),
        ),
    ]
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a phase needs no more bits"
)]
fn narrow(phase: f64) -> f32 {
    phase as f32
}

fn own(track: &Track<Quat>, time: f64) -> Quat {
    Own.sample(track, time)
}

/// An implementation with another interpolation of linear spans.
fn in_linear<T: Copy>(track: &Track<T>, time: f64, sample: impl Fn(SpanAt<'_, T>) -> T) -> T
where
    Own: Interpolator<T>,
{
    match span_at(track, time) {
        Ok(span) if matches!(span.from.span, Span::Linear) => sample(span),
        _ => Own.sample(track, time),
    }
}

fn between(track: &Track<Quat>, time: f64, blend: fn(Quat, Quat, f64) -> Quat) -> Quat {
    in_linear(track, time, |span| {
        blend(span.from.value, span.to.value, span.phase)
    })
}

/// The vector at `phase` of a span.
fn at_phase(span: &SpanAt<'_, Vec3>, phase: f64) -> Vec3 {
    let (from, to) = (span.from.value.as_dvec3(), span.to.value.as_dvec3());
    (from + (to - from) * phase).as_vec3()
}

fn smoothstep(t: f64) -> f64 {
    t * t * (3.0 - 2.0 * t)
}

fn slerp_without_choice(from: Quat, to: Quat, phase: f64) -> Quat {
    let (from, to) = (from.as_dquat(), to.as_dquat());
    let dot = from.x * to.x + from.y * to.y + from.z * to.z + from.w * to.w;
    let angle = libm::acos(dot.clamp(-1.0, 1.0));
    if libm::sin(angle) < 1e-6 {
        return from.as_quat();
    }
    let blended = from * libm::sin((1.0 - phase) * angle) + to * libm::sin(phase * angle);
    (blended * (1.0 / libm::sin(angle))).as_quat()
}

fn nearer(from: Quat, to: Quat) -> Quat {
    let (a, b) = (from.as_dquat(), to.as_dquat());
    let dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    if dot < 0.0 { -to } else { to }
}

fn lerp(from: Quat, to: Quat, phase: f64) -> Quat {
    let to = nearer(from, to);
    (from.as_dquat() * (1.0 - phase) + to.as_dquat() * phase).as_quat()
}

fn nlerp(from: Quat, to: Quat, phase: f64) -> Quat {
    nlerp_of(from, nearer(from, to), phase)
}

fn nlerp_of(from: Quat, to: Quat, phase: f64) -> Quat {
    let blended = from.as_dquat() * (1.0 - phase) + to.as_dquat() * phase;
    (blended * (1.0 / blended.length_squared().sqrt())).as_quat()
}

fn absolute(track: &Track<Quat>, time: f64) -> Quat {
    in_linear(track, time, |span| {
        let phase = (time / span.seconds()).clamp(0.0, 1.0);
        reference::slerp(unit(span.from.value), unit(span.to.value), phase).as_quat()
    })
}

fn unit(q: Quat) -> glam::DQuat {
    let q = q.as_dquat();
    q * (1.0 / q.length_squared().sqrt())
}

fn swapped<T: Copy>(track: &Track<T>) -> Track<T> {
    let mut track = track.clone();
    for key in &mut track.keys {
        if let Span::Cubic { leave, arrive } = &mut key.span {
            std::mem::swap(leave, arrive);
        }
    }
    track
}
