//! Errors in the description of a view; keywords, and suggestions for misspelled ones.

use crate::names::{hint, nearest};

/// A text that does not describe a view.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// An unknown word.
    #[error("unknown {what} {text:?}{}; expected {expected}", hint(*.nearest))]
    Unknown {
        /// What the word names, such as `direction`.
        what: &'static str,
        /// The word.
        text: String,
        /// The most similar known word, if any.
        nearest: Option<&'static str>,
        /// All known words.
        expected: &'static str,
    },
    /// `orbit:` without two finite numbers after it.
    #[error(
        "orbit angles {text:?} are not two angles in degrees; expected orbit:YAW,PITCH such as orbit:30,15"
    )]
    OrbitAngles {
        /// The text after the colon.
        text: String,
    },
    /// Not of the form `WIDTHxHEIGHT`.
    #[error(
        "size {text:?} is not two whole numbers of pixels; expected WIDTHxHEIGHT such as 1024x768"
    )]
    Size {
        /// The text.
        text: String,
    },
    /// A side of 0 pixels, or too many.
    #[error("an image of {width}x{height} pixels; each side must be 1 to {max}")]
    SizeOutOfRange {
        /// In pixels.
        width: u64,
        /// In pixels.
        height: u64,
        /// The longest side supported.
        max: u32,
    },
    /// Each side is valid, but their product is not.
    #[error("an image of {width}x{height} has {pixels} pixels; at most {max} are supported")]
    TooManyPixels {
        /// In pixels.
        width: u64,
        /// In pixels.
        height: u64,
        /// Their product.
        pixels: u64,
        /// The most supported.
        max: u64,
    },
    /// A `#` that is not followed by 3 or 6 hexadecimal digits.
    #[error(
        "colour {text:?} is not # and 3 or 6 hexadecimal digits; expected #rgb or #rrggbb such as #ff8000"
    )]
    HexColor {
        /// The text.
        text: String,
    },
    /// A mode without the joint that it needs, such as `weights`.
    #[error("{0} lacks a joint; expected {0}:JOINT, or several separated by commas")]
    NoJoint(&'static str),
    /// A mode without the file that it needs, such as `distance`.
    #[error("{0} lacks a model to compare with; expected {0}:FILE")]
    NoReference(&'static str),
    /// A mode that shows numbers measured by rules, where only images are drawn.
    #[error("{0} is supported only by `skincheck render` and `film`")]
    Measured(&'static str),
    /// A joint after a mode other than `weights`.
    #[error("{0} does not support a joint; expected {0}, or weights:JOINT")]
    NotOfAJoint(String),
}

/// The meaning of `text` in `table`, regardless of case.
///
/// * `what` – what the words name, for the message.
/// * `expected` – everything that is accepted, for the message.
///
/// # Errors
///
/// [`ViewError::Unknown`] with the most similar word of the table.
pub(super) fn look_up<T: Copy>(
    table: &[(&'static str, T)],
    text: &str,
    what: &'static str,
    expected: &'static str,
) -> Result<T, ViewError> {
    let found = table
        .iter()
        .find(|(word, _)| word.eq_ignore_ascii_case(text));
    found
        .map(|(_, meaning)| *meaning)
        .ok_or_else(|| ViewError::Unknown {
            what,
            text: text.to_owned(),
            nearest: nearest(text, table.iter().map(|(word, _)| *word)),
            expected,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[(&str, u8)] = &[("front", 0), ("three-quarter", 1), ("top", 2)];

    fn suggestion(text: &str) -> Option<&'static str> {
        match look_up(TABLE, text, "direction", "a word") {
            Err(ViewError::Unknown { nearest, .. }) => nearest,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn case_does_not_matter() {
        assert_eq!(look_up(TABLE, "Front", "direction", "a word"), Ok(0));
    }

    #[test]
    fn a_misspelled_word_brings_the_nearest_one() {
        assert_eq!(suggestion("fornt"), Some("front"));
        assert_eq!(suggestion("three quarter"), Some("three-quarter"));
        assert_eq!(suggestion("THREEQUARTER"), Some("three-quarter"));
    }

    #[test]
    fn an_unrelated_word_brings_no_suggestion() {
        assert_eq!(suggestion("sideways"), None);
        assert_eq!(suggestion(""), None);
        assert_eq!(suggestion(&"front".repeat(100_000)), None);
    }
}
