//! One number over time: keys, and the interpolation between them.

/// A curve of at least one key, in ascending order of time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Curve {
    pub(super) keys: Vec<Key>,
}

/// A value at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Key {
    pub(super) at: Point,
    /// From this key to the next.
    pub(super) interpolation: Interpolation,
}

/// How a value is interpolated from one key to the next.
///
/// # Reference
///
/// COLLADA 1.4.1, chapter 5, "sampler", and chapter 4, "Curve Interpolation".
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Interpolation {
    /// Constant, then a jump.
    Step,
    /// Linear.
    Linear,
    /// A Bézier curve with these inner control points. A Hermite curve is one, too.
    Bezier {
        /// After this key.
        leave: Point,
        /// Before the next.
        arrive: Point,
    },
}

/// A curve between two neighbouring times of interest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Segment {
    /// Before the first key or after the last.
    Outside(f64),
    /// Constant up to the next key.
    Constant(f64),
    /// Linear from one point to the other.
    Linear(Point, Point),
    /// A Bézier curve.
    Bezier(Bezier),
}

impl Curve {
    /// The segment from `time` to the next key. At a key, it is the one after it; of several keys at one time, the last.
    pub(super) fn segment(&self, time: f64) -> Segment {
        let after = self.keys.partition_point(|key| key.at.time <= time);
        let (Some(key), Some(next)) = (self.keys.get(after.wrapping_sub(1)), self.keys.get(after))
        else {
            let nearest = self.keys.get(after.saturating_sub(1));
            return Segment::Outside(nearest.map_or(0.0, |key| key.at.value));
        };
        match key.interpolation {
            Interpolation::Step => Segment::Constant(key.at.value),
            Interpolation::Linear => Segment::Linear(key.at, next.at),
            Interpolation::Bezier { leave, arrive } => {
                Segment::Bezier(Bezier::new(key.at, leave, arrive, next.at))
            }
        }
    }

    /// The times of the keys, ascending.
    pub(super) fn times(&self) -> impl Iterator<Item = f64> {
        self.keys.iter().map(|key| key.at.time)
    }
}

impl Segment {
    /// The value at `time`.
    pub(super) fn at(&self, time: f64) -> f64 {
        match self {
            Self::Outside(value) | Self::Constant(value) => *value,
            Self::Linear(from, to) => {
                let phase = (time - from.time) / (to.time - from.time);
                from.value + (to.value - from.value) * phase.clamp(0.0, 1.0)
            }
            Self::Bezier(curve) => curve.at(time),
        }
    }

    /// Whether the value changes before the next key.
    pub(super) fn moves(&self) -> bool {
        matches!(self, Self::Linear(..) | Self::Bezier(_))
    }
}

/// How near to a third of the span a handle must be to count as at the third, relative to the span.
const SIX_DIGITS: f64 = 1e-5;

/// Most iterations: this many halvings of 1 exhaust an f64. Newton's method usually needs five.
const MAX_ROUNDS: usize = 64;

/// The rounding error of a difference of times, relative to their span.
const NOTHING: f64 = 1e-16;

/// A curve by four control points. Their times ascend, so that there is one value at each time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bezier {
    start: f64,
    /// Relative to the start, so that late times are as exact as early ones.
    times: [f64; 4],
    values: [f64; 4],
    /// Whether time is linear in the curve's parameter.
    is_even: bool,
}

/// A control point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    /// In seconds.
    pub(super) time: f64,
    pub(super) value: f64,
}

impl Bezier {
    /// The curve from `from` to `to`, which leaves towards `leave` and arrives from `arrive`.
    ///
    /// A handle that reaches past the other end is shortened to it, and one that points away from it is dropped: otherwise
    /// the curve would run back in time.
    ///
    /// Handles within six digits of a third of the span, as most exporters write them, count as exact thirds. Then time is
    /// linear in the parameter, and the value is a polynomial of time. The value changes by less than 1e-5 of the rise.
    ///
    /// # Reference
    ///
    /// COLLADA 1.4.1, chapter 4, "Curve Interpolation": control points are points, not directions.
    pub(super) fn new(from: Point, leave: Point, arrive: Point, to: Point) -> Self {
        let span = to.time - from.time;
        let (leave, arrive) = (toward(from, leave, span), toward(to, arrive, -span));
        let times = [leave, arrive].map(|handle| handle.time - from.time);
        let is_even = is_third(times[0] / span) && is_third(1.0 - times[1] / span);
        Self {
            start: from.time,
            times: [0.0, times[0], times[1], span],
            values: [from.value, leave.value, arrive.value, to.value],
            is_even,
        }
    }

    /// The value at `time`, which is held at the ends.
    pub(super) fn at(&self, time: f64) -> f64 {
        point(&self.values, self.parameter(time))
    }

    /// The parameter, from 0 to 1, at `time`: a root of `time(t) - time`.
    ///
    /// Newton's method within a bracket. Time ascends with the parameter, so the sign of the error says which bound to
    /// move, and the root stays between the bounds. A Newton step that leaves the bracket, or is NaN where the slope is 0,
    /// is replaced by bisection, which always converges.
    pub(super) fn parameter(&self, time: f64) -> f64 {
        let (time, span) = (time - self.start, self.times[3]);
        let phase = (time / span).clamp(0.0, 1.0);
        if self.is_even {
            return phase;
        }
        let (mut low, mut high, mut at) = (0.0, 1.0, phase);
        for _ in 0..MAX_ROUNDS {
            let error = point(&self.times, at) - time;
            if error.abs() <= span * NOTHING {
                break;
            }
            if error < 0.0 {
                low = at;
            } else {
                high = at;
            }
            let next = at - error / slope(&self.times, at);
            let is_inside = next > low && next < high;
            at = if is_inside {
                next
            } else {
                f64::midpoint(low, high)
            };
        }
        at
    }
}

fn is_third(reach: f64) -> bool {
    (reach - 1.0 / 3.0).abs() <= SIX_DIGITS
}

/// `handle`, shortened to `span` in time if it is longer, and to nothing if it is on the other side of `end`.
fn toward(end: Point, handle: Point, span: f64) -> Point {
    let reach = (handle.time - end.time) / span;
    let kept = match reach {
        _ if reach > 1.0 => 1.0 / reach,
        _ if reach >= 0.0 => 1.0,
        _ => 0.0,
    };
    Point {
        time: end.time + (handle.time - end.time) * kept,
        value: end.value + (handle.value - end.value) * kept,
    }
}

fn point(control: &[f64; 4], at: f64) -> f64 {
    let left = 1.0 - at;
    let [a, b, c, d] = control;
    left * left * left * a
        + 3.0 * left * left * at * b
        + 3.0 * left * at * at * c
        + at * at * at * d
}

fn slope(control: &[f64; 4], at: f64) -> f64 {
    let left = 1.0 - at;
    let [a, b, c, d] = control;
    3.0 * (left * left * (b - a) + 2.0 * left * at * (c - b) + at * at * (d - c))
}

#[cfg(test)]
mod tests;
