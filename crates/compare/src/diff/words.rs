//! Numbers and names in messages.

use crate::units::without_trailing_zeros;

/// Four significant digits from 1 on, three below, without trailing zeros.
#[doc(hidden)]
#[must_use]
pub fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let magnitude = value.abs().log10().floor();
    if !(-4.0..6.0).contains(&magnitude) {
        return format!("{value:.1e}");
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 6"
    )]
    let digits = (if magnitude < 0.0 { 2.0 } else { 3.0 } - magnitude).max(0.0) as usize;
    without_trailing_zeros(&format!("{value:.digits$}")).to_owned()
}

/// Such as `0.5 to 2 s`.
pub(super) fn span([start, end]: &[f64; 2]) -> String {
    format!("{} to {} s", significant(*start), significant(*end))
}

/// Lengths in the unit of the model before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lengths {
    pub(super) diagonal: f64,
    pub(super) metres_per_unit: Option<f64>,
}

impl Lengths {
    /// Such as `2.5 mm (0.14 % of the diagonal)`.
    pub(super) fn show(&self, length: f64) -> String {
        let part = format!(
            "{} % of the diagonal",
            significant(100.0 * length / self.diagonal)
        );
        match self.metres_per_unit {
            Some(unit) => format!("{} mm ({part})", significant(1000.0 * length * unit)),
            None => part,
        }
    }
}

/// `, and 3 more joints`, or nothing.
pub(super) fn and_more(more: usize, what: &str) -> String {
    match more {
        0 => String::new(),
        more => format!(", and {more} more {}", crate::units::counted(what, more)),
    }
}

/// ` (700 after)`, the index of a vertex on the other side, or nothing if it is the same.
pub(crate) fn index_after(before: usize, after: usize) -> String {
    if before == after {
        String::new()
    } else {
        format!(" ({after} after)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_or_four_digits() {
        for (value, text) in [
            (0.0, "0"),
            (2.345_67, "2.346"),
            (100.0, "100"),
            (0.033_333, "0.0333"),
            (123_456.0, "123456"),
            (1e-7, "1.0e-7"),
            (2.5, "2.5"),
        ] {
            assert_eq!(significant(value), text);
        }
    }
}
