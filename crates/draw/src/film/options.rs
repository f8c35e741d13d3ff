//! Format, size and speed of an animation.

use std::path::Path;

use super::FilmError;

/// A file format for animations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Animated PNG: lossless, with alpha.
    Apng,
    /// GIF: 256 colours for the whole film, and times in hundredths of a second.
    Gif,
}

impl Format {
    /// The format that the extension of `path` names: `apng` or `gif` in any case.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "apng" => Some(Self::Apng),
            "gif" => Some(Self::Gif),
            _ => None,
        }
    }
}

/// The most pixels of all images of an animation, which is encoded in memory: 10,000 images of 512x512.
const MOST_PIXELS: u64 = 10_000 * 512 * 512;

/// How an animation plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnimationOptions {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// How many images there will be.
    pub count: u32,
    /// Images per second.
    pub fps: f64,
}

impl AnimationOptions {
    /// Whether `format` can hold the animation. To be asked before anything is drawn.
    ///
    /// # Errors
    ///
    /// [`FilmError::TooLarge`] if a side is too long, [`FilmError::AnimationTooLarge`] if there are too many pixels.
    pub fn check(&self, format: Format) -> Result<(), FilmError> {
        let Self {
            width,
            height,
            count,
            ..
        } = *self;
        let (format, max) = match format {
            Format::Apng => ("APNG", i32::MAX.unsigned_abs()),
            Format::Gif => ("GIF", u16::MAX.into()),
        };
        if width.max(height) > max {
            return Err(FilmError::TooLarge {
                format,
                width,
                height,
                max,
            });
        }
        let pixels = u64::from(width) * u64::from(height);
        if pixels.saturating_mul(count.into()) > MOST_PIXELS {
            return Err(FilmError::AnimationTooLarge {
                images: count,
                width,
                height,
            });
        }
        Ok(())
    }

    /// How long image `index` is shown, in units of 1 / `per_second` seconds.
    ///
    /// The times of all images are rounded, not their durations, so that rounding does not accumulate.
    pub(super) fn duration(&self, index: u32, per_second: f64) -> u32 {
        let end = |index: u32| (f64::from(index) * per_second / self.fps).round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive, and it saturates"
        )]
        let duration = (end(index + 1) - end(index)) as u32;
        duration
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: Format, side: u32, count: u32) -> Option<String> {
        let options = AnimationOptions {
            width: side,
            height: side,
            count,
            fps: 24.0,
        };
        options.check(format).err().map(|error| error.to_string())
    }

    #[test]
    fn an_animation_is_limited_in_sides_and_pixels() {
        assert_eq!(check(Format::Gif, 512, 10_000), None);
        assert_eq!(check(Format::Gif, 16_384, 1), None);
        let side = check(Format::Gif, 65_536, 1).expect("it is one pixel too wide");
        assert!(
            side.starts_with("GIF stores images of at most 65535"),
            "{side}"
        );
        let pixels = check(Format::Gif, 4096, 200).expect("they are 3.4 billion pixels");
        assert!(
            pixels.starts_with("200 images of 4096x4096 pixels are too many"),
            "{pixels}"
        );
    }
}
