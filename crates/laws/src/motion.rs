//! The laws that apply to rotations and vectors alike, and the laws of vectors.

use std::marker::PhantomData;

use glam::Vec3;

use super::law::{Outcome, Verdict, within};
use super::reference::{self, SpanAt, span_at};
use super::{Interpolator, Law, Motion, Tolerance, Value};
use crate::rig::{Key, Span, Track};

pub(super) type Sampler<T> = dyn Interpolator<T>;

type TrackLaw<T> = Law<Sampler<T>, Motion<T>>;

/// The laws of all tracks.
pub(super) struct OfTracks<T>(PhantomData<T>);

impl<T: Value> OfTracks<T> {
    pub(super) const KEY_TIME: TrackLaw<T> = Law {
        name: "key-time",
        states: "at a key's time a track has the key's value, and outside its keys the nearest",
        check: key_time,
    };
    pub(super) const CONSTANT: TrackLaw<T> = Law {
        name: "constant",
        states: "between equal keys without tangents a track is constant",
        check: constant,
    };
    pub(super) const CONTINUOUS: TrackLaw<T> = Law {
        name: "continuous",
        states: "a track has no jump at a key, except where a step ends",
        check: continuous,
    };
}

/// The laws of vector tracks: translation, scale, and the numbers of matrix and morph weight tracks.
pub static VECTOR_LAWS: &[TrackLaw<Vec3>] = &[
    OfTracks::KEY_TIME,
    OfTracks::CONSTANT,
    OfTracks::CONTINUOUS,
    Law {
        name: "straight",
        states: "between two linear keys a vector moves on the straight line",
        check: shortest,
    },
    Law {
        name: "constant-speed",
        states: "between two linear keys the distance covered is proportional to time",
        check: even,
    },
    Law {
        name: "reference-vector",
        states: "a track has the values of glTF's formulas in f64",
        check: as_reference_vector,
    },
];

/// Within this distance from 180° (radians), both arcs are equally short, and rounding decides between them.
pub(super) const HALF_TURN: f64 = 3.1;

/// The span that contains the case's time.
pub(super) fn span_of<T: Value>(case: &Motion<T>) -> Option<SpanAt<'_, T>> {
    span_at(&case.track, case.time).ok()
}

/// The span that contains the case's time, if the track moves in it by more than rounding: a constant span tells nothing
/// about interpolation.
pub(super) fn moving_span<'a, T: Value>(
    case: &'a Motion<T>,
    tolerance: &Tolerance,
) -> Option<SpanAt<'a, T>> {
    let rounding = T::rounding(&case.track.keys, tolerance);
    span_of(case).filter(|span| T::speed(span.from, span.to) > 8.0 * rounding)
}

pub(super) fn is_linear<T>(span: &SpanAt<'_, T>) -> bool {
    matches!(span.from.span, Span::Linear)
}

/// The error of a sample from the rounding of times as large as those of `track` and `shift`.
pub(super) fn time_error<T: Value>(
    track: &Track<T>,
    span: &SpanAt<'_, T>,
    shift: f64,
    tolerance: &Tolerance,
) -> f64 {
    let last = track.keys.last().map_or(0.0, |key| key.time.0.abs());
    let size = shift.abs() + last.max(track.keys[0].time.0.abs());
    let phase = 4.0 * tolerance.time * size / span.seconds() + 4.0 * tolerance.time;
    phase.min(1.0) * T::speed(span.from, span.to)
}

/// How far a curve that is stored as samples may be from the curve itself, at `time`.
///
/// Between samples `h` seconds apart, the stored curve blends the values of two times at most `h` before and after
/// `time`. A ball around the exact value that contains both contains what lies between them: on a line because balls
/// are convex, on the arc of a slerp because balls of less than 90° are. So the error is at most the length of the
/// curve's path within `h`, on the longer side.
pub(super) fn wander<T: Value>(track: &Track<T>, time: f64, tolerance: &Tolerance) -> f64 {
    let window = tolerance.resampled;
    if window <= 0.0 {
        return 0.0;
    }
    // Before and after its keys, the time is often clamped to them.
    let keys = &track.keys;
    let time = time.clamp(keys[0].time.0, keys[keys.len() - 1].time.0);
    let path = |start: f64, end: f64| -> f64 {
        let along = |pair: &[Key<T>]| {
            let (from, to) = (&pair[0], &pair[1]);
            let seconds = to.time.0 - from.time.0;
            if seconds <= 0.0 || matches!(from.span, Span::Step) {
                let jumps = (start..=end).contains(&to.time.0);
                return if jumps {
                    from.value.distance(to.value)
                } else {
                    0.0
                };
            }
            let inside = (to.time.0.min(end) - from.time.0.max(start)).max(0.0);
            T::speed(from, to) * inside / seconds
        };
        track.keys.windows(2).map(along).sum()
    };
    path(time - window, time).max(path(time, time + window))
}

pub(super) fn compare<T: Value>(
    what: &str,
    time: f64,
    got: T,
    expected: T,
    allowed: f64,
) -> Verdict {
    within(got.distance(expected), allowed, || {
        format!("{what} at {time} s: {got:?} instead of {expected:?}")
    })
}

fn key_time<T: Value>(subject: &Sampler<T>, case: &Motion<T>, tolerance: &Tolerance) -> Verdict {
    let keys = &case.track.keys;
    let allowed = T::rounding(keys, tolerance);
    let after = keys.partition_point(|key| key.time.0 <= case.time);
    for index in after.saturating_sub(1)..(after + 1).min(keys.len()) {
        let key = &keys[index];
        // Of several keys at one time, the last applies.
        if keys.get(index + 1).is_none_or(|next| next.time > key.time) {
            let got = subject.sample(&case.track, key.time.0);
            let allowed = allowed + wander(&case.track, key.time.0, tolerance);
            compare("key", key.time.0, got, key.value, allowed)?;
        }
    }
    let (first, last) = (&keys[0], &keys[keys.len() - 1]);
    for (time, value) in [
        (first.time.0 - 0.5, first.value),
        (last.time.0 + 0.5, last.value),
    ] {
        // The last sample may be up to the spacing of samples before the last key.
        let nearest = time.clamp(first.time.0, last.time.0);
        let allowed = allowed + wander(&case.track, nearest, tolerance);
        let got = subject.sample(&case.track, time);
        compare("outside", time, got, value, allowed)?;
    }
    Ok(Outcome::Held)
}

fn constant<T: Value>(subject: &Sampler<T>, case: &Motion<T>, tolerance: &Tolerance) -> Verdict {
    let Some(span) = span_of(case) else {
        return Ok(Outcome::NotApplicable);
    };
    let mut from = span.from.clone();
    if let Span::Cubic { leave, arrive } = &mut from.span {
        (*leave, *arrive) = (T::still(), T::still());
    }
    let to = Key {
        value: from.value,
        ..span.to.clone()
    };
    let expected = from.value;
    let track = Track {
        keys: vec![from, to],
    };
    let allowed = T::rounding(&track.keys, tolerance);
    let got = subject.sample(&track, case.time);
    compare("constant track", case.time, got, expected, allowed)
}

/// The distance from a key at which continuity is tested, as a fraction of the span.
const NEAR: f64 = 1.0 / 1_048_576.0;

fn continuous<T: Value>(subject: &Sampler<T>, case: &Motion<T>, tolerance: &Tolerance) -> Verdict {
    let Some(span) = moving_span(case, tolerance) else {
        return Ok(Outcome::NotApplicable);
    };
    let last = case.track.keys.last().map_or(0.0, |key| key.time.0.abs());
    let size = last.max(case.track.keys[0].time.0.abs());
    let near = NEAR.max(8.0 * tolerance.time * size / span.seconds());
    if near > 0.125 {
        return Ok(Outcome::NotApplicable);
    }
    let seconds = near * span.seconds();
    let speed = T::speed(span.from, span.to);
    let rounding = T::rounding(&case.track.keys, tolerance);
    let allowed = 2.0 * (near * speed + rounding) + time_error(&case.track, &span, 0.0, tolerance);
    let time = span.from.time.0 + seconds;
    let got = subject.sample(&case.track, time);
    let wandered = allowed + wander(&case.track, time, tolerance);
    compare("just after a key", time, got, span.from.value, wandered)?;
    if matches!(span.from.span, Span::Step) {
        return Ok(Outcome::Held);
    }
    let time = span.to.time.0 - seconds;
    let got = subject.sample(&case.track, time);
    let wandered = allowed + wander(&case.track, time, tolerance);
    compare("just before a key", time, got, span.to.value, wandered)
}

pub(super) fn shortest<T: Value>(
    subject: &Sampler<T>,
    case: &Motion<T>,
    tolerance: &Tolerance,
) -> Verdict {
    let Some(span) = moving_span(case, tolerance).filter(is_linear) else {
        return Ok(Outcome::NotApplicable);
    };
    let (from, to) = (span.from.value, span.to.value);
    let got = subject.sample(&case.track, case.time);
    let detour = from.distance(got) + got.distance(to) - from.distance(to);
    let allowed = 4.0 * T::rounding(&case.track.keys, tolerance)
        + 2.0 * wander(&case.track, case.time, tolerance);
    within(detour, allowed, || {
        format!(
            "the path from {from:?} to {to:?} via {got:?} at {} s is longer than the direct one",
            case.time
        )
    })
}

pub(super) fn even<T: Value>(
    subject: &Sampler<T>,
    case: &Motion<T>,
    tolerance: &Tolerance,
) -> Verdict {
    let Some(span) = moving_span(case, tolerance).filter(is_linear) else {
        return Ok(Outcome::NotApplicable);
    };
    let (from, to) = (span.from.value, span.to.value);
    let got = subject.sample(&case.track, case.time);
    let expected = span.phase * from.distance(to);
    let allowed = 4.0 * T::rounding(&case.track.keys, tolerance)
        + time_error(&case.track, &span, 0.0, tolerance)
        + wander(&case.track, case.time, tolerance);
    within((from.distance(got) - expected).abs(), allowed, || {
        format!(
            "at {} s, {} of the way from {from:?} to {to:?}, {got:?} is {} along instead of {expected}",
            case.time,
            span.phase,
            from.distance(got)
        )
    })
}

/// Whether the case's time is in a cubic span and `subject` does not evaluate those.
pub(super) fn is_beyond<T: Value>(subject: &dyn Interpolator<T>, case: &Motion<T>) -> bool {
    let is_cubic = |span: SpanAt<'_, T>| matches!(span.from.span, Span::Cubic { .. });
    !subject.evaluates_cubics() && span_of(case).is_some_and(is_cubic)
}

fn as_reference_vector(
    subject: &Sampler<Vec3>,
    case: &Motion<Vec3>,
    tolerance: &Tolerance,
) -> Verdict {
    if is_beyond(subject, case) {
        return Ok(Outcome::NotApplicable);
    }
    let expected = reference::vector(&case.track, case.time);
    let got = subject.sample(&case.track, case.time);
    let times = span_of(case).map_or(0.0, |span| time_error(&case.track, &span, 0.0, tolerance));
    let allowed = 2.0 * Vec3::rounding(&case.track.keys, tolerance)
        + times
        + wander(&case.track, case.time, tolerance);
    within(got.as_dvec3().distance(expected), allowed, || {
        format!("{got:?} instead of {expected:?} at {} s", case.time)
    })?;
    Ok(if_moving(case, tolerance))
}

/// Held, if the case can show whether a law of motion holds.
pub(super) fn if_moving<T: Value>(case: &Motion<T>, tolerance: &Tolerance) -> Outcome {
    match moving_span(case, tolerance) {
        Some(_) => Outcome::Held,
        None => Outcome::NotApplicable,
    }
}
