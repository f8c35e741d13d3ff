//! GIF (GIF89a) with one palette for the whole film, so that still surfaces do not flicker.

use std::collections::HashMap;

use ::gif::{DisposalMethod, Encoder, Repeat};
use color_quant::NeuQuant;

use super::error::FilmError;
use super::reel::Reel;
use crate::frame::Frame;

/// Colours besides the transparent one, which comes last.
const COLORS: usize = 255;

/// About this many pixels train the palette.
const TRAINING: usize = 1 << 18;

/// How thoroughly the palette is trained: 1 (best, slow) to 30.
const THOROUGHNESS: i32 = 5;

pub(super) struct Gif {
    encoder: Encoder<Vec<u8>>,
    reel: Reel,
    index: u32,
    palette: NeuQuant,
    /// Palette entries of the colours met so far.
    known: HashMap<[u8; 3], u8>,
}

impl Gif {
    pub(super) fn new(reel: Reel, samples: &[Frame]) -> Result<Self, FilmError> {
        let side = |side: u32| u16::try_from(side).ok();
        let (Some(width), Some(height)) = (side(reel.width), side(reel.height)) else {
            return Err(FilmError::TooLarge {
                format: "GIF",
                width: reel.width,
                height: reel.height,
                max: u16::MAX.into(),
            });
        };
        let palette = NeuQuant::new(THOROUGHNESS, COLORS, &training(samples));
        let mut colors = palette.color_map_rgb();
        colors.extend([0; 3]);
        let mut encoder = Encoder::new(Vec::new(), width, height, &colors)?;
        // The extension counts repetitions, not plays.
        match reel.plays {
            0 => encoder.set_repeat(Repeat::Infinite)?,
            1 => {}
            plays => encoder.set_repeat(Repeat::Finite(plays - 1))?,
        }
        Ok(Self {
            encoder,
            reel,
            index: 0,
            palette,
            known: HashMap::new(),
        })
    }

    pub(super) fn add(&mut self, frame: &Frame) -> Result<(), FilmError> {
        let pixels = frame.rgba.as_chunks::<4>().0.iter();
        let indices: Vec<u8> = pixels.map(|pixel| self.entry(*pixel)).collect();
        let duration = self.reel.duration(self.index, 100.0);
        self.encoder.write_frame(&::gif::Frame {
            delay: u16::try_from(duration).unwrap_or(u16::MAX),
            dispose: DisposalMethod::Background,
            transparent: u8::try_from(COLORS).ok(),
            width: u16::try_from(frame.width).unwrap_or(u16::MAX),
            height: u16::try_from(frame.height).unwrap_or(u16::MAX),
            buffer: indices.into(),
            ..::gif::Frame::default()
        })?;
        self.index += 1;
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Vec<u8>, FilmError> {
        Ok(self.encoder.into_inner()?)
    }

    /// The palette entry of a pixel; the transparent one if it is mostly transparent.
    fn entry(&mut self, [r, g, b, alpha]: [u8; 4]) -> u8 {
        if alpha < 128 {
            return u8::try_from(COLORS).unwrap_or(u8::MAX);
        }
        let palette = &self.palette;
        let nearest = || u8::try_from(palette.index_of(&[r, g, b, u8::MAX])).unwrap_or(0);
        *self.known.entry([r, g, b]).or_insert_with(nearest)
    }
}

/// Evenly spaced opaque pixels of `samples`.
fn training(samples: &[Frame]) -> Vec<u8> {
    let total: usize = samples.iter().map(|frame| frame.rgba.len() / 4).sum();
    // An odd stride does not align with the columns of most images.
    let stride = (total / TRAINING).max(1) | 1;
    let pixels = samples
        .iter()
        .flat_map(|frame| frame.rgba.as_chunks::<4>().0);
    let opaque = pixels
        .step_by(stride)
        .map(|&[r, g, b, _]| [r, g, b, u8::MAX]);
    opaque.flatten().collect()
}

#[cfg(test)]
pub(super) mod testing {
    /// The images of a GIF, and how long each is shown in milliseconds.
    pub(in super::super) fn decoded(bytes: &[u8]) -> Vec<(Vec<u8>, u32)> {
        let mut options = ::gif::DecodeOptions::new();
        options.set_color_output(::gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes).unwrap();
        let mut images = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            images.push((frame.buffer.to_vec(), 10 * u32::from(frame.delay)));
        }
        images
    }
}
