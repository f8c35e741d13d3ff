//! Values of arguments: numbers, with errors that state what was expected, and choices by name.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::pose::SampleTime;
use crate::units::Seconds;

/// An argument that is not the expected number.
#[derive(Debug, thiserror::Error)]
pub(super) enum NumberError {
    /// Not a whole number, or one that is too small or too large.
    #[error("expected a whole number, 1 or more")]
    Count,
    /// Not a whole number, or one below [`LEAST_MEBIBYTES`].
    #[error("expected a whole number, {LEAST_MEBIBYTES} or more")]
    Mebibytes,
    /// No whole number.
    #[error("expected a whole number such as 12")]
    Whole,
    /// Not a number, or one with a unit or a decimal comma.
    #[error("expected a number such as 0.5")]
    Decimal,
    /// Neither seconds nor a percentage.
    #[error("expected seconds such as 0.5, or a share of the clip such as 50%")]
    Time,
}

/// Reads seconds, or a share of the clip such as `50%`.
pub(super) fn sample_time(text: &str) -> Result<SampleTime, NumberError> {
    let number = |text: &str| text.parse().map_err(|_| NumberError::Time);
    match text.strip_suffix('%') {
        Some(percent) => Ok(SampleTime::Phase(number(percent)? / 100.0)),
        None => Ok(SampleTime::Time(Seconds(number(text)?))),
    }
}

/// Reads a whole number of either sign.
pub(super) fn whole(text: &str) -> Result<i64, NumberError> {
    text.parse().map_err(|_| NumberError::Whole)
}

/// Reads 1, 2, 3, …; `T` is a `NonZero` type.
pub(super) fn from_one<T: FromStr>(text: &str) -> Result<T, NumberError> {
    text.parse().map_err(|_| NumberError::Count)
}

/// The least limit on memory. With less, not even a model of a few vertices is read and drawn.
const LEAST_MEBIBYTES: u64 = 16;

/// Reads a limit on memory in MiB.
pub(super) fn mebibytes(text: &str) -> Result<u64, NumberError> {
    let parsed = text.parse().ok();
    let number = parsed.filter(|number| *number >= LEAST_MEBIBYTES);
    number.ok_or(NumberError::Mebibytes)
}

/// Reads a number of any size and sign; it need not be finite.
pub(super) fn decimal(text: &str) -> Result<f64, NumberError> {
    text.parse().map_err(|_| NumberError::Decimal)
}

/// Reads a finite number of any size and sign.
pub(super) fn finite(text: &str) -> Result<f64, NumberError> {
    let number = decimal(text)?;
    if number.is_finite() {
        Ok(number)
    } else {
        Err(NumberError::Decimal)
    }
}

/// One of `choices` by its name.
pub(super) fn choices<T: Copy + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let choices: Vec<(&'static str, T)> = choices.into_iter().collect();
    let names = PossibleValuesParser::new(choices.iter().map(|(name, _)| *name));
    names.map(move |name| {
        let mut choices = choices.iter();
        choices
            .find(|(own, _)| *own == name)
            .expect("it is in the list")
            .1
    })
}
