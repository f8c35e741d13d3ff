//! A cubic Bézier curve in the plane of time and value, as a function of time.

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
mod tests {
    use super::*;

    const fn at(time: f64, value: f64) -> Point {
        Point { time, value }
    }

    #[test]
    fn handles_at_a_third_to_six_digits_make_a_polynomial() {
        let curve = Bezier::new(
            at(1.25, 0.0),
            at(1.66667, 0.0),
            at(2.08333, 180.0),
            at(2.5, 180.0),
        );
        assert!(curve.is_even);
        assert!((curve.parameter(1.5625) - 0.25).abs() < 1e-15);
    }

    #[test]
    fn handles_that_cross_stand_upright_half_way() {
        let curve = Bezier::new(at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0), at(1.0, 1.0));
        assert!((curve.at(0.5) - 0.5).abs() < 1e-9);
        assert!(curve.at(0.499) < 0.45 && curve.at(0.501) > 0.55);
    }

    #[test]
    fn handles_past_the_ends_do_not_run_back_in_time() {
        let curve = Bezier::new(at(0.0, 0.0), at(9.0, 9.0), at(-9.0, 5.0), at(1.0, 1.0));
        let crossed = [0.0, 1.0, 0.0, 1.0];
        let off = |(a, b): (&f64, f64)| (a - b).abs();
        assert!(curve.times.iter().zip(crossed).map(off).sum::<f64>() < 1e-15);
        assert!((curve.values[1] - 1.0).abs() < 1e-15, "{:?}", curve.values);
        let away = Bezier::new(at(0.0, 0.0), at(-1.0, 9.0), at(2.0, 9.0), at(1.0, 1.0));
        assert!((away.at(0.5) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn no_number_makes_it_run_for_ever() {
        let odd = [f64::NAN, f64::INFINITY, -1e308, 1e308, 0.0, 5e-324];
        for (&time, &value) in odd.iter().zip(odd.iter().rev()) {
            let curve = Bezier::new(
                at(0.0, value),
                at(time, time),
                at(value, time),
                at(1.0, time),
            );
            let _ = curve.at(0.3);
        }
    }
}
