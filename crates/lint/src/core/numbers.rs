//! Medians, counts as floats, and numbers formatted for people.

pub(crate) use crate::units::{length_in, metres, significant, unit_for, unlike};

/// The largest ratio that is written out.
const BEYOND: f64 = 100.0;

/// The count as a number for comparison with limits.
#[expect(clippy::cast_precision_loss, reason = "nothing is counted to 2^52")]
pub(crate) fn as_f64(count: usize) -> f64 {
    count as f64
}

/// The upper median of `values`; `None` if there are none.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// `value` as [`significant`], or in words if it is too large to mean anything.
pub(crate) fn sensible(value: f64, digits: usize) -> String {
    capped(value, BEYOND).unwrap_or_else(|| significant(value, digits))
}

/// In words, such as `more than 100`, if `value` is too large to mean anything.
pub(crate) fn capped(value: f64, most: f64) -> Option<String> {
    if value > most {
        Some(format!("more than {most}"))
    } else if value < -most {
        Some(format!("less than -{most}"))
    } else {
        None
    }
}

/// `value` with `decimals` decimals, or as many more as show on which side of `limit` it is. A value too large to mean
/// anything is put in words, such as `more than 400` for a limit of 4.
pub(crate) fn beside(value: f64, limit: f64, decimals: usize) -> String {
    let most = BEYOND * limit.abs().max(1.0);
    capped(value, most).unwrap_or_else(|| on_its_side(value, limit, decimals))
}

fn on_its_side(value: f64, limit: f64, decimals: usize) -> String {
    /// Enough to distinguish fractions of 1.
    const MOST: usize = 17;
    let side = value.partial_cmp(&limit);
    let is_there = |text: &String| {
        text.parse::<f64>()
            .is_ok_and(|reported| reported.partial_cmp(&limit) == side)
    };
    let mut texts = (decimals..=MOST).map(|decimals| format!("{value:.decimals$}"));
    let found = texts.find(is_there);
    found.unwrap_or_else(|| format!("{value:.decimals$}"))
}

/// A fraction and its limit in percent, the fraction with at least `decimals` decimals, as [`beside`].
pub(crate) fn percents(part: f64, limit: f64, decimals: usize) -> [String; 2] {
    /// Fewer digits than rounding adds to limits that are written as fractions.
    const DIGITS: usize = 12;
    let [part, limit] = [part, limit].map(|part| 100.0 * part);
    let part = capped(part, 100.0 * BEYOND).unwrap_or_else(|| on_its_side(part, limit, decimals));
    [part, significant(limit, DIGITS)]
}

/// A ratio, such as `2.5 times`.
pub(crate) fn times(ratio: f64) -> String {
    format!("{} times", sensible(ratio, 3))
}

/// As [`diagonals`], with the limit of the distance in percent. Percentages have at least `digits` decimals, as
/// [`beside`].
pub(crate) fn diagonals_beside(distance: f64, limit: f64, digits: usize) -> [String; 2] {
    let [percent, limit] = percents(distance, limit, digits);
    let reported = diagonals(distance, digits);
    let in_percent = reported.contains('%');
    let reported = if in_percent {
        format!("{percent} % of the diagonal")
    } else {
        reported
    };
    [reported, limit]
}

/// A distance relative to a model's diagonal: `4.20 % of the diagonal`, or `514 times the diagonal` where a percentage
/// is unreadable.
///
/// * `digits` – decimals of percentages.
pub(crate) fn diagonals(distance: f64, digits: usize) -> String {
    if distance >= 10.0 {
        format!("{} the diagonal", times(distance))
    } else {
        format!("{:.digits$} % of the diagonal", 100.0 * distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_distances_are_reported_in_diagonals() {
        for (distance, text) in [
            (0.042, "4.20 % of the diagonal"),
            (9.5, "950.00 % of the diagonal"),
            (51.3779, "51.4 times the diagonal"),
            (1e40, "more than 100 times the diagonal"),
            (f64::INFINITY, "more than 100 times the diagonal"),
        ] {
            assert_eq!(diagonals(distance, 2), text);
        }
    }

    #[test]
    fn implausible_values_are_reported_in_words() {
        assert_eq!(times(8120.0), "more than 100 times");
        assert_eq!(times(39.3701), "39.4 times");
        assert_eq!(beside(6.13, 4.0, 1), "6.1");
        assert_eq!(beside(401.0, 4.0, 1), "more than 400");
        assert_eq!(beside(-1e30, 0.1, 1), "less than -100");
        assert_eq!(percents(81.2, 0.001, 0), ["8120", "0.1"]);
        assert_eq!(percents(1e9, 0.001, 0), ["more than 10000", "0.1"]);
        assert_eq!(sensible(100.0, 3), "100");
    }

    #[test]
    fn a_number_is_reported_on_its_side_of_the_limit() {
        for (value, limit, text) in [
            (1.234, 1.0, "1.23"),
            (1.000_4, 1.0, "1.0004"),
            (0.999_6, 1.0, "0.9996"),
            (1.0, 1.0, "1.00"),
            (f64::NAN, 1.0, "NaN"),
        ] {
            assert_eq!(beside(value, limit, 2), text);
        }
        assert_eq!(percents(0.07001, 0.07, 1), ["7.001", "7"]);
        let reported = diagonals_beside(0.001_000_4, 0.001, 2);
        assert_eq!(reported, ["0.10004 % of the diagonal", "0.1"]);
        assert_eq!(diagonals_beside(20.0, 0.001, 2)[0], "20 times the diagonal");
    }
}
