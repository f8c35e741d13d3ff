//! How far a quantity can stray from the straight line between its values at two times.

use std::ops::{Add, Mul};

/// Bounds on a vector, or on a linear map by its operator norm, that varies between two times.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Drift {
    /// Its largest norm.
    pub(super) size: f64,
    /// The distance of its values at the two times.
    pub(super) change: f64,
    /// Its largest distance from the straight line between these values.
    pub(super) stray: f64,
}

impl Drift {
    pub(super) const ZERO: Self = Self::constant(0.0);

    pub(super) const fn constant(size: f64) -> Self {
        Self {
            size,
            change: 0.0,
            stray: 0.0,
        }
    }

    /// What holds for either of two.
    pub(super) fn either(self, other: Self) -> Self {
        Self {
            size: largest([self.size, other.size]),
            change: largest([self.change, other.change]),
            stray: largest([self.stray, other.stray]),
        }
    }

    /// These bounds, where the size is smaller: no value, and so no difference of two, is larger than it allows.
    pub(super) fn of_size(self, size: f64) -> Self {
        Self {
            size,
            change: self.change.min(2.0 * size),
            stray: self.stray.min(2.0 * size),
        }
    }
}

/// The largest of some lengths, NaN if one is.
pub(super) fn largest(lengths: impl IntoIterator<Item = f64>) -> f64 {
    let larger = |most: f64, next: f64| {
        if next > most || next.is_nan() {
            next
        } else {
            most
        }
    };
    lengths.into_iter().fold(0.0, larger)
}

/// Of a sum, or of a difference.
impl Add for Drift {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            size: self.size + other.size,
            change: self.change + other.change,
            stray: self.stray + other.stray,
        }
    }
}

/// Of a map, and of what it is applied to.
///
/// Let `f = l + r`, where `l` is the straight line and `|r|` at most the stray; likewise `g = m + s`. Then
/// `f g = l m + l s + r g`. The product of two lines strays by `u (1 - u) |f(1) - f(0)| |g(1) - g(0)|` at the phase `u`, at most a
/// quarter of both changes.
impl Mul for Drift {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self {
            size: self.size * other.size,
            change: self.change * other.size + self.size * other.change,
            stray: 0.25 * self.change * other.change
                + self.size * other.stray
                + self.stray * other.size,
        }
    }
}
