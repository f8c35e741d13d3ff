//! The style of an image: samples, edges and background.

use std::fmt;
use std::str::FromStr;

use super::error::look_up;
use super::{Show, ViewError};

/// Coverage samples per pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Samples {
    /// The pixel's centre.
    One,
    /// The standard positions of Direct3D 11 and most OpenGL drivers.
    Four,
}

impl Samples {
    /// How many.
    #[must_use]
    pub fn count(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Four => 4,
        }
    }
}

impl FromStr for Samples {
    type Err = ViewError;

    /// Reads `1` or `4`.
    fn from_str(text: &str) -> Result<Self, ViewError> {
        let counts = &[("1", Self::One), ("4", Self::Four)];
        look_up(counts, text, "number of samples", "1 or 4")
    }
}

impl fmt::Display for Samples {
    /// As [`Samples::from_str`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.count().fmt(f)
    }
}

/// All choices of appearance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Style {
    /// What the surface shows.
    pub show: Show,
    /// The background.
    pub background: Background,
    /// Anti-aliasing.
    pub samples: Samples,
}

impl Style {
    /// A neutral grey on which dark and bright clothes are seen.
    pub const DEFAULT_BACKGROUND: [u8; 3] = [75, 79, 86];
}

impl Default for Style {
    fn default() -> Self {
        Self {
            show: Show::LIT,
            background: Background::Color(Self::DEFAULT_BACKGROUND),
            samples: Samples::Four,
        }
    }
}

/// The background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// sRGB.
    Color([u8; 3]),
    /// Alpha 0.
    Transparent,
}

const EXPECTED: &str = "transparent, #rgb, #rrggbb or one of black, silver, gray, white, maroon, red, purple, fuchsia, \
                        green, lime, olive, yellow, navy, blue, teal, aqua";

/// The basic colours of CSS.
///
/// # Reference
///
/// CSS Color Module Level 3, §4.1.
const NAMES: &[(&str, Background)] = &[
    ("transparent", Background::Transparent),
    ("black", Background::Color([0, 0, 0])),
    ("silver", Background::Color([192, 192, 192])),
    ("gray", Background::Color([128, 128, 128])),
    ("grey", Background::Color([128, 128, 128])),
    ("white", Background::Color([255, 255, 255])),
    ("maroon", Background::Color([128, 0, 0])),
    ("red", Background::Color([255, 0, 0])),
    ("purple", Background::Color([128, 0, 128])),
    ("fuchsia", Background::Color([255, 0, 255])),
    ("green", Background::Color([0, 128, 0])),
    ("lime", Background::Color([0, 255, 0])),
    ("olive", Background::Color([128, 128, 0])),
    ("yellow", Background::Color([255, 255, 0])),
    ("navy", Background::Color([0, 0, 128])),
    ("blue", Background::Color([0, 0, 255])),
    ("teal", Background::Color([0, 128, 128])),
    ("aqua", Background::Color([0, 255, 255])),
];

impl FromStr for Background {
    type Err = ViewError;

    /// Reads `transparent`, `#rgb`, `#rrggbb` or the name of a basic colour of CSS.
    fn from_str(text: &str) -> Result<Self, ViewError> {
        let Some(digits) = text.strip_prefix('#') else {
            return look_up(NAMES, text, "colour", EXPECTED);
        };
        let color = hex_color(digits).ok_or_else(|| ViewError::HexColor {
            text: text.to_owned(),
        })?;
        Ok(Self::Color(color))
    }
}

/// Three digits, each doubled, or three pairs of digits.
fn hex_color(digits: &str) -> Option<[u8; 3]> {
    let values: Option<Vec<u8>> = digits
        .chars()
        .map(|digit| u8::try_from(digit.to_digit(16)?).ok())
        .collect();
    match values?[..] {
        [red, green, blue] => Some([red, green, blue].map(|digit| 17 * digit)),
        [r1, r0, g1, g0, b1, b0] => Some([16 * r1 + r0, 16 * g1 + g0, 16 * b1 + b0]),
        _ => None,
    }
}

impl fmt::Display for Background {
    /// As [`Background::from_str`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Color([red, green, blue]) => write!(f, "#{red:02x}{green:02x}{blue:02x}"),
            Self::Transparent => f.write_str("transparent"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_digits_mean_the_same() {
        let short = "#fa0".parse::<Background>();
        assert_eq!(short, Ok(Background::Color([255, 170, 0])));
        assert_eq!(short, "#FFaa00".parse());
    }

    #[test]
    fn a_written_colour_is_read_back() {
        for (name, background) in NAMES {
            assert_eq!(name.parse(), Ok(*background));
            assert_eq!(background.to_string().parse(), Ok(*background));
        }
    }

    #[test]
    fn every_name_is_in_the_message() {
        for (name, _) in NAMES.iter().filter(|(name, _)| *name != "grey") {
            assert!(EXPECTED.contains(name), "{name}");
        }
    }

    #[test]
    fn digits_that_make_no_color_are_refused() {
        for text in ["#", "#1", "#12345", "#1234567", "#ggg", "#é1"] {
            let error = text.parse::<Background>().unwrap_err();
            assert!(
                matches!(error, ViewError::HexColor { .. }),
                "{text}: {error}"
            );
        }
    }
}
