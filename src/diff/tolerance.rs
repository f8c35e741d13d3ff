//! Tolerances of a comparison.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::units::LengthUnit;

/// The largest difference that is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "measure", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Tolerance {
    /// A fraction of the diagonal of the model before.
    Diagonal(f64),
    /// A length in metres.
    Metres(f64),
    /// Pixels on the screen.
    Pixels(f64),
}

impl Default for Tolerance {
    /// 0.1 % of the diagonal: 2 mm for a person, or half a pixel if the person fills a screen of 500 lines.
    fn default() -> Self {
        Self::Diagonal(1e-3)
    }
}

/// An invalid tolerance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a tolerance above 0 with its unit, such as 0.1%, 2mm or 0.5px")]
pub struct ToleranceError;

impl FromStr for Tolerance {
    type Err = ToleranceError;

    fn from_str(text: &str) -> Result<Self, ToleranceError> {
        let text = text.trim();
        let split = text.find(|c: char| c.is_ascii_alphabetic() && c != 'e' || c == '%');
        let (number, unit) = text.split_at(split.unwrap_or(text.len()));
        let number: f64 = number.trim().parse().map_err(|_| ToleranceError)?;
        if !(number > 0.0 && number.is_finite()) {
            return Err(ToleranceError);
        }
        if unit == "%" {
            return Ok(Self::Diagonal(number / 100.0));
        }
        if unit == "px" {
            return Ok(Self::Pixels(number));
        }
        let mut units = LengthUnit::ALL.into_iter();
        let found = units.find(|known| known.name() == unit);
        found.map_or(Err(ToleranceError), |unit| {
            Ok(Self::Metres(number * unit.metres()))
        })
    }
}

impl<'de> Deserialize<'de> for Tolerance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Diagonal(part) => write!(f, "{} % of the diagonal", short(part * 100.0)),
            Self::Metres(metres) => write!(f, "{} mm", short(metres * 1000.0)),
            Self::Pixels(pixels) => write!(f, "{} px", short(*pixels)),
        }
    }
}

/// Rounds away the noise of binary fractions.
fn short(number: f64) -> f64 {
    let text = format!("{number:.9e}");
    text.parse().unwrap_or(number)
}

/// A tolerance in the unit of the model before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limit {
    /// In units of length. For a limit in pixels, the length that covers so many in the centre of the image.
    pub(super) length: f64,
    /// The limit in pixels, if it is one.
    pub(super) pixels: Option<f64>,
}

/// What relative tolerances refer to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measure {
    /// The diagonal of the model before, in its units.
    pub(super) diagonal: f64,
    pub(super) metres_per_unit: Option<f64>,
    /// Units of length that cover a pixel in the centre of the image.
    pub(super) units_per_pixel: f64,
}

impl Measure {
    /// The limit; `None` for a length if the model's unit is unknown.
    pub(super) fn limit(&self, tolerance: Tolerance) -> Option<Limit> {
        let (length, pixels) = match tolerance {
            Tolerance::Diagonal(part) => (part * self.diagonal, None),
            Tolerance::Metres(metres) => (metres / self.metres_per_unit?, None),
            Tolerance::Pixels(pixels) => (pixels * self.units_per_pixel, Some(pixels)),
        };
        Some(Limit { length, pixels })
    }
}

impl Limit {
    /// A difference as a multiple of the limit; up to 1 is within it.
    pub(super) fn used(&self, length: f64, pixels: f64) -> f64 {
        match self.pixels {
            Some(limit) => pixels / limit,
            None => length / self.length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_a_number_and_a_unit() {
        assert_eq!("0.1%".parse(), Ok(Tolerance::Diagonal(0.1 / 100.0)));
        assert_eq!("2 mm".parse(), Ok(Tolerance::Metres(0.002)));
        assert_eq!("1e-3m".parse(), Ok(Tolerance::Metres(0.001)));
        assert_eq!("0.5px".parse(), Ok(Tolerance::Pixels(0.5)));
        for wrong in ["", "2", "0%", "-1mm", "nan%", "2 parsecs", "%"] {
            assert_eq!(wrong.parse::<Tolerance>(), Err(ToleranceError), "{wrong}");
        }
        assert_eq!(Tolerance::default().to_string(), "0.1 % of the diagonal");
    }

    #[test]
    fn a_length_needs_a_known_unit() {
        let measure = Measure {
            diagonal: 200.0,
            metres_per_unit: Some(0.01),
            units_per_pixel: 0.5,
        };
        let length = |tolerance| measure.limit(tolerance).map(|limit| limit.length);
        assert_eq!(length(Tolerance::Metres(0.02)), Some(2.0));
        assert_eq!(length(Tolerance::Diagonal(0.25)), Some(50.0));
        assert_eq!(length(Tolerance::Pixels(4.0)), Some(2.0));
        let unknown = Measure {
            metres_per_unit: None,
            ..measure
        };
        assert_eq!(unknown.limit(Tolerance::Metres(0.02)), None);
    }
}
