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
    let latin1 = info.uncompressed_latin1_text.iter();
    let latin1 = latin1.map(|chunk| (chunk.keyword.clone(), chunk.text.clone()));
    let utf8 = info.utf8_text.iter().filter(|chunk| !chunk.compressed);
    let utf8 = utf8.filter_map(|chunk| Some((chunk.keyword.clone(), chunk.get_text().ok()?)));
    latin1.chain(utf8).collect()
}

#[cfg(test)]
mod tests;
