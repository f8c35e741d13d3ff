//! Numbers among the arguments, refused with those that would do.

use std::str::FromStr;

/// A text that is not the number that was expected.
#[derive(Debug, thiserror::Error)]
pub(super) enum NumberError {
    /// No whole number, or one that is too small or beyond all use.
    #[error("expected a whole number, {least} or more")]
    NotWhole { least: u8 },
    /// No number at all, or one with a unit or a decimal comma.
    #[error("expected a number such as 0.5")]
    NotDecimal,
}

/// Reads 0, 1, 2, ….
pub(super) fn from_zero(text: &str) -> Result<u64, NumberError> {
    text.parse().map_err(|_| NumberError::NotWhole { least: 0 })
}

/// Reads 1, 2, 3, …; `T` is one of the types that know no 0.
pub(super) fn from_one<T: FromStr>(text: &str) -> Result<T, NumberError> {
    text.parse().map_err(|_| NumberError::NotWhole { least: 1 })
}

/// Reads a number of any size and sign; whether it is finite is for others to say.
pub(super) fn decimal(text: &str) -> Result<f64, NumberError> {
    text.parse().map_err(|_| NumberError::NotDecimal)
}
