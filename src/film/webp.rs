//! Animated WebP (RFC 9649, §2.7): lossless images in a RIFF container.

use image::ExtendedColorType;
use image::codecs::webp::WebPEncoder;

use super::error::FilmError;
use super::reel::{Format, Reel};
use crate::frame::Frame;

/// Bytes of a RIFF header with its form type, which precede the chunk of a still image.
const HEADER: usize = 12;

/// Flags of VP8X: an animation, and alpha.
const FLAGS: u8 = 0b0001_0010;

/// Flags of ANMF: replace the canvas instead of blending with it.
const REPLACE: u8 = 0b10;

pub(super) struct WebP {
    reel: Reel,
    index: u32,
    /// Chunks behind the form type.
    chunks: Vec<u8>,
}

impl WebP {
    pub(super) fn new(reel: Reel) -> Result<Self, FilmError> {
        reel.check(Format::WebP)?;
        let mut chunks = Vec::new();
        let mut extended = vec![FLAGS, 0, 0, 0];
        extended.extend(size_of(reel));
        chunk(&mut chunks, *b"VP8X", &extended);
        let [low, high] = reel.plays.to_le_bytes();
        // The background is a hint that viewers ignore.
        chunk(&mut chunks, *b"ANIM", &[0, 0, 0, 0, low, high]);
        Ok(Self {
            reel,
            index: 0,
            chunks,
        })
    }

    pub(super) fn add(&mut self, frame: &Frame) -> Result<(), FilmError> {
        let mut still = Vec::new();
        let encoder = WebPEncoder::new_lossless(&mut still);
        encoder.encode(
            &frame.rgba,
            frame.width,
            frame.height,
            ExtendedColorType::Rgba8,
        )?;
        let mut image = vec![0; 6];
        image.extend(size_of(self.reel));
        image.extend(three_bytes(self.reel.duration(self.index, 1000.0)));
        image.push(REPLACE);
        image.extend(&still[HEADER..]);
        chunk(&mut self.chunks, *b"ANMF", &image);
        self.index += 1;
        Ok(())
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let mut form = b"WEBP".to_vec();
        form.extend(self.chunks);
        let mut out = Vec::new();
        chunk(&mut out, *b"RIFF", &form);
        out
    }
}

/// Width and height, each less one.
fn size_of(reel: Reel) -> impl Iterator<Item = u8> {
    let [width, height] = [reel.width, reel.height].map(|side| three_bytes(side - 1));
    width.into_iter().chain(height)
}

/// The low 24 bits, the lowest first.
fn three_bytes(number: u32) -> [u8; 3] {
    let [a, b, c, _] = number.to_le_bytes();
    [a, b, c]
}

/// Appends a chunk, padded to an even length.
fn chunk(out: &mut Vec<u8>, name: [u8; 4], content: &[u8]) {
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    out.extend(name);
    out.extend(length.to_le_bytes());
    out.extend(content);
    out.resize(out.len().next_multiple_of(2), 0);
}
