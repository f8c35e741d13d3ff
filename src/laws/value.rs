//! Operations that rotations and vectors share.

use std::fmt::Debug;

use glam::{DQuat, Quat, Vec3};

use super::Tolerance;
use crate::rig::{Key, Span};

/// A value of a track: a rotation or a vector.
pub trait Value: Copy + Debug + PartialEq {
    /// The distance of two values: an angle in radians, or a length.
    fn distance(self, other: Self) -> f64;

    /// Whether a track may have it as a key.
    fn is_usable(self) -> bool;

    /// The allowed error of a sample between `keys`.
    fn rounding(keys: &[Key<Self>], tolerance: &Tolerance) -> f64
    where
        Self: Sized;

    /// The distance covered in a span of `seconds` at the greatest speed in it, per unit of phase.
    fn speed(from: &Key<Self>, to: &Key<Self>) -> f64
    where
        Self: Sized;

    /// Zero as a derivative.
    fn still() -> Self;
}

impl Value for Quat {
    /// 0 for `q` and `-q`. Computed as `2 atan2(|a - b|, |a + b|)`, which is accurate for small angles.
    fn distance(self, other: Self) -> f64 {
        let (a, b) = (unit(self), unit(other));
        let length = |q: DQuat| q.length_squared().sqrt();
        let half = |b: DQuat| 2.0 * libm::atan2(length(a - b), length(a + b));
        2.0 * half(b).min(half(-b))
    }

    fn is_usable(self) -> bool {
        let square = self.as_dquat().length_squared();
        square.is_finite() && square > 1e-6
    }

    fn rounding(_keys: &[Key<Self>], tolerance: &Tolerance) -> f64 {
        tolerance.rotation
    }

    fn speed(from: &Key<Self>, to: &Key<Self>) -> f64 {
        let angle = from.value.distance(to.value);
        match &from.span {
            Span::Cubic { leave, arrive } => {
                let size = |q: Quat| q.as_dquat().length_squared().sqrt();
                let span = to.time.0 - from.time.0;
                let keys = 2.0 * size(to.value - from.value);
                let shortest = size(from.value).min(size(to.value));
                4.0 * (keys + span * (size(*leave) + size(*arrive))) / shortest
            }
            _ => angle,
        }
    }

    fn still() -> Self {
        Self::from_xyzw(0.0, 0.0, 0.0, 0.0)
    }
}

fn unit(q: Quat) -> DQuat {
    let q = q.as_dquat();
    q * (1.0 / q.length_squared().sqrt())
}

impl Value for Vec3 {
    fn distance(self, other: Self) -> f64 {
        self.as_dvec3().distance(other.as_dvec3())
    }

    fn is_usable(self) -> bool {
        self.is_finite() && self.abs().max_element() < 1e30
    }

    /// Relative to the largest magnitude of any key and tangent, the latter times the length of the span.
    fn rounding(keys: &[Key<Self>], tolerance: &Tolerance) -> f64 {
        let size = |v: Vec3| v.as_dvec3().length();
        let mut largest: f64 = 0.0;
        for (key, next) in keys.iter().zip(keys.iter().skip(1).chain(keys.last())) {
            largest = largest.max(size(key.value));
            if let Span::Cubic { leave, arrive } = &key.span {
                let span = next.time.0 - key.time.0;
                largest = largest.max(span * size(*leave).max(size(*arrive)));
            }
        }
        tolerance.vector * largest + f64::from(f32::MIN_POSITIVE)
    }

    fn speed(from: &Key<Self>, to: &Key<Self>) -> f64 {
        let distance = Value::distance(from.value, to.value);
        match &from.span {
            Span::Cubic { leave, arrive } => {
                let span = to.time.0 - from.time.0;
                let tangents = leave.as_dvec3().length() + arrive.as_dvec3().length();
                2.0 * distance + span * tangents
            }
            _ => distance,
        }
    }

    fn still() -> Self {
        Self::ZERO
    }
}
