//! Compares two results that should be equal: how much they differ, whether rounding explains it, and which one is
//! wrong.
//!
//! It does not know how the results were computed; the caller states the exact result and its bound.

pub mod pixels;
mod vertices;

use serde::Serialize;

pub use pixels::{PixelError, PixelReport, pixels};
pub use vertices::{AttributeReport, VertexReport, WorstVertex, WrongCounts, vertices};

pub use crate::skinning::{Known, MeshTruth};

/// Which of two results is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Culprit {
    /// The first.
    First,
    /// The second.
    Second,
    /// Both.
    Both,
}

impl Culprit {
    /// `the first is`, `the second is` or `both are`.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::First => "the first is",
            Self::Second => "the second is",
            Self::Both => "both are",
        }
    }

    /// `None` if neither is wrong.
    #[must_use]
    pub fn of(first_is_wrong: bool, second_is_wrong: bool) -> Option<Self> {
        match (first_is_wrong, second_is_wrong) {
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::First),
            (false, true) => Some(Self::Second),
            (false, false) => None,
        }
    }
}

/// The largest, the mean and the 99th percentile of a list of numbers; all 0 for an empty one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Spread {
    /// The largest.
    pub max: f64,
    /// Summed in the order of the list.
    pub mean: f64,
    /// The 99th percentile (nearest rank).
    pub p99: f64,
}

impl Spread {
    /// The statistics of `values`, none of them negative; infinity and NaN count as the largest.
    #[must_use]
    pub fn of(mut values: Vec<f64>) -> Self {
        for value in values.iter_mut().filter(|value| value.is_nan()) {
            *value = f64::INFINITY;
        }
        let count = values.len();
        if count == 0 {
            return Self::default();
        }
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let mean = values.iter().sum::<f64>() / count as f64;
        let rank = count - count / 100;
        let (_, p99, above) = values.select_nth_unstable_by(rank - 1, f64::total_cmp);
        let p99 = *p99;
        let max = above.iter().copied().fold(p99, f64::max);
        Self { max, mean, p99 }
    }

    /// All three, multiplied by `factor`.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            max: self.max * factor,
            mean: self.mean * factor,
            p99: self.p99 * factor,
        }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "small whole numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn one_in_a_hundred_is_above_the_99th_percentile() {
        let spread = Spread::of((1..=200).rev().map(f64::from).collect());
        assert_eq!((spread.max, spread.mean, spread.p99), (200.0, 100.5, 198.0));
    }

    #[test]
    fn of_fewer_than_a_hundred_the_largest_is_the_percentile() {
        let spread = Spread::of(vec![3.0, 1.0]);
        assert_eq!((spread.max, spread.mean, spread.p99), (3.0, 2.0, 3.0));
    }

    #[test]
    fn nothing_is_all_zeros_and_no_number_is_infinite() {
        assert_eq!(Spread::of(vec![]), Spread::default());
        assert_eq!(Spread::of(vec![f64::NAN, 1.0]).max, f64::INFINITY);
    }
}
