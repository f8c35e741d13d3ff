//! KTX 2 files with Basis Universal textures (`KHR_texture_basisu`): ETC1S and UASTC, also supercompressed.
//!
//! Only the largest image is read. Smaller ones are computed when they are drawn, as for any other format.
//!
//! # Reference
//!
//! Khronos, "KTX File Format Specification", version 2.0, section 3.

use basisu::{DecodeFlags, TargetFormat, Transcoder};

use crate::rig::Bitmap;

/// The first bytes of every file.
pub(super) const IDENTIFIER: &[u8] = b"\xabKTX 20\xbb\r\n\x1a\n";

/// The header, the index of sections, and the first entry of the index of levels, in bytes.
pub(super) const HEAD_BYTES: u64 = 104;

/// Texels along a block, and bytes of a UASTC block.
const BLOCK: [u64; 2] = [4, 16];

/// The value of `supercompressionScheme` for Zstandard.
const ZSTANDARD: u32 = 2;

/// What every decoder of Zstandard should be able to hold of its output.
///
/// # Reference
///
/// RFC 8878, "Zstandard Compression and the 'application/zstd' Media Type", section 3.1.1.1.2.
const USUAL_WINDOW: u64 = 8 << 20;

/// Why a file cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub(super) enum KtxError {
    #[error("its KTX header is cut off")]
    CutOff,
    #[error(
        "its KTX file is an array, a cube map or a volume; KHR_texture_basisu allows one flat image"
    )]
    NotFlat,
    #[error(
        "its largest level is {found} bytes long when decompressed, but {allowed} hold all its blocks"
    )]
    TooLong { found: u64, allowed: u64 },
    #[error(
        "its largest level is compressed so that it takes {} MiB to decompress, but {} MiB are allowed",
        found >> 20, allowed >> 20
    )]
    TooWide { found: u64, allowed: u64 },
    #[error("its KTX file is damaged, or not a Basis Universal texture: {0:?}")]
    Undecodable(basisu::Error),
}

/// Width and height in texels.
///
/// * `file` – its first bytes: [`HEAD_BYTES`], or more.
///
/// # Errors
///
/// [`KtxError`] unless the file holds one flat image.
pub(super) fn dimensions(file: &[u8]) -> Result<(u32, u32), KtxError> {
    let [width, height] = [number(file, 20)?, number(file, 24)?];
    let (depth, layers, faces) = (number(file, 28)?, number(file, 32)?, number(file, 36)?);
    if depth != 0 || layers > 1 || faces != 1 {
        return Err(KtxError::NotFlat);
    }
    // Each decoder allocates what the file says.
    let found = long(file, 96)?;
    let blocks = [width, height].map(|side| u64::from(side).div_ceil(BLOCK[0]));
    let allowed = (blocks[0] * blocks[1]).saturating_mul(BLOCK[1]);
    if found > allowed {
        return Err(KtxError::TooLong { found, allowed });
    }
    Ok((width, height))
}

/// The largest image.
///
/// # Errors
///
/// [`KtxError`] for a damaged file, and for textures that are not Basis Universal.
pub(super) fn decode(file: &[u8]) -> Result<Bitmap, KtxError> {
    let (width, height) = dimensions(file)?;
    check_window(file)?;
    let texture = Transcoder::new(file).map_err(KtxError::Undecodable)?;
    let texels = texture.transcode(0, TargetFormat::Rgba32, DecodeFlags::NONE);
    Ok(Bitmap {
        width,
        height,
        rgba: texels.map_err(KtxError::Undecodable)?,
    })
}

/// Checks how much of the largest level its decompressor holds at once, which a frame states without bounds.
fn check_window(file: &[u8]) -> Result<(), KtxError> {
    if number(file, 44)? != ZSTANDARD {
        return Ok(());
    }
    let [start, length] = [long(file, 80)?, long(file, 96)?];
    let frame = usize::try_from(start).ok();
    let frame = frame.and_then(|start| file.get(start..));
    let found = frame.and_then(window).ok_or(KtxError::CutOff)?;
    let allowed = length.max(USUAL_WINDOW);
    if found > allowed {
        return Err(KtxError::TooWide { found, allowed });
    }
    Ok(())
}

/// The size of the window of a Zstandard frame, or of its content if that is the window.
///
/// # Reference
///
/// RFC 8878, section 3.1.1.1: the descriptor's bits, the window's exponent and mantissa, the sizes of the fields.
fn window(frame: &[u8]) -> Option<u64> {
    const MAGIC_BYTES: usize = 4;
    let descriptor = *frame.get(MAGIC_BYTES)?;
    let fields = frame.get(MAGIC_BYTES + 1..)?;
    let is_single_segment = descriptor & 0x20 != 0;
    if !is_single_segment {
        let window = *fields.first()?;
        let base = 1_u64 << (10 + u32::from(window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    let dictionary_bytes = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content_bytes = 1_usize << (descriptor >> 6);
    let content = fields.get(dictionary_bytes..)?.get(..content_bytes)?;
    let mut bytes = [0; 8];
    bytes[..content_bytes].copy_from_slice(content);
    let content = u64::from_le_bytes(bytes);
    // Two bytes do not repeat what one can say.
    Some(if content_bytes == 2 {
        content + 256
    } else {
        content
    })
}

fn long(file: &[u8], at: usize) -> Result<u64, KtxError> {
    let [low, high] = [number(file, at)?, number(file, at + 4)?];
    Ok(u64::from(high) << 32 | u64::from(low))
}

fn number(file: &[u8], at: usize) -> Result<u32, KtxError> {
    let bytes = file.get(at..).and_then(<[u8]>::first_chunk);
    bytes
        .map(|bytes| u32::from_le_bytes(*bytes))
        .ok_or(KtxError::CutOff)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(in crate::images) const COLOR: [u8; 4] = [10, 200, 30, 40];

    /// A UASTC texture of one colour, 6 × 5 texels.
    pub(in crate::images) fn file() -> Vec<u8> {
        const TEXELS: [u32; 2] = [6, 5];
        /// Four blocks.
        const LEVEL_BYTES: u32 = 64;
        const DESCRIPTOR: [u32; 11] = [
            44,
            0,
            2 | 40 << 16,
            // UASTC, BT.709, sRGB
            0xa6 | 1 << 8 | 2 << 16,
            // blocks of 4 × 4 texels
            3 | 3 << 8,
            16,
            0,
            // one sample of 128 bits, with alpha
            127 << 16 | 3 << 24,
            0,
            0,
            u32::MAX,
        ];
        let start = u32::try_from(HEAD_BYTES).unwrap();
        let mut words = vec![0, 1, TEXELS[0], TEXELS[1], 0, 0, 1, 1, 0];
        words.extend([start, DESCRIPTOR[0], 0, 0, 0, 0, 0, 0]);
        words.extend([start + DESCRIPTOR[0], 0, LEVEL_BYTES, 0, LEVEL_BYTES, 0]);
        words.extend(DESCRIPTOR);
        let mut file = IDENTIFIER.to_vec();
        file.extend(words.into_iter().flat_map(u32::to_le_bytes));
        // Mode 8, a single colour: the mode's code of five bits, then the channels.
        let block = 0b10111 | u128::from(u32::from_le_bytes(COLOR)) << 5;
        file.extend([block; 4].into_iter().flat_map(u128::to_le_bytes));
        file
    }

    #[test]
    fn a_texture_of_one_colour_has_that_colour_everywhere() {
        assert_eq!(dimensions(&file()).unwrap(), (6, 5));
        assert_eq!(decode(&file()).unwrap().rgba, COLOR.repeat(30));
    }

    #[test]
    fn only_a_flat_image_of_a_true_size_is_decoded() {
        let with = |at: usize, byte: u8| {
            let mut file = file();
            file[at] = byte;
            decode(&file).unwrap_err().to_string()
        };
        for (field, byte) in [(28, 1), (32, 2), (36, 6)] {
            assert!(with(field, byte).contains("flat"), "byte {field}");
        }
        assert!(with(96, 65).contains("65 bytes"));
        assert!(with(103, 255).contains("bytes long"));
        assert!(with(12, 1).contains("not a Basis Universal texture"));
        assert!(matches!(decode(&file()[..103]), Err(KtxError::CutOff)));
        assert!(matches!(
            decode(&file()[..160]),
            Err(KtxError::Undecodable(_))
        ));
    }

    #[test]
    fn the_largest_sides_are_measured() {
        let mut file = file();
        file[20..28].fill(0xff);
        assert_eq!(dimensions(&file).unwrap(), (u32::MAX, u32::MAX));
    }

    #[test]
    fn a_frame_that_states_gigabytes_is_not_decompressed() {
        const MAGIC: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();
        let with = |frame: &[u8]| {
            let mut file = file();
            file[44] = 2;
            let start = usize::try_from(HEAD_BYTES).unwrap() + 44;
            file.splice(start.., frame.iter().copied());
            decode(&file).unwrap_err()
        };
        // A single segment of 4 GiB, and a window of 64 GiB.
        for fields in [&[0xa0, 0, 0, 0, 0xff][..], &[0, 26 << 3]] {
            let error = with(&[&MAGIC, fields].concat());
            assert!(matches!(error, KtxError::TooWide { .. }), "{error}");
        }
        // A single segment of 64 bytes, in one block that repeats a byte.
        let block = 64 << 3 | 1 << 1 | 1_u32;
        let frame = [&MAGIC[..], &[0x20, 64], &block.to_le_bytes()[..3], &[0]].concat();
        let error = with(&frame);
        assert!(!matches!(error, KtxError::TooWide { .. }), "{error}");
    }

    proptest! {
        /// Of any size that the caller allows: the decoder may panic, and the caller catches that.
        #[test]
        fn damage_ends_in_an_error_or_texels(at in 0..212_usize, byte: u8) {
            let mut file = file();
            file[at] = byte;
            if let Ok((width, height)) = dimensions(&file)
                && u64::from(width) * u64::from(height) < 1 << 20
                && let Ok(Ok(image)) = std::panic::catch_unwind(|| decode(&file))
            {
                prop_assert_eq!(image.rgba.len(), 4 * (width * height) as usize);
            }
        }
    }
}
