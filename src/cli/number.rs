//! Numbers among the arguments, refused with those that would do.

use std::str::FromStr;

/// A text that is not the number that was expected.
#[derive(Debug, thiserror::Error)]
pub(super) enum NumberError {
    /// No whole number, or one that is too small or beyond all use.
    #[error("expected a whole number, 1 or more")]
    Count,
    /// No whole number.
    #[error("expected a whole number such as 12")]
    Whole,
    /// No number at all, or one with a unit or a decimal comma.
    #[error("expected a number such as 0.5")]
    Decimal,
}

/// Reads a whole number of either sign.
pub(super) fn whole(text: &str) -> Result<i64, NumberError> {
    text.parse().map_err(|_| NumberError::Whole)
}

/// Reads 1, 2, 3, …; `T` is one of the types that know no 0.
pub(super) fn from_one<T: FromStr>(text: &str) -> Result<T, NumberError> {
    text.parse().map_err(|_| NumberError::Count)
}

/// Reads a number of any size and sign; whether it is finite is for others to say.
pub(super) fn decimal(text: &str) -> Result<f64, NumberError> {
    text.parse().map_err(|_| NumberError::Decimal)
}
