//! Whole numbers among the arguments, refused with those that would do.

use std::str::FromStr;

/// No whole number, or one that is too small or beyond all use.
#[derive(Debug, thiserror::Error)]
#[error("expected a whole number, {least} or more")]
pub(super) struct NotWhole {
    least: u8,
}

/// Reads 0, 1, 2, ….
pub(super) fn from_zero(text: &str) -> Result<u64, NotWhole> {
    text.parse().map_err(|_| NotWhole { least: 0 })
}

/// Reads 1, 2, 3, …; `T` is one of the types that know no 0.
pub(super) fn from_one<T: FromStr>(text: &str) -> Result<T, NotWhole> {
    text.parse().map_err(|_| NotWhole { least: 1 })
}
