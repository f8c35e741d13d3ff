//! The value of a curve at a time: what ufbx computes, but faster. Most spans need no search for the Bézier parameter.

use std::cell::Cell;

use ufbx::{AnimCurve, Interpolation, Keyframe};

/// How far the handles of a cubic span may be from thirds of its duration for [`parameter`] to apply. Maya writes thirds,
/// 3ds Max 0.3332333.
const OFF_THIRDS: f64 = 1e-3;

/// Iterations of [`parameter`]. Each reduces the error to at most three thousandths.
const ROUNDS: usize = 4;

/// A curve, with the segment of the last time. Sampling in ascending order needs no search.
pub(super) struct Cursor<'a> {
    curve: &'a AnimCurve,
    /// The index of the first key after the last time.
    after: Cell<usize>,
    /// The segment from the key before to that key.
    segment: Cell<Segment>,
}

/// A segment between two keys.
#[derive(Clone, Copy)]
struct Segment {
    start: f64,
    end: f64,
    per_second: f64,
    course: Course,
}

#[derive(Clone, Copy)]
enum Course {
    /// Left to ufbx.
    Unknown,
    Constant(f64),
    /// The first value at the start itself, the second after it.
    Next(f64, f64),
    Linear(f64, f64),
    /// The Bézier's four values, and how far the two handles are off thirds of the duration.
    Cubic([f64; 4], [f64; 2]),
}

impl Segment {
    /// A segment that contains no time.
    const NONE: Self = Self {
        start: f64::INFINITY,
        end: f64::NEG_INFINITY,
        per_second: 0.0,
        course: Course::Unknown,
    };

    fn of(key: &Keyframe, next: &Keyframe) -> Self {
        let per_second = 1.0 / (next.time - key.time);
        let course = match key.interpolation {
            Interpolation::ConstantPrev => Course::Constant(key.value),
            Interpolation::ConstantNext => Course::Next(key.value, next.value),
            Interpolation::Linear => Course::Linear(key.value, next.value),
            Interpolation::Cubic => cubic(key, next, per_second),
        };
        Self {
            start: key.time,
            end: next.time,
            per_second,
            course,
        }
    }

    fn at(&self, time: f64) -> Option<f64> {
        let phase = (time - self.start) * self.per_second;
        Some(match self.course {
            Course::Unknown => return None,
            Course::Constant(value) => value,
            Course::Next(value, next) => {
                if time > self.start {
                    next
                } else {
                    value
                }
            }
            Course::Linear(from, to) => from * (1.0 - phase) + to * phase,
            Course::Cubic(values, off) => bezier(values, parameter(phase, off)),
        })
    }
}

fn cubic(key: &Keyframe, next: &Keyframe, per_second: f64) -> Course {
    let off = [
        f64::from(key.right.dx) * per_second - 1.0 / 3.0,
        1.0 / 3.0 - f64::from(next.left.dx) * per_second,
    ];
    let is_near = |off: &f64| off.abs() < OFF_THIRDS;
    if !off.iter().all(is_near) {
        return Course::Unknown;
    }
    let leave = key.value + f64::from(key.right.dy);
    let arrive = next.value - f64::from(next.left.dy);
    Course::Cubic([key.value, leave, arrive, next.value], off)
}

impl<'a> Cursor<'a> {
    pub(super) fn new(curve: &'a AnimCurve) -> Self {
        Self {
            curve,
            after: Cell::new(0),
            segment: Cell::new(Segment::NONE),
        }
    }

    pub(super) fn at(&self, time: f64) -> f64 {
        let mut segment = self.segment.get();
        if !(segment.start <= time && time < segment.end) {
            segment = self.seek(time);
            self.segment.set(segment);
        }
        let value = segment.at(time);
        value.unwrap_or_else(|| ufbx::evaluate_curve(self.curve, time, 0.0))
    }

    /// The segment that contains `time`; [`Segment::NONE`] outside the keys, where ufbx extrapolates.
    fn seek(&self, time: f64) -> Segment {
        let keys: &[Keyframe] = &self.curve.keyframes;
        let around = |after: usize| {
            let pair = (keys.get(after.checked_sub(1)?)?, keys.get(after)?);
            (pair.0.time <= time && time < pair.1.time).then_some(pair)
        };
        // Sampling mostly ascends, so the next segment is tried before a binary search.
        let mut after = self.after.get() + 1;
        if around(after).is_none() {
            after = keys.partition_point(|key| key.time <= time);
        }
        self.after.set(after);
        around(after).map_or(Segment::NONE, |(key, next)| Segment::of(key, next))
    }
}

/// The parameter t of a cubic Bézier at time `phase`, by fixed-point iteration.
///
/// * `first`, `second` – how far the handles are off their thirds.
///
/// With handles at thirds, time is t itself; otherwise `time(t) = t + 3 t (1 - t) ((1 - t) first + t second)`. Hence t is
/// the fixed point of `phase - 3 t (1 - t) (…)`. The slope of that function is below 3 [`OFF_THIRDS`], so the iteration
/// is a contraction and converges from any start; `phase` is within 1e-3 of the result.
fn parameter(phase: f64, [first, second]: [f64; 2]) -> f64 {
    let improved = |t: f64| phase - 3.0 * t * (1.0 - t) * ((1.0 - t) * first + t * second);
    (0..ROUNDS).fold(phase, |t, _| improved(t))
}

fn bezier([from, leave, arrive, to]: [f64; 4], t: f64) -> f64 {
    let u = 1.0 - t;
    u * u * u * from + 3.0 * (u * u * t * leave + u * t * t * arrive) + t * t * t * to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameter_is_the_root_of_the_beziers_time() {
        for (first, second) in [(0.0, 0.0), (-1e-4, 1e-4), (9e-4, -9e-4), (-9e-4, -9e-4)] {
            for step in 0..=16 {
                let phase = f64::from(step) / 16.0;
                let t = parameter(phase, [first, second]);
                let (x1, x2, u) = (1.0 / 3.0 + first, 2.0 / 3.0 + second, 1.0 - t);
                let time = 3.0 * u * u * t * x1 + 3.0 * u * t * t * x2 + t * t * t;
                assert!((time - phase).abs() < 1e-13, "{time} {phase}");
            }
        }
    }
}
