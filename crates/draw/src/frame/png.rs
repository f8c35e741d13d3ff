//! Images as PNG files.

use std::borrow::Cow;
use std::io::Cursor;

use ::png::{
    BitDepth, ColorType, Compression, Decoder, Encoder, Filter, Limits, SrgbRenderingIntent,
    Transformations,
};

use super::{Frame, FrameError};

/// The start of a PNG file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Keywords and uncompressed texts that stand before the pixels.
    pub text: Vec<(String, String)>,
}

/// An image from a PNG file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedImage {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// sRGB with straight alpha, `4 * width * height` bytes, rows from the top.
    pub rgba: Vec<u8>,
    /// Keywords and texts.
    pub text: Vec<(String, String)>,
}

/// Encodes the colours of `frame` as sRGB PNG, without alpha if every pixel is opaque.
///
/// Made for speed: the Up filter turns an even background to zeros, and the fastest deflate packs runs of zeros well.
/// The same frame and text give the same bytes everywhere.
///
/// * `text` – keywords and texts, such as `("Software", "skincheck 0.1.0")`. Characters that PNG cannot represent
///   become spaces. Keywords are cut at 79 characters, texts at 8192. An entry without a keyword is skipped.
///
/// # Errors
///
/// [`FrameError::WrongLength`] if the number of colours in `frame` does not match its size, and [`FrameError::Encode`]
/// if it has no pixel.
///
/// # Reference
///
/// PNG Specification (Third Edition), §11.3.3 "Textual information".
pub fn encode(frame: &Frame, text: &[(String, String)]) -> Result<Vec<u8>, FrameError> {
    encode_as(frame, text, (Compression::Fastest, Filter::Up))
}

/// Encodes as [`encode`] does, without texts, in less space and more time: for images inside other files.
///
/// # Errors
///
/// As [`encode`].
pub fn encode_small(frame: &Frame) -> Result<Vec<u8>, FrameError> {
    encode_small_with(frame, &[])
}

/// Encodes as [`encode_small`] does, with texts: for images that are kept.
///
/// # Errors
///
/// As [`encode`].
pub fn encode_small_with(frame: &Frame, text: &[(String, String)]) -> Result<Vec<u8>, FrameError> {
    encode_as(frame, text, (Compression::High, Filter::Paeth))
}

fn encode_as(
    frame: &Frame,
    text: &[(String, String)],
    how: (Compression, Filter),
) -> Result<Vec<u8>, FrameError> {
    let (pixels, rest) = frame.rgba.as_chunks::<4>();
    let expected = u64::from(frame.width) * u64::from(frame.height);
    if !rest.is_empty() || pixels.len() as u64 != expected {
        return Err(FrameError::WrongLength {
            width: frame.width,
            height: frame.height,
            actual: frame.rgba.len(),
        });
    }
    let (color, data) = match without_alpha(pixels) {
        Some(rgb) => (ColorType::Rgb, Cow::Owned(rgb)),
        None => (ColorType::Rgba, Cow::Borrowed(frame.rgba.as_slice())),
    };
    write_png(frame, color, &data, text, how).map_err(FrameError::Encode)
}

fn write_png(
    frame: &Frame,
    color: ColorType,
    data: &[u8],
    text: &[(String, String)],
    (compression, filter): (Compression, Filter),
) -> Result<Vec<u8>, ::png::EncodingError> {
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, frame.width, frame.height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(compression);
    encoder.set_filter(filter);
    encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
    for (keyword, text) in text {
        add_text(&mut encoder, keyword, text)?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(data)?;
    writer.finish()?;
    Ok(out)
}

/// The colours alone, if every pixel is opaque.
fn without_alpha(pixels: &[[u8; 4]]) -> Option<Vec<u8>> {
    let opaque = pixels.iter().all(|pixel| pixel[3] == u8::MAX);
    opaque.then(|| {
        let mut colors = vec![0; 3 * pixels.len()];
        for (color, [r, g, b, _]) in colors.as_chunks_mut().0.iter_mut().zip(pixels) {
            *color = [*r, *g, *b];
        }
        colors
    })
}

/// The longest keyword that PNG allows, in bytes of Latin-1.
const LONGEST_KEYWORD: usize = 79;

/// Paths and descriptions are far shorter; this keeps a hostile name from filling the file.
const LONGEST_TEXT: usize = 8192;

fn add_text<W: std::io::Write>(
    encoder: &mut Encoder<'_, W>,
    keyword: &str,
    text: &str,
) -> Result<(), ::png::EncodingError> {
    let keyword = clean_keyword(keyword);
    let text: String = text
        .chars()
        .take(LONGEST_TEXT)
        .map(clean_character)
        .collect();
    match (keyword.is_empty(), text.chars().all(is_latin1)) {
        (true, _) => Ok(()),
        (false, true) => encoder.add_text_chunk(keyword, text),
        (false, false) => encoder.add_itxt_chunk(keyword, text),
    }
}

/// Printable Latin-1 with single spaces inside and none around, as PNG asks for.
fn clean_keyword(keyword: &str) -> String {
    let printable = |c: char| {
        if is_latin1(c) {
            clean_character(c)
        } else {
            ' '
        }
    };
    let spaced: String = keyword.chars().map(printable).collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let cut: String = words.join(" ").chars().take(LONGEST_KEYWORD).collect();
    cut.trim_end().to_owned()
}

fn clean_character(c: char) -> char {
    if c.is_control() && c != '\n' { ' ' } else { c }
}

fn is_latin1(c: char) -> bool {
    u8::try_from(u32::from(c)).is_ok()
}

/// The most pixels that are read: as many as skincheck draws.
const MAX_PIXELS: u64 = 1 << 26;

/// Decodes a PNG of any kind to 8 bits per channel; colours are read as sRGB regardless of what the file states.
///
/// Returns only uncompressed texts.
///
/// # Errors
///
/// [`FrameError::Decode`] if `bytes` is not a valid PNG or its other data are too large, and [`FrameError::TooLarge`]
/// if it has more pixels than skincheck draws; neither needs more memory than an image of that size.
pub fn decode(bytes: &[u8]) -> Result<DecodedImage, FrameError> {
    let limits = Limits { bytes: 1 << 29 };
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
    decoder.set_ignore_iccp_chunk(true);
    let (width, height) = decoder
        .read_header_info()
        .map_err(FrameError::Decode)?
        .size();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(FrameError::TooLarge {
            width,
            height,
            max: MAX_PIXELS,
        });
    }
    read_image(decoder).map_err(FrameError::Decode)
}

/// The keyword of the text that names the program that made an image (PNG Specification §11.3.3.2).
pub const SOFTWARE: &str = "Software";

/// Whether the texts of an image name skincheck, of any version, as the program that made it.
#[must_use]
pub fn names_skincheck(texts: &[(String, String)]) -> bool {
    let mut texts = texts.iter();
    texts.any(|(keyword, text)| keyword == SOFTWARE && text.starts_with("skincheck"))
}

/// Reads the size and the texts of a PNG, without its pixels or its colour profile.
///
/// # Errors
///
/// [`FrameError::Decode`] if `bytes` does not begin as a PNG does.
pub fn head(bytes: &[u8]) -> Result<Head, FrameError> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_ignore_iccp_chunk(true);
    let reader = decoder.read_info().map_err(FrameError::Decode)?;
    let info = reader.info();
    Ok(Head {
        width: info.width,
        height: info.height,
        text: texts(info),
    })
}

fn read_image(decoder: Decoder<Cursor<&[u8]>>) -> Result<DecodedImage, ::png::DecodingError> {
    let mut reader = decoder.read_info()?;
    let size = reader
        .output_buffer_size()
        .ok_or(::png::DecodingError::LimitsExceeded)?;
    let mut data = vec![0; size];
    let output = reader.next_frame(&mut data)?;
    reader.finish()?;
    Ok(DecodedImage {
        width: output.width,
        height: output.height,
        rgba: to_rgba(data, output.color_type),
        text: texts(reader.info()),
    })
}

/// * `data` – with alpha, as requested from the decoder.
fn to_rgba(data: Vec<u8>, color: ColorType) -> Vec<u8> {
    match color {
        ColorType::GrayscaleAlpha => {
            let (pixels, _) = data.as_chunks::<2>();
            let spread = |&[gray, alpha]: &[u8; 2]| [gray, gray, gray, alpha];
            pixels.iter().flat_map(spread).collect()
        }
        _ => data,
    }
}

fn texts(info: &::png::Info<'_>) -> Vec<(String, String)> {
    let latin1 = info
        .uncompressed_latin1_text
        .iter()
        .map(|chunk| (chunk.keyword.clone(), chunk.text.clone()));
    let utf8 = info
        .utf8_text
        .iter()
        .filter(|chunk| !chunk.compressed)
        .filter_map(|chunk| Some((chunk.keyword.clone(), chunk.get_text().ok()?)));
    latin1.chain(utf8).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::units::law::holds;

    fn frame(width: u32, height: u32, rgba: Vec<u8>) -> Frame {
        let depth = vec![1.0; rgba.len() / 4];
        Frame {
            width,
            height,
            rgba,
            depth,
        }
    }

    /// Small images, opaque or not, with the rows alike (as in a background) or not.
    fn any_frame() -> impl Strategy<Value = Frame> {
        let size = (1_u32..24, 1_u32..24);
        (size, any::<bool>(), any::<bool>()).prop_flat_map(|((width, height), opaque, alike)| {
            let row = prop::collection::vec(any::<u8>(), 4 * width as usize);
            let rows = prop::collection::vec(row, height as usize);
            rows.prop_map(move |mut rows| {
                if alike {
                    rows = vec![rows[0].clone(); rows.len()];
                }
                let mut rgba = rows.concat();
                if opaque {
                    rgba.iter_mut()
                        .skip(3)
                        .step_by(4)
                        .for_each(|alpha| *alpha = u8::MAX);
                }
                frame(width, height, rgba)
            })
        })
    }

    /// What is encoded comes back, to the bit.
    fn round_trips(encode: impl Fn(&Frame) -> Vec<u8>) -> Result<(), String> {
        holds(&any_frame(), |frame| {
            let back =
                decode(&encode(&frame)).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!((back.width, back.height), (frame.width, frame.height));
            prop_assert_eq!(back.rgba, frame.rgba);
            Ok(())
        })
    }

    #[test]
    fn every_image_comes_back_as_it_was() {
        round_trips(|frame| encode(frame, &[]).unwrap()).unwrap();
    }

    #[test]
    fn a_dropped_alpha_and_a_swapped_size_are_caught() {
        let drops_alpha = |frame: &Frame| {
            let mut opaque = frame.clone();
            opaque
                .rgba
                .iter_mut()
                .skip(3)
                .step_by(4)
                .for_each(|alpha| *alpha = u8::MAX);
            encode(&opaque, &[]).unwrap()
        };
        assert!(round_trips(drops_alpha).is_err());
        let swaps_size = |frame: &Frame| {
            let mut swapped = frame.clone();
            std::mem::swap(&mut swapped.width, &mut swapped.height);
            encode(&swapped, &[]).unwrap()
        };
        assert!(round_trips(swaps_size).is_err());
    }

    fn with_text(keyword: &str, text: &str) -> Vec<u8> {
        let text = [(keyword.to_owned(), text.to_owned())];
        encode(&frame(1, 1, vec![0; 4]), &text).unwrap()
    }

    fn text_back(keyword: &str, text: &str) -> Vec<(String, String)> {
        decode(&with_text(keyword, text)).unwrap().text
    }

    #[test]
    fn texts_come_back_in_latin_and_in_any_other_script() {
        for text in ["walk.fbx", "Läufer\nzwei", "歩く.fbx", "Läufer → 歩く"] {
            let back = text_back("Model", text);
            assert_eq!(back, [("Model".to_owned(), text.to_owned())]);
        }
    }

    #[test]
    fn latin_text_is_written_in_the_plain_chunk() {
        let bytes = |text| with_text("Model", text);
        let holds = |bytes: &[u8], chunk: &[u8]| bytes.windows(4).any(|window| window == chunk);
        assert!(holds(&bytes("Läufer"), b"tEXt") && !holds(&bytes("Läufer"), b"iTXt"));
        assert!(holds(&bytes("歩く"), b"iTXt"));
    }

    #[test]
    fn metadata_that_png_cannot_store_is_replaced_or_cut() {
        assert_eq!(text_back("Model", "a\0b\x1bc")[0].1, "a b c");
        assert_eq!(text_back("  a\0 \t b歩 ", "x")[0].0, "a b");
        assert_eq!(
            text_back("k", &"x".repeat(100_000))[0].1.len(),
            LONGEST_TEXT
        );
        assert_eq!(text_back(&"k".repeat(100), "x")[0].0.len(), LONGEST_KEYWORD);
        assert_eq!(text_back("歩く", "x"), []);
    }

    #[test]
    fn the_file_says_that_it_is_srgb() {
        let png = encode(&frame(1, 1, vec![0; 4]), &[]).unwrap();
        assert!(png.windows(4).any(|window| window == b"sRGB"));
    }

    #[test]
    fn a_frame_that_disagrees_with_its_size_is_an_error() {
        for broken in [
            frame(2, 1, vec![0; 4]),
            frame(u32::MAX, u32::MAX, Vec::new()),
        ] {
            let error = encode(&broken, &[]).unwrap_err();
            assert!(matches!(error, FrameError::WrongLength { .. }), "{error}");
        }
        let error = encode(&frame(0, 0, Vec::new()), &[]).unwrap_err();
        assert!(matches!(error, FrameError::Encode(_)), "{error}");
    }

    #[test]
    fn damaged_files_are_errors() {
        let png = encode(&frame(4, 4, (0..64).collect()), &[]).unwrap();
        for cut in 0..png.len() - 1 {
            assert!(decode(&png[..cut]).is_err(), "{cut}");
        }
        for index in 0..png.len() {
            let mut flipped = png.clone();
            flipped[index] ^= 0x10;
            let back = decode(&flipped);
            assert!(back.is_err() || back.unwrap().rgba.len() == 64, "{index}");
        }
        assert!(decode(b"GIF89a").is_err());
    }

    #[test]
    fn a_file_that_claims_to_be_enormous_is_refused() {
        let mut png = Vec::new();
        let encoder = Encoder::new(&mut png, 1 << 30, 1 << 30);
        drop(encoder.write_header().unwrap());
        let error = decode(&png).unwrap_err();
        assert!(matches!(error, FrameError::TooLarge { .. }), "{error}");
    }

    #[test]
    fn grey_and_palette_files_are_read_as_colours() {
        let mut png = Vec::new();
        let mut encoder = Encoder::new(&mut png, 2, 1);
        encoder.set_color(ColorType::Grayscale);
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&[0, 200])
            .unwrap();
        assert_eq!(
            decode(&png).unwrap().rgba,
            [0, 0, 0, 255, 200, 200, 200, 255]
        );
        let mut png = Vec::new();
        let mut encoder = Encoder::new(&mut png, 2, 1);
        encoder.set_color(ColorType::Indexed);
        encoder.set_palette(vec![1, 2, 3, 4, 5, 6]);
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&[1, 0])
            .unwrap();
        assert_eq!(decode(&png).unwrap().rgba, [4, 5, 6, 255, 1, 2, 3, 255]);
    }
}
