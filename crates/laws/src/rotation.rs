//! The laws of rotation tracks.

use glam::{Quat, Vec3};

use super::law::{Outcome, Verdict, within};
use super::motion::{
    HALF_TURN, OfTracks, Sampler, compare, even, if_moving, is_beyond, is_linear, shortest,
    span_of, time_error, wander,
};
use super::reference::{self, SpanAt};
use super::{Interpolator, Law, Motion, Tolerance, Value};
use crate::rig::{Key, Span, Track};

/// The laws of rotation tracks.
pub static ROTATION_LAWS: &[Law<dyn Interpolator<Quat>, Motion<Quat>>] = &[
    OfTracks::KEY_TIME,
    OfTracks::CONSTANT,
    OfTracks::CONTINUOUS,
    Law {
        name: "shortest-path",
        states: "between two linear keys a rotation takes the shortest path",
        check: shortest,
    },
    Law {
        name: "constant-speed",
        states: "between two linear keys the angle is proportional to time",
        check: even,
    },
    Law {
        name: "unit-length",
        states: "every sampled quaternion has length 1",
        check: unit,
    },
    Law {
        name: "quaternion-sign",
        states: "q and -q are the same rotation, as keys too",
        check: sign,
    },
    Law {
        name: "reference-rotation",
        states: "a track has the values of glTF's formulas in f64",
        check: as_reference_rotation,
    },
];

fn unit(subject: &Sampler<Quat>, case: &Motion<Quat>, tolerance: &Tolerance) -> Verdict {
    let got = subject.sample(&case.track, case.time);
    let length = got.as_dquat().length_squared().sqrt();
    within((length - 1.0).abs(), tolerance.rotation, || {
        format!("{got:?} at {} s has length {length}", case.time)
    })?;
    Ok(if_moving(case, tolerance))
}

fn sign(subject: &Sampler<Quat>, case: &Motion<Quat>, tolerance: &Tolerance) -> Verdict {
    let Some(span) = span_of(case) else {
        return Ok(Outcome::NotApplicable);
    };
    let expected = subject.sample(&case.track, case.time);
    let both = Track {
        keys: case.track.keys.iter().map(negated).collect(),
    };
    let allowed = 2.0 * tolerance.rotation + 2.0 * wander(&case.track, case.time, tolerance);
    let got = subject.sample(&both, case.time);
    compare("all keys negated", case.time, got, expected, allowed)?;
    let near_half_turn = span.from.value.distance(span.to.value) > HALF_TURN;
    if near_half_turn || !is_linear(&span) {
        return Ok(Outcome::Held);
    }
    for negate in [[true, false], [false, true]] {
        let keys = [span.from, span.to]
            .into_iter()
            .zip(negate)
            .map(|(key, negate)| if negate { negated(key) } else { key.clone() });
        let track = Track {
            keys: keys.collect(),
        };
        let got = subject.sample(&track, case.time);
        compare("one key negated", case.time, got, expected, allowed)?;
    }
    Ok(Outcome::Held)
}

fn negated(key: &Key<Quat>) -> Key<Quat> {
    Key {
        time: key.time,
        value: -key.value,
        span: match &key.span {
            Span::Cubic { leave, arrive } => Span::Cubic {
                leave: -*leave,
                arrive: -*arrive,
            },
            other => other.clone(),
        },
    }
}

fn as_reference_rotation(
    subject: &Sampler<Quat>,
    case: &Motion<Quat>,
    tolerance: &Tolerance,
) -> Verdict {
    if is_beyond(subject, case) {
        return Ok(Outcome::NotApplicable);
    }
    let Some(span) = span_of(case) else {
        return Ok(Outcome::NotApplicable);
    };
    let Some(allowed) = rotation_error(&case.track, &span, tolerance) else {
        return Ok(Outcome::NotApplicable);
    };
    let allowed = allowed + wander(&case.track, case.time, tolerance);
    let expected = reference::rotation(&case.track, case.time);
    let got = subject.sample(&case.track, case.time);
    let off = got.as_dquat();
    let off = off * (1.0 / off.length_squared().sqrt());
    let length = |q: glam::DQuat| q.length_squared().sqrt();
    let angle = |b: glam::DQuat| 4.0 * libm::atan2(length(off - b), length(off + b));
    within(angle(expected).min(angle(-expected)), allowed, || {
        format!("{got:?} instead of {expected:?} at {} s", case.time)
    })?;
    Ok(if_moving(case, tolerance))
}

/// The allowed error of a rotation in `span`, in radians; `None` where rounding decides between two rotations.
pub(super) fn rotation_error(
    track: &Track<Quat>,
    span: &SpanAt<'_, Quat>,
    tolerance: &Tolerance,
) -> Option<f64> {
    let half_turn = span.from.value.distance(span.to.value) > HALF_TURN;
    if is_linear(span) && half_turn {
        return None;
    }
    // A spline that passes near 0 has hardly any direction there.
    let shortest = shortest_spline(span)?;
    Some((2.0 * tolerance.rotation + time_error(track, span, 0.0, tolerance)) / shortest)
}

/// The length of the quaternion before normalization, relative to the largest term of its sum. `None` if too little is
/// left after cancellation.
fn shortest_spline(span: &SpanAt<'_, Quat>) -> Option<f64> {
    let Span::Cubic { leave, arrive } = &span.from.span else {
        return Some(1.0);
    };
    let size = |q: Quat| q.as_dquat().length_squared().sqrt();
    let track = Track {
        keys: vec![span.from.clone(), span.to.clone()],
    };
    let along = |component: fn(Quat) -> f32| -> f64 {
        let vector = |q: Quat| Vec3::new(component(q), 0.0, 0.0);
        let key = |key: &Key<Quat>| Key {
            time: key.time,
            value: vector(key.value),
            span: Span::Cubic {
                leave: vector(*leave),
                arrive: vector(*arrive),
            },
        };
        let track = Track {
            keys: track.keys.iter().map(key).collect(),
        };
        let time = span.from.time.0 + span.phase * span.seconds();
        reference::vector(&track, time).x
    };
    let value = [
        along(|q| q.x),
        along(|q| q.y),
        along(|q| q.z),
        along(|q| q.w),
    ];
    let length = value.iter().map(|part| part * part).sum::<f64>().sqrt();
    let largest = size(span.from.value)
        .max(size(span.to.value))
        .max(span.seconds() * size(*leave).max(size(*arrive)));
    let relative = length / largest;
    (relative > 1e-3).then_some(relative.min(1.0))
}
