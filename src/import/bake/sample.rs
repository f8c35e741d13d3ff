//! Values that can be baked: a sampler's arithmetic between two keys, in f64.

use std::ops::{Add, Mul, Sub};

use glam::{DMat4, DQuat, DVec3, DVec4, Mat4, Quat, Vec3};

use crate::import::rounding::f32_of;

/// A value of a curve.
pub(in crate::import) trait Sample: Clone {
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

    /// The value of [`Span::Linear`](crate::rig::Span::Linear) at `phase`; `None` if rounding of the keys could make it take
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
pub(in crate::import) fn slerp(from: DQuat, to: DQuat, phase: f64) -> DQuat {
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
