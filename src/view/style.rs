//! The style of an image.

use std::fmt;
use std::str::FromStr;

use super::words::look_up;
use super::{Background, Show, ViewError};

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
    /// A neutral dark grey on which a mid-grey character is easy to see.
    pub const DEFAULT_BACKGROUND: [u8; 3] = [46, 49, 54];
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
