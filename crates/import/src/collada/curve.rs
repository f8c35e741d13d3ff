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
    /// Constant up to the next key, if there is one.
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
            return Segment::Constant(nearest.map_or(0.0, |key| key.at.value));
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
            Self::Constant(value) => *value,
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
mod tests {
    //! Laws of curves for any keys, and faults that break them.

    use proptest::prelude::*;

    use super::*;
    use crate::units::law;

    /// Two keys with handles anywhere between them in time, and the parameter of a sample.
    #[derive(Debug, Clone)]
    struct Case {
        times: [f64; 4],
        values: [f64; 4],
        phase: f64,
    }

    /// Evaluates a curve at a time: the function under test.
    type Evaluate = fn(&Curve, f64) -> f64;

    type Verdict = law::Verdict<Case>;

    fn evaluate(curve: &Curve, time: f64) -> f64 {
        curve.segment(time).at(time)
    }

    fn key(at: Point, interpolation: Interpolation) -> Key {
        Key { at, interpolation }
    }

    impl Case {
        fn curve(&self) -> Curve {
            let [from, leave, arrive, to] =
                [0, 1, 2, 3].map(|index| at(self.times[index], self.values[index]));
            let bezier = Interpolation::Bezier { leave, arrive };
            Curve {
                keys: vec![key(from, bezier), key(to, Interpolation::Linear)],
            }
        }

        /// The Bézier curve's own definition, in time or in value.
        fn along(&self, control: [f64; 4]) -> f64 {
            let (s, left) = (self.phase, 1.0 - self.phase);
            let weights = [
                left * left * left,
                3.0 * left * left * s,
                3.0 * left * s * s,
                s * s * s,
            ];
            let parts = weights.iter().zip(control);
            parts.map(|(weight, number)| weight * number).sum()
        }
    }

    fn cases() -> impl Strategy<Value = Case> {
        let number = -10.0..10.0_f64;
        let handles = [0.05..0.95_f64, 0.05..0.95_f64];
        let values = proptest::array::uniform4(number.clone());
        (number, 0.1..5.0_f64, handles, values, 0.0..=1.0_f64).prop_map(
            |(start, span, [leave, arrive], values, phase)| Case {
                times: [0.0, leave, arrive, 1.0].map(|part| start + span * part),
                values,
                phase,
            },
        )
    }

    fn check(law: impl Fn(Case) -> Result<(), TestCaseError>) -> Verdict {
        law::check(&cases(), law)
    }

    /// Compares values. Tolerant where both handles are close to one end: there the rounding of time moves the value most.
    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    fn same(a: f64, b: f64) -> Result<(), TestCaseError> {
        prop_assert!(close(a, b), "{} != {}", a, b);
        Ok(())
    }

    /// A point of the Bézier curve lies on the function: at its time, the function has its value.
    fn values_are_where_their_times_are(evaluate: Evaluate) -> Verdict {
        check(|case| {
            let (time, expected) = (case.along(case.times), case.along(case.values));
            same(evaluate(&case.curve(), time), expected)
        })
    }

    /// Reversing time and exchanging the handles of both ends does not change the curve.
    fn time_can_be_reversed(evaluate: Evaluate) -> Verdict {
        check(|case| {
            let time = case.along(case.times);
            let mut back = case.clone();
            back.times.reverse();
            back.times = back.times.map(|time| -time);
            back.values.reverse();
            same(
                evaluate(&case.curve(), time),
                evaluate(&back.curve(), -time),
            )
        })
    }

    /// Measuring time in a unit four times as long does not change the values.
    fn the_unit_of_time_does_not_matter(evaluate: Evaluate) -> Verdict {
        check(|case| {
            let time = case.along(case.times);
            let mut fast = case.clone();
            fast.times = fast.times.map(|time| time * 4.0);
            same(
                evaluate(&case.curve(), time),
                evaluate(&fast.curve(), time * 4.0),
            )
        })
    }

    const LAWS: [fn(Evaluate) -> Verdict; 3] = [
        values_are_where_their_times_are,
        time_can_be_reversed,
        the_unit_of_time_does_not_matter,
    ];

    #[test]
    fn bezier_curves_keep_the_laws() {
        for law in LAWS {
            law(evaluate).unwrap();
        }
    }

    /// The value at `time` of `curve` with its handles changed.
    fn with_handles(
        curve: &Curve,
        time: f64,
        change: fn(Point, Point, Point, Point) -> [Point; 2],
    ) -> f64 {
        let mut curve = curve.clone();
        let to = curve.keys[1].at;
        let key = &mut curve.keys[0];
        if let Interpolation::Bezier { leave, arrive } = key.interpolation {
            let [leave, arrive] = change(key.at, leave, arrive, to);
            key.interpolation = Interpolation::Bezier { leave, arrive };
        }
        evaluate(&curve, time)
    }

    #[test]
    fn handles_whose_times_are_ignored_are_caught() {
        let uniform: Evaluate = |curve, time| {
            with_handles(curve, time, |from, leave, arrive, to| {
                let third = (to.time - from.time) / 3.0;
                [
                    at(from.time + third, leave.value),
                    at(to.time - third, arrive.value),
                ]
            })
        };
        assert!(values_are_where_their_times_are(uniform).is_err());
    }

    #[test]
    fn handles_taken_for_directions_are_caught() {
        let relative: Evaluate = |curve, time| {
            with_handles(curve, time, |from, leave, arrive, to| {
                let after = at(leave.time, from.value + leave.value / 3.0);
                [after, at(arrive.time, to.value - arrive.value / 3.0)]
            })
        };
        assert!(values_are_where_their_times_are(relative).is_err());
    }

    #[test]
    fn handles_of_the_wrong_ends_are_caught() {
        let swapped: Evaluate =
            |curve, time| with_handles(curve, time, |_, leave, arrive, _| [arrive, leave]);
        assert!(values_are_where_their_times_are(swapped).is_err());
    }

    #[test]
    fn a_curve_that_takes_its_parameter_for_the_time_is_caught() {
        let even: Evaluate = |curve, time| {
            let (from, to) = (curve.keys[0].at, curve.keys[1].at);
            let phase = (time - from.time) / (to.time - from.time);
            let Interpolation::Bezier { leave, arrive } = curve.keys[0].interpolation else {
                return from.value;
            };
            let case = Case {
                times: [0.0; 4],
                values: [0.0; 4],
                phase,
            };
            case.along([from.value, leave.value, arrive.value, to.value])
        };
        assert!(values_are_where_their_times_are(even).is_err());
    }

    #[test]
    fn a_clock_that_counts_milliseconds_is_caught() {
        let rounded: Evaluate = |curve, time| evaluate(curve, (time * 1000.0).round() / 1000.0);
        assert!(the_unit_of_time_does_not_matter(rounded).is_err());
    }

    #[test]
    fn an_out_handle_used_at_both_ends_is_caught() {
        let one_sided: Evaluate =
            |curve, time| with_handles(curve, time, |_, leave, _, _| [leave, leave]);
        assert!(time_can_be_reversed(one_sided).is_err());
    }

    #[test]
    fn a_key_at_the_same_time_as_its_predecessor_is_a_jump() {
        let curve = Curve {
            keys: vec![
                key(at(0.0, 1.0), Interpolation::Linear),
                key(at(1.0, 2.0), Interpolation::Linear),
                key(at(1.0, 5.0), Interpolation::Step),
                key(at(2.0, 9.0), Interpolation::Linear),
            ],
        };
        let values = [-1.0, 0.5, 1.0, 1.5, 2.0, 3.0].map(|time| evaluate(&curve, time));
        let expected = [1.0, 1.5, 5.0, 5.0, 9.0, 9.0];
        assert!(
            values.iter().zip(expected).all(|(a, b)| close(*a, b)),
            "{values:?}"
        );
    }

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
