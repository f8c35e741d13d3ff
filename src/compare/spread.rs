//! Statistics of a list of sizes.

use serde::Serialize;

/// The largest, the mean and the 99th percentile of a list of numbers; all 0 for an empty one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
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
