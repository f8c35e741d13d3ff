//! Decodes PNG, JPEG, BMP, TGA and WebP, within limits.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Cursor, Seek};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use image::error::LimitErrorKind;
use image::{ImageError, ImageFormat, ImageReader, Limits};

use crate::paths::open_regular;
use crate::rig::{Bitmap, Image, ImageData};

/// Longest side in texels: the limit of graphics hardware.
const LONGEST_SIDE: u32 = 16384;

/// Memory limit of decoding one image, in bytes.
const BYTES_PER_IMAGE: u64 = 512 << 20;

/// Memory limit of all images of a model, in bytes.
const BYTES_PER_MODEL: u64 = 1 << 30;

/// The reason why an image cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub(super) enum DecodeError {
    #[error("it cannot be read")]
    Unreadable(#[source] io::Error),
    #[error("it cannot be decoded")]
    Undecodable(#[source] ImageError),
    #[error("it has no texels")]
    Void,
    #[error(
        "it is too large: {width}x{height} texels take {} MiB, and at most {} MiB an image and {} MiB a model are read",
        bytes >> 20, BYTES_PER_IMAGE >> 20, BYTES_PER_MODEL >> 20
    )]
    TooLarge { width: u32, height: u32, bytes: u64 },
    #[error("it is too large: at most {LONGEST_SIDE} texels a side are read")]
    TooLong,
    #[error("its decoder failed")]
    Panicked,
}

impl DecodeError {
    /// Whether the image may be one that other programs read.
    pub(super) fn is_limit(&self) -> bool {
        matches!(self, Self::TooLarge { .. } | Self::TooLong)
    }
}

/// `error` with its causes in one line.
pub(super) fn reason(error: &DecodeError) -> String {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// The memory left for images.
pub(super) struct Budget {
    bytes: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            bytes: BYTES_PER_MODEL,
        }
    }
}

impl Budget {
    /// Returns how many bytes the image takes as texels.
    pub(super) fn take(&mut self, width: u32, height: u32) -> Result<u64, DecodeError> {
        let bytes = 4 * u64::from(width) * u64::from(height);
        if bytes == 0 {
            return Err(DecodeError::Void);
        }
        if bytes > self.bytes.min(BYTES_PER_IMAGE) {
            return Err(DecodeError::TooLarge {
                width,
                height,
                bytes,
            });
        }
        self.bytes -= bytes;
        Ok(bytes)
    }
}

/// Checks that `image` can be opened and fits into `budget`, by its first bytes only.
///
/// Called in the order of the images, before they are decoded in any order, so that the same ones are refused every time.
///
/// Returns how many bytes it takes as texels.
pub(super) fn measure(image: &Image, budget: &mut Budget) -> Result<u64, DecodeError> {
    let Some(reader) = open(image, 0)? else {
        return Ok(0);
    };
    let size = guarded(|| reader.into_dimensions())?;
    budget.take(size.0, size.1)
}

/// Decodes `image`, or replaces it with the reason why it cannot be. Decoded and missing images are not changed.
///
/// * `bytes` – as [`measure`] returned them.
pub(super) fn decode_in_place(image: &mut Image, bytes: u64) {
    match decode(image, bytes) {
        Ok(Some(bitmap)) => image.data = ImageData::Bitmap(bitmap),
        Ok(None) => {}
        Err(error) => image.data = ImageData::Missing(reason(&error)),
    }
}

fn decode(image: &Image, bytes: u64) -> Result<Option<Bitmap>, DecodeError> {
    let Some(reader) = open(image, bytes)? else {
        return Ok(None);
    };
    let texels = guarded(|| reader.decode().map(image::DynamicImage::into_rgba8))?;
    Ok(Some(Bitmap {
        width: texels.width(),
        height: texels.height(),
        rgba: texels.into_raw(),
    }))
}

trait Source: BufRead + Seek {}
impl<S: BufRead + Seek> Source for S {}

/// How many bytes a decoder may allocate besides texels, such as for a colour profile. PNG compresses profiles, so a small
/// file may hold one a thousand times as large; a profile above the limit is ignored.
const BYTES_BESIDE_TEXELS: u64 = 16 << 20;

/// Bytes that a decoder holds at once per byte of a texel: 16 bits per channel, in its own form and in ours.
const DECODING: u64 = 4;

/// A reader of the right format and with limits; `None` for an image that needs none.
///
/// * `bytes` – of its texels, 8 bits per channel.
fn open(
    image: &Image,
    bytes: u64,
) -> Result<Option<ImageReader<Box<dyn Source + '_>>>, DecodeError> {
    let (source, name): (Box<dyn Source + '_>, &Path) = match &image.data {
        ImageData::File(path) => {
            let file = open_regular(path).map_err(DecodeError::Unreadable)?;
            (Box::new(BufReader::new(file)), path)
        }
        ImageData::Encoded(bytes) => (Box::new(Cursor::new(bytes)), Path::new(&image.name)),
        ImageData::Bitmap(_) | ImageData::Missing(_) | ImageData::NotFound(_) => return Ok(None),
    };
    let mut reader = ImageReader::new(source);
    // TGA has no signature: its extension decides, unless the first bytes belong to another format.
    if let Ok(format) = ImageFormat::from_path(name) {
        reader.set_format(format);
    }
    let mut reader = reader
        .with_guessed_format()
        .map_err(DecodeError::Unreadable)?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    limits.max_alloc = Some(BYTES_PER_IMAGE.min(DECODING * bytes + BYTES_BESIDE_TEXELS));
    reader.limits(limits);
    Ok(Some(reader))
}

/// A panic of a decoder costs the hostile image, not the program.
fn guarded<T>(work: impl FnOnce() -> Result<T, ImageError>) -> Result<T, DecodeError> {
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    let error = match outcome.map_err(|_| DecodeError::Panicked)? {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    Err(match error {
        ImageError::Limits(error) if matches!(error.kind(), LimitErrorKind::DimensionError) => {
            DecodeError::TooLong
        }
        other => DecodeError::Undecodable(other),
    })
}
