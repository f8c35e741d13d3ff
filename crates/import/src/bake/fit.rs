//! Fits a span to a piece of a curve; the values that can be baked: a sampler's arithmetic between two keys, in f64.

use std::ops::{Add, Mul, Sub};

use glam::{DMat4, DQuat, DVec3, DVec4, Mat4, Quat, Vec3};

use crate::rig::Span;
use crate::vertices::f32_of;

/// Phases at which a fit is compared with the curve: near the three where a cubic through 0, 1/3, 2/3 and 1 deviates most,
/// and at no simple fraction, which a periodic curve could alias with.
const PROBES: [f64; 3] = [0.126_873, 0.507_719, 0.871_947];

/// The phases of the inner values, which a fit is made from.
const THIRDS: [f64; 2] = [1.0 / 3.0, 2.0 / 3.0];

/// Spans shorter than this, in seconds, are not halved: at a vertical tangent, halving would not end.
const SHORTEST: f64 = 1e-6;

/// A fraction of the tolerance. Closer values count as equal, so that rounding does not turn a step into a slope.
const SAME: f64 = 1e-3;

/// A piece of a curve without a jump.
#[derive(Clone)]
pub(super) struct Piece<S> {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) from: S,
    pub(super) to: S,
}

impl<S> Piece<S> {
    fn seconds(&self) -> f64 {
        self.end - self.start
    }

    fn time(&self, phase: f64) -> f64 {
        self.start + self.seconds() * phase
    }
}

/// A piece with its inner values.
pub(super) struct Fit<'a, S> {
    pub(super) piece: Piece<S>,
    /// The values at a third and at two thirds.
    inner: [S; 2],
    at: &'a dyn Fn(f64) -> S,
}

/// A candidate span, made from the inner values.
enum Guess<S> {
    Constant,
    Linear,
    /// A cubic with these derivatives at both ends, relative to the whole piece.
    Spline([S; 2]),
}

impl<S> Guess<S> {
    /// The phases of its test: a line already matches four points, so it has less room for error than a spline.
    fn probes(&self) -> &'static [f64] {
        match self {
            Self::Constant | Self::Linear => &PROBES[..2],
            Self::Spline(_) => &PROBES,
        }
    }
}

impl<'a, S: Sample> Fit<'a, S> {
    /// Samples the inner values. Each takes the sign that is closer to the value before.
    pub(super) fn of(mut piece: Piece<S>, at: &'a dyn Fn(f64) -> S) -> Self {
        let first = at(piece.time(THIRDS[0])).near(&piece.from);
        let second = at(piece.time(THIRDS[1])).near(&first);
        piece.to = piece.to.near(&second);
        Self {
            piece,
            inner: [first, second],
            at,
        }
    }

    /// The simplest span that deviates by no more than `tolerance` at the probes.
    pub(super) fn span(&self, tolerance: f64) -> Option<Span<S::Key>> {
        let guess = self.guess(tolerance);
        let fits = guess.probes().iter().all(|&phase| {
            let value = (self.at)(self.piece.time(phase));
            self.holds(&guess, phase, &value, tolerance)
        });
        fits.then(|| self.as_span(&guess))
    }

    /// The span for a piece that is not halved further.
    pub(super) fn fallback(&self) -> Span<S::Key> {
        if self.is_finite() {
            Span::Linear
        } else {
            Span::Step
        }
    }

    pub(super) fn can_be_cut(&self) -> bool {
        self.is_finite() && self.piece.seconds() > SHORTEST
    }

    fn is_finite(&self) -> bool {
        let [first, second] = &self.inner;
        let known = [&self.piece.from, first, second, &self.piece.to];
        known.into_iter().all(Sample::is_finite)
    }

    fn guess(&self, tolerance: f64) -> Guess<S> {
        let suits = |guess: &Guess<S>| {
            let mut inner = THIRDS.into_iter().zip(&self.inner);
            inner.all(|(phase, value)| self.holds(guess, phase, value, tolerance))
        };
        // The simplest candidate first. The inner values are known already, so they reject candidates before any probe is
        // sampled.
        let ends = self.piece.to.distance(&self.piece.from);
        if ends <= tolerance * SAME && suits(&Guess::Constant) {
            Guess::Constant
        } else if suits(&Guess::Linear) {
            Guess::Linear
        } else {
            Guess::Spline(self.tangents())
        }
    }

    /// Whether `guess` matches `value` at `phase`; never for NaN.
    fn holds(&self, guess: &Guess<S>, phase: f64, value: &S, tolerance: f64) -> bool {
        let Piece { from, to, .. } = &self.piece;
        match guess {
            Guess::Constant => from.distance(value) <= tolerance * SAME,
            Guess::Linear => S::straight(from, to, phase)
                .is_some_and(|straight| straight.distance(value) <= tolerance),
            Guess::Spline(tangents) => {
                let spline = self.spline(tangents, phase);
                spline.distance(value) <= tolerance
            }
        }
    }

    /// Derivatives at both ends, over the whole piece, of the cubic through its ends and inner values (Lagrange).
    fn tangents(&self) -> [S; 2] {
        let [first, second] = &self.inner;
        let nodes = [&self.piece.from, first, second, &self.piece.to];
        [
            // The derivatives of the four Lagrange polynomials over 0, 1/3, 2/3 and 1, at 0 and at 1.
            S::sum([-5.5, 9.0, -4.5, 1.0], nodes),
            S::sum([-1.0, 4.5, -9.0, 5.5], nodes),
        ]
    }

    /// The spline at `phase`, as a sampler evaluates it (glTF 2.0, appendix C.5).
    fn spline(&self, [leave, arrive]: &[S; 2], phase: f64) -> S {
        let (squared, cubed) = (phase * phase, phase * phase * phase);
        let weights = [
            2.0 * cubed - 3.0 * squared + 1.0,
            cubed - 2.0 * squared + phase,
            3.0 * squared - 2.0 * cubed,
            cubed - squared,
        ];
        S::sum(weights, [&self.piece.from, leave, &self.piece.to, arrive]).settled()
    }

    fn as_span(&self, guess: &Guess<S>) -> Span<S::Key> {
        // Keys store tangents per second; `Guess` has them relative to the whole piece.
        let rate = [1.0 / self.piece.seconds(), 0.0, 0.0, 0.0];
        let per_second = |tangent: &S| S::sum(rate, [tangent; 4]).key();
        match guess {
            Guess::Constant => Span::Step,
            Guess::Linear => Span::Linear,
            Guess::Spline([leave, arrive]) => Span::Cubic {
                leave: per_second(leave),
                arrive: per_second(arrive),
            },
        }
    }
}

/// A value of a curve.
pub(crate) trait Sample: Clone {
    /// The type that a track stores.
    type Key;

    /// The value rounded to that type.
    fn key(&self) -> Self::Key;

    /// Whether all its numbers are finite.
    fn is_finite(&self) -> bool;

    /// The distance to `other`, in the unit of the tolerance.
    fn distance(&self, other: &Self) -> f64;

    /// The same value with the sign that is closer to `reference`: for a rotation, `q` or `-q`.
    fn near(self, _reference: &Self) -> Self {
        self
    }

    /// The sum of `parts` by `weights`. A sum of rotations is not a rotation until it is [settled](Self::settled).
    fn sum(weights: [f64; 4], parts: [&Self; 4]) -> Self;

    /// A sum as a valid value: a rotation at unit length.
    fn settled(self) -> Self {
        self
    }

    /// The value of [`Span::Linear`] at `phase`; `None` if rounding of the keys could make it take
    /// another path.
    fn straight(from: &Self, to: &Self, phase: f64) -> Option<Self>;
}

fn weighted<T>([a, b, c, d]: [f64; 4], parts: [&T; 4]) -> T
where
    T: Copy + Add<Output = T> + Mul<f64, Output = T>,
{
    *parts[0] * a + *parts[1] * b + *parts[2] * c + *parts[3] * d
}

fn between<T>(from: T, to: T, phase: f64) -> T
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
{
    from + (to - from) * phase
}

impl Sample for DVec3 {
    type Key = Vec3;

    fn key(&self) -> Vec3 {
        self.as_vec3()
    }

    fn is_finite(&self) -> bool {
        DVec3::is_finite(*self)
    }

    fn distance(&self, other: &Self) -> f64 {
        (*self - *other).length()
    }

    fn sum(weights: [f64; 4], parts: [&Self; 4]) -> Self {
        weighted(weights, parts)
    }

    fn straight(from: &Self, to: &Self, phase: f64) -> Option<Self> {
        Some(between(*from, *to, phase))
    }
}

/// Cosine of half the largest angle of a linear span: 160 degrees. At 180 degrees both directions are equally short.
const NARROWEST: f64 = 0.17;

impl Sample for DQuat {
    type Key = Quat;

    fn key(&self) -> Quat {
        self.as_quat()
    }

    fn is_finite(&self) -> bool {
        DQuat::is_finite(*self)
    }

    /// The angle of the rotation from one to the other: twice the chord of the half angle, which is exact for small angles.
    fn distance(&self, other: &Self) -> f64 {
        let length = |q: DQuat| q.length_squared().sqrt();
        // q and -q are the same rotation, so the shorter chord counts.
        2.0 * length(*self - *other).min(length(*self + *other))
    }

    fn near(self, reference: &Self) -> Self {
        if self.dot(*reference) < 0.0 {
            -self
        } else {
            self
        }
    }

    fn sum(weights: [f64; 4], parts: [&Self; 4]) -> Self {
        weighted(weights, parts)
    }

    fn settled(self) -> Self {
        self * (1.0 / self.length_squared().sqrt())
    }

    fn straight(from: &Self, to: &Self, phase: f64) -> Option<Self> {
        let to = to.near(from);
        (from.dot(to) >= NARROWEST).then(|| slerp(*from, to, phase))
    }
}

/// The great arc between two unit quaternions (K. Shoemake, "Animating Rotation with Quaternion Curves", SIGGRAPH
/// 1985), with an angle that is accurate for small ones, too.
pub(crate) fn slerp(from: DQuat, to: DQuat, phase: f64) -> DQuat {
    let length = |q: DQuat| q.length_squared().sqrt();
    let angle = 2.0 * libm::atan2(length(from - to), length(from + to));
    // At an angle of 0, both sines are 0 and the sum could not be normalized.
    if angle < 1e-9 {
        return to;
    }
    // The division by `sin(angle)` is omitted, because the result is normalized anyway.
    let (a, b) = ((1.0 - phase) * angle, phase * angle);
    (from * libm::sin(a) + to * libm::sin(b)).settled()
}

/// Element by element.
impl Sample for DMat4 {
    type Key = Mat4;

    fn key(&self) -> Mat4 {
        self.as_mat4()
    }

    fn is_finite(&self) -> bool {
        DMat4::is_finite(self)
    }

    /// The largest distance of the axes, or of the translations relative to their length, for they may be a thousand times as
    /// large.
    fn distance(&self, other: &Self) -> f64 {
        let size = |vector: DVec4| vector.truncate().abs().max_element();
        let apart = *self - *other;
        let axes = size(apart.x_axis)
            .max(size(apart.y_axis))
            .max(size(apart.z_axis));
        // Relative only if the translation is longer than a unit axis.
        axes.max(size(apart.w_axis) / size(other.w_axis).max(1.0))
    }

    fn sum(weights: [f64; 4], parts: [&Self; 4]) -> Self {
        weighted(weights, parts)
    }

    fn straight(from: &Self, to: &Self, phase: f64) -> Option<Self> {
        Some(between(*from, *to, phase))
    }
}

/// One weight per morph target; all lists of a track have the same length.
impl Sample for Vec<f64> {
    type Key = Vec<f32>;

    fn key(&self) -> Vec<f32> {
        self.iter().map(|&weight| f32_of(weight)).collect()
    }

    fn is_finite(&self) -> bool {
        self.iter().all(|weight| weight.is_finite())
    }

    fn distance(&self, other: &Self) -> f64 {
        let pairs = self.iter().zip(other);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    fn sum(weights: [f64; 4], parts: [&Self; 4]) -> Self {
        let component = |index: usize| {
            let terms = weights.iter().zip(parts);
            terms.map(|(weight, part)| weight * part[index]).sum()
        };
        (0..parts[0].len()).map(component).collect()
    }

    fn straight(from: &Self, to: &Self, phase: f64) -> Option<Self> {
        Some(Self::sum(
            [1.0 - phase, phase, 0.0, 0.0],
            [from, to, from, to],
        ))
    }
}
