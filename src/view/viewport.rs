//! The grid of pixels that a camera fills.

use std::fmt;
use std::str::FromStr;

use super::ViewError;

/// Size of an image in pixels; never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Viewport {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

impl Viewport {
    /// The longest side supported.
    pub const MAX_SIDE: u32 = 16_384;

    /// The most pixels that are drawn: half a gigabyte of colours and depths.
    pub const MAX_PIXELS: u64 = 1 << 26;

    /// A viewport of `width` by `height` pixels.
    ///
    /// # Errors
    ///
    /// [`ViewError::SizeOutOfRange`] if a side is 0 or longer than [`Viewport::MAX_SIDE`], and
    /// [`ViewError::TooManyPixels`] if there are more than [`Viewport::MAX_PIXELS`].
    pub fn new(width: u64, height: u64) -> Result<Self, ViewError> {
        let side = |side: u64| {
            u32::try_from(side)
                .ok()
                .filter(|side| (1..=Self::MAX_SIDE).contains(side))
        };
        let (Some(columns), Some(rows)) = (side(width), side(height)) else {
            let max = Self::MAX_SIDE;
            return Err(ViewError::SizeOutOfRange { width, height, max });
        };
        let pixels = width * height;
        if pixels > Self::MAX_PIXELS {
            return Err(ViewError::TooManyPixels {
                width,
                height,
                pixels,
                max: Self::MAX_PIXELS,
            });
        }
        Ok(Self {
            width: columns,
            height: rows,
        })
    }

    /// Width over height.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^24")]
    pub fn aspect(self) -> f32 {
        self.width as f32 / self.height as f32
    }

    /// Width over height, for the camera, which is computed in f64.
    pub(super) fn aspect_f64(self) -> f64 {
        f64::from(self.width) / f64::from(self.height)
    }
}

impl FromStr for Viewport {
    type Err = ViewError;

    /// Reads `WIDTHxHEIGHT`, such as `1024x768`.
    fn from_str(text: &str) -> Result<Self, ViewError> {
        let (width, height) = text
            .split_once(['x', 'X'])
            .and_then(|(width, height)| Some((whole_number(width)?, whole_number(height)?)))
            .ok_or_else(|| ViewError::Size {
                text: text.to_owned(),
            })?;
        Self::new(width, height)
    }
}

/// Digits only; a number beyond 2^64 saturates.
fn whole_number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

impl fmt::Display for Viewport {
    /// As [`Viewport::from_str`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_read_and_written_alike() {
        for text in ["1x1", "1024x768", "16384x4096"] {
            assert_eq!(text.parse::<Viewport>().unwrap().to_string(), text);
        }
        let upper = "7X5".parse::<Viewport>();
        assert_eq!(
            upper,
            Ok(Viewport {
                width: 7,
                height: 5
            })
        );
    }

    #[test]
    fn a_side_of_zero_or_beyond_the_limit_is_refused() {
        let huge = "99999999999999999999999x1";
        for text in ["0x10", "10x0", "16385x1", "1x16385", huge] {
            let error = text.parse::<Viewport>().unwrap_err();
            assert!(
                matches!(error, ViewError::SizeOutOfRange { .. }),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn a_malformed_size_is_refused() {
        for text in [
            "", "x", "10", "10x", "x10", "-1x5", "+1x5", "1x2x3", "1.5x2", "1 x 2", "axb",
        ] {
            let error = text.parse::<Viewport>().unwrap_err();
            assert!(matches!(error, ViewError::Size { .. }), "{text}: {error}");
        }
    }
}
