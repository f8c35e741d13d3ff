//! The part of a track between two times: a Bézier curve for vectors, an arc or a normalized Bézier curve for rotations.

use glam::{DAffine3, DQuat, DVec3, DVec4, Quat, Vec3};

use super::drift::{Drift, largest};
use crate::rig::{Key, Span, Track};

/// The norm of a vector.
pub(super) type Norm = fn(DVec4) -> f64;

/// Of a translation.
pub(super) fn length(vector: DVec4) -> f64 {
    vector.length()
}

/// Of a scale: the operator norm of the diagonal matrix.
pub(super) fn longest_axis(vector: DVec4) -> f64 {
    largest(vector.abs().to_array())
}

/// The keys that say what a track does between two times.
enum Part<'a, T> {
    /// Constant until just before the end.
    Held(&'a T),
    /// Between two keys, as fractions of the time between them.
    Span {
        from: &'a Key<T>,
        to: &'a Key<T>,
        phases: [f64; 2],
    },
    /// Over several spans.
    Keys(&'a [Key<T>]),
}

/// Times closer than this are the same: the rounding of f32.
pub(super) fn rounding(time: f64) -> f64 {
    f64::from(f32::EPSILON) * time.abs().max(1e-3)
}

fn part<T>(track: &Track<T>, [start, end]: [f64; 2]) -> Part<'_, T> {
    let keys = &track.keys;
    let rounding = rounding(start.abs().max(end.abs()));
    let after = keys.partition_point(|key| key.time.0 <= start + rounding);
    let next = keys.get(after);
    if next.is_some_and(|next| next.time.0 < end - rounding) {
        let last = keys.partition_point(|key| key.time.0 < end - rounding);
        return Part::Keys(&keys[after.saturating_sub(1)..(last + 1).min(keys.len())]);
    }
    match (keys.get(after.wrapping_sub(1)), next) {
        (Some(from), Some(to)) if !matches!(from.span, Span::Step) => {
            let seconds = to.time.0 - from.time.0;
            let phase = |time: f64| ((time - from.time.0) / seconds).clamp(0.0, 1.0);
            Part::Span {
                from,
                to,
                phases: [phase(start), phase(end)],
            }
        }
        (Some(key), _) | (None, Some(key)) => Part::Held(&key.value),
        (None, None) => Part::Keys(&[]),
    }
}

/// A vector over time.
#[derive(Debug, Clone, Copy)]
pub(super) enum Curve {
    /// The control points of a Bézier curve.
    Bezier([DVec4; 4]),
    /// Within a distance of a point.
    Near(DVec4, f64),
}

impl Curve {
    pub(super) fn constant(value: DVec3) -> Self {
        Self::Bezier([value.extend(0.0); 4])
    }

    pub(super) fn of(track: &Track<Vec3>, times: [f64; 2]) -> Self {
        let wide = |value: &Vec3| value.as_dvec3().extend(0.0);
        Self::of_numbers(&part(track, times), wide)
    }

    /// One number of each key: the weight of a morph target.
    pub(super) fn of_weight(track: &Track<Vec<f32>>, target: usize, times: [f64; 2]) -> Self {
        let wide = |value: &Vec<f32>| {
            let weight = value.get(target).copied().unwrap_or_default();
            DVec4::X * f64::from(weight)
        };
        Self::of_numbers(&part(track, times), wide)
    }

    fn of_numbers<T>(part: &Part<'_, T>, wide: impl Fn(&T) -> DVec4) -> Self {
        match part {
            Part::Held(value) => Self::Bezier([wide(value); 4]),
            Part::Span { from, to, phases } => Self::Bezier(controls(from, to, *phases, wide)),
            Part::Keys(keys) => {
                let spans = keys.iter().zip(keys.iter().skip(1));
                let points = spans.flat_map(|(from, to)| controls(from, to, [0.0, 1.0], &wide));
                // Before its first key and after its last, a track holds the nearest.
                let points: Vec<DVec4> = points
                    .chain(keys.first().map(|key| wide(&key.value)))
                    .collect();
                let first = points.first().copied().unwrap_or_default();
                let far = points.iter().map(|point| point.distance(first));
                Self::Near(first, largest(far))
            }
        }
    }

    /// The curve in another space.
    pub(super) fn moved(self, map: &DAffine3) -> Self {
        let moved = |point: DVec4| map.transform_point3(point.truncate()).extend(0.0);
        match self {
            Self::Bezier(points) => Self::Bezier(points.map(moved)),
            Self::Near(point, radius) => {
                let scale = map.matrix3.x_axis.length();
                Self::Near(moved(point), radius * scale)
            }
        }
    }

    /// Whether all its values have three equal numbers, as a uniform scale.
    pub(super) fn is_uniform(&self) -> bool {
        let uniform = |point: &DVec4| {
            let [x, y, z] = point.truncate().to_array();
            (x - y).abs().max((x - z).abs()) <= 1e-6 * x.abs()
        };
        match self {
            Self::Bezier(points) => points.iter().all(uniform),
            Self::Near(point, radius) => *radius <= 0.0 && uniform(point),
        }
    }

    /// In Bernstein's form a cubic strays from its chord by `3u(1-u)²` and `3u²(1-u)` times the distances of its inner points from
    /// the chord's; both factors together are at most 3/4.
    pub(super) fn drift(&self, norm: Norm) -> Drift {
        match self {
            Self::Bezier(points) => {
                let [a, b, c, d] = *points;
                let inner = [b - (2.0 * a + d) / 3.0, c - (a + 2.0 * d) / 3.0].map(norm);
                Drift {
                    size: largest(points.map(norm)),
                    change: norm(d - a),
                    stray: 0.75 * largest(inner),
                }
            }
            Self::Near(point, radius) => Drift {
                size: norm(*point) + radius,
                change: 2.0 * radius,
                stray: 2.0 * radius,
            },
        }
    }

    /// Of the difference to another.
    pub(super) fn difference(&self, other: &Self, norm: Norm) -> Drift {
        match (self, other) {
            (Self::Bezier(a), Self::Bezier(b)) => {
                Self::Bezier(std::array::from_fn(|index| a[index] - b[index])).drift(norm)
            }
            (Self::Near(point, radius), Self::Bezier(points))
            | (Self::Bezier(points), Self::Near(point, radius)) => {
                let far = largest(points.map(|own| own.distance(points[0])));
                Self::Near(*point - points[0], far + radius).drift(norm)
            }
            (Self::Near(a, around_a), Self::Near(b, around_b)) => {
                Self::Near(*a - *b, around_a + around_b).drift(norm)
            }
        }
    }
}

/// The control points of a part of a span.
fn controls<T>(
    from: &Key<T>,
    to: &Key<T>,
    [start, end]: [f64; 2],
    wide: impl Fn(&T) -> DVec4,
) -> [DVec4; 4] {
    let (a, b) = (wide(&from.value), wide(&to.value));
    let (leave, arrive) = match &from.span {
        // A step has both values, the second at its end.
        Span::Step | Span::Linear => (b - a, b - a),
        Span::Cubic { leave, arrive } => {
            let seconds = to.time.0 - from.time.0;
            (wide(leave) * seconds, wide(arrive) * seconds)
        }
    };
    let value = |u: f64| {
        let v = 1.0 - u;
        a * (v * v * (1.0 + 2.0 * u)) + leave * (u * v * v) + b * (u * u * (3.0 - 2.0 * u))
            - arrive * (u * u * v)
    };
    let slope = |u: f64| {
        let v = 1.0 - u;
        (b - a) * (6.0 * u * v) + leave * (v * (1.0 - 3.0 * u)) + arrive * (u * (3.0 * u - 2.0))
    };
    let third = (end - start) / 3.0;
    let (first, last) = (value(start), value(end));
    [
        first,
        first + slope(start) * third,
        last - slope(end) * third,
        last,
    ]
}

/// A rotation over time.
#[derive(Debug, Clone, Copy)]
pub(super) enum Turn {
    /// At constant speed about one axis.
    Arc {
        from: DQuat,
        /// The axis in the rotated space, as long as the angle in radians.
        rate: DVec3,
    },
    /// The control points of a Bézier curve of quaternions, normalized afterwards.
    Spline([DVec4; 4]),
    Any,
}

/// The shortest quaternion of a spline whose direction is bounded.
const SHORTEST: f64 = 0.05;

impl Turn {
    pub(super) fn constant(rotation: DQuat) -> Self {
        unit(rotation).map_or(Self::Any, |from| Self::Arc {
            from,
            rate: DVec3::ZERO,
        })
    }

    pub(super) fn of(track: &Track<Quat>, times: [f64; 2]) -> Self {
        match part(track, times) {
            Part::Held(value) => Self::constant(value.as_dquat()),
            Part::Span { from, to, phases } => match from.span {
                Span::Cubic { .. } => {
                    let wide = |value: &Quat| DVec4::from(value.as_dquat());
                    Self::Spline(controls(from, to, phases, wide))
                }
                _ => Self::arc(&from.value, &to.value, phases),
            },
            Part::Keys(_) => Self::Any,
        }
    }

    fn arc(from: &Quat, to: &Quat, [start, end]: [f64; 2]) -> Self {
        let (Some(from), Some(to)) = (unit(from.as_dquat()), unit(to.as_dquat())) else {
            return Self::Any;
        };
        let between = from.conjugate() * if from.dot(to) < 0.0 { -to } else { to };
        let axis = DVec3::new(between.x, between.y, between.z);
        let angle = 2.0 * libm::atan2(axis.length(), between.w);
        let rate = axis.try_normalize().unwrap_or(DVec3::ZERO) * angle;
        let half = 0.5 * start * angle;
        let turned = axis.try_normalize().unwrap_or(DVec3::ZERO) * libm::sin(half);
        let turned = DQuat::from_xyzw(turned.x, turned.y, turned.z, libm::cos(half));
        Self::Arc {
            from: from * turned,
            rate: rate * (end - start),
        }
    }

    /// The rotation between two other ones.
    pub(super) fn moved(self, left: DQuat, right: DQuat) -> Self {
        match self {
            Self::Arc { from, rate } => Self::Arc {
                from: left * from * right,
                rate: right.conjugate() * rate,
            },
            Self::Spline(points) => Self::Spline(
                points.map(|point| DVec4::from(left * DQuat::from_vec4(point) * right)),
            ),
            Self::Any => Self::Any,
        }
    }

    /// Bounds on the first and second derivative of its matrix, over the whole part as the unit of time; `None` if unknown.
    ///
    /// Of an arc by the angle θ they are θ and θ². The matrix of a unit quaternion `q` has the derivatives `2 |q'|` and at most
    /// `2 |q''| + 2 |q'|²`. Of `q = h / |h|` these are at most `|h'| / |h|` and `|h''| / |h| + 3 (|h'| / |h|)²`. A Bézier curve and
    /// its derivatives stay in the hulls of their control points.
    fn derivatives(&self) -> Option<[f64; 2]> {
        match self {
            Self::Arc { rate, .. } => Some([rate.length(), rate.length_squared()]),
            Self::Spline(points) => {
                let shortest = shortest(points);
                if shortest < SHORTEST {
                    return None;
                }
                let [a, b, c, d] = *points;
                let steps = [b - a, c - b, d - c];
                let bends = [steps[1] - steps[0], steps[2] - steps[1]];
                let most = |list: &[DVec4]| largest(list.iter().map(|step| step.length()));
                let speed = 3.0 * most(&steps) / shortest;
                let bend = 6.0 * most(&bends) / shortest;
                Some([2.0 * speed, 2.0 * bend + 8.0 * speed * speed])
            }
            Self::Any => None,
        }
    }

    /// Of its matrix. A function strays from its chord by at most an eighth of its largest second derivative.
    pub(super) fn drift(&self) -> Drift {
        let [first, second] = self.derivatives().unwrap_or([f64::INFINITY; 2]);
        Drift {
            size: 1.0,
            change: first,
            stray: second / 8.0,
        }
        .of_size(1.0)
    }

    /// Of the difference of both matrices.
    pub(super) fn difference(&self, other: &Self) -> Drift {
        if let (
            Self::Arc { from: a, rate: v },
            Self::Arc {
                from: b, rate: w, ..
            },
        ) = (self, other)
        {
            // R' = R [v]: the difference has the derivative (R - Q) [v] + Q [v - w], and the second one
            // (R - Q) [v]² + Q ([v]² - [w]²).
            let apart = v.distance(*w);
            let size = (angle(*a, *b) + apart).min(2.0);
            let [v, w] = [v.length(), w.length()];
            return Drift {
                size,
                change: size * v + apart,
                stray: (size * v * v + apart * (v + w)) / 8.0,
            }
            .of_size(size);
        }
        let both = self.drift() + other.drift();
        both.of_size(self.apart(other).unwrap_or(2.0).min(2.0))
    }

    /// A bound on the norm of the difference of both matrices.
    fn apart(&self, other: &Self) -> Option<f64> {
        if let (Self::Spline(a), Self::Spline(b)) = (self, other) {
            let sign = if a[0].dot(b[0]) < 0.0 { -1.0 } else { 1.0 };
            let far = [0, 1, 2, 3].map(|index| a[index].distance(sign * b[index]));
            let shortest = shortest(a).min(shortest(b));
            if shortest >= SHORTEST {
                // Normalized, they are at most twice as far apart as their directions, and their matrices twice as far again.
                return Some(4.0 * largest(far) / shortest);
            }
        }
        let start = angle(self.start()?, other.start()?);
        Some(start + self.derivatives()?[0] + other.derivatives()?[0])
    }

    fn start(&self) -> Option<DQuat> {
        match self {
            Self::Arc { from, .. } => Some(*from),
            Self::Spline(points) => unit(DQuat::from_vec4(points[0])),
            Self::Any => None,
        }
    }
}

/// A bound on the shortest quaternion of a spline: none is farther from the middle of the ends than a control point.
fn shortest(points: &[DVec4; 4]) -> f64 {
    let middle = 0.5 * (points[0] + points[3]);
    let far = points.map(|point| point.distance(middle));
    middle.length() - largest(far)
}

/// The angle between two rotations.
fn angle(a: DQuat, b: DQuat) -> f64 {
    crate::rig::rotation_angle(a.conjugate() * b)
}

pub(super) fn unit(rotation: DQuat) -> Option<DQuat> {
    let length = rotation.length_squared().sqrt();
    (length.is_finite() && length > 1e-6).then(|| rotation * (1.0 / length))
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, Quat, Vec3};
    use proptest::prelude::*;

    use super::*;
    use crate::pose;
    use crate::rig::strategies::{rotation_tracks, vector_tracks};
    use crate::units::Seconds;

    /// Times between the two that a bound is for.
    const TIMES: u8 = 64;

    /// The rounding of sampled values in f32, relative to the largest.
    const ROUNDING: f64 = 1e-5;

    /// Two times, between which a track has no key, or may have some.
    #[derive(Debug, Clone)]
    struct Window {
        phases: [f64; 2],
        has_keys: bool,
    }

    fn windows() -> impl Strategy<Value = Window> {
        let phases = [0.0_f64..1.0, 0.0..1.0];
        (phases, 0..4_u8).prop_map(|(phases, kind)| Window {
            phases,
            has_keys: kind == 0,
        })
    }

    impl Window {
        fn times<T>(&self, tracks: [&Track<T>; 2]) -> [f64; 2] {
            let keys = || tracks.into_iter().flat_map(|track| &track.keys);
            let times = || keys().map(|key| key.time.0);
            let [first, last] = [times().fold(1.0, f64::min), times().fold(0.0, f64::max)];
            let [from, to] = self.phases;
            let start = first - 0.1 + from * (last - first + 0.2);
            let next = times()
                .filter(|time| *time > start)
                .fold(start + 0.5, f64::min);
            let end = if self.has_keys { start + 1.0 } else { next };
            [start, start + (0.01 + 0.98 * to) * (end - start)]
        }
    }

    /// Holds a bound to the values of `at`, for a norm of which `size` is never more.
    fn holds<V: Copy + std::ops::Sub<Output = V> + std::ops::Mul<f64, Output = V>>(
        bound: Drift,
        [start, end]: [f64; 2],
        at: impl Fn(f64) -> V,
        size: impl Fn(V) -> f64,
    ) {
        let rounding = ROUNDING * (1.0 + bound.size);
        let (from, to) = (at(start), at(end));
        let change = size(to - from);
        assert!(change <= bound.change + rounding, "{change} of {bound:?}");
        for index in 0..=TIMES {
            let phase = f64::from(index) / f64::from(TIMES);
            let value = at(start + phase * (end - start));
            let stray = size((value - from) - (to - from) * phase);
            let own = size(value);
            assert!(stray <= bound.stray + rounding, "{stray} of {bound:?}");
            assert!(own <= bound.size + rounding, "{own} of {bound:?}");
        }
    }

    /// At most the operator norm.
    fn stretch(matrix: DMat3) -> f64 {
        let diagonal = [
            DVec3::ONE,
            DVec3::new(1.0, -1.0, 0.0),
            DVec3::new(1.0, 0.0, -1.0),
        ];
        let directions = DVec3::AXES
            .into_iter()
            .chain(diagonal.map(DVec3::normalize));
        largest(directions.map(|direction| (matrix * direction).length()))
    }

    fn vector(track: &Track<Vec3>, time: f64) -> DVec3 {
        let value = pose::vector_at(track, Seconds(time));
        value.expect("it has keys").as_dvec3()
    }

    fn matrix(track: &Track<Quat>, time: f64) -> DMat3 {
        let value = pose::rotation_at(track, Seconds(time));
        DMat3::from_quat(value.expect("it has keys").as_dquat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn vectors_and_their_difference_stay_in_their_bounds(
            tracks in [vector_tracks(), vector_tracks()],
            window in windows(),
        ) {
            let times = window.times(tracks.each_ref());
            let [a, b] = tracks.each_ref().map(|track| Curve::of(track, times));
            holds(a.drift(length), times, |time| vector(&tracks[0], time), DVec3::length);
            holds(
                a.difference(&b, length),
                times,
                |time| vector(&tracks[0], time) - vector(&tracks[1], time),
                DVec3::length,
            );
        }

        #[test]
        fn rotations_and_their_difference_stay_in_their_bounds(
            tracks in [rotation_tracks(), rotation_tracks()],
            window in windows(),
        ) {
            let times = window.times(tracks.each_ref());
            let [a, b] = tracks.each_ref().map(|track| Turn::of(track, times));
            holds(a.drift(), times, |time| matrix(&tracks[0], time), stretch);
            holds(
                a.difference(&b),
                times,
                |time| matrix(&tracks[0], time) - matrix(&tracks[1], time),
                stretch,
            );
        }

        #[test]
        fn products_stay_in_their_bounds(
            tracks in [vector_tracks(), vector_tracks()],
            window in windows(),
        ) {
            let times = window.times(tracks.each_ref());
            let [a, b] = tracks.each_ref().map(|track| {
                let along_x = track.map(|value| vec![value.x]);
                Curve::of_weight(&along_x, 0, times).drift(length)
            });
            let product = |time| vector(&tracks[0], time).x * vector(&tracks[1], time).x;
            holds(a * b, times, product, f64::abs);
        }
    }
}
