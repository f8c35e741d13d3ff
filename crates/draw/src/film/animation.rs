//! Images in time, encoded one after the other, and the formats: GIF (GIF89a) with one palette for the whole film, so that still surfaces do not flicker;
//! animated PNG (PNG specification, third edition, §11.3.6).

use std::collections::HashMap;

use color_quant::NeuQuant;
use gif::{DisposalMethod, Repeat};
use png::{BitDepth, ColorType, Compression, Filter, SrgbRenderingIntent, Writer};

use super::FilmError;
use super::options::{AnimationOptions, Format};
use crate::frame::Frame;

/// An animation that is being encoded. The same images give the same bytes everywhere.
pub struct Animation(Encoder);

enum Encoder {
    Apng(Box<Apng>),
    Gif(Box<Gif>),
}

impl Animation {
    /// Begins an animation.
    ///
    /// * `samples` – images whose colours a GIF's palette is made for, such as every tenth; other formats ignore them.
    ///
    /// # Errors
    ///
    /// [`FilmError`] if the format cannot store images of this size.
    pub fn new(
        format: Format,
        options: AnimationOptions,
        samples: &[Frame],
    ) -> Result<Self, FilmError> {
        Ok(Self(match format {
            Format::Apng => Encoder::Apng(Box::new(Apng::new(options)?)),
            Format::Gif => Encoder::Gif(Box::new(Gif::new(options, samples)?)),
        }))
    }

    /// Adds the next image.
    ///
    /// # Errors
    ///
    /// [`FilmError`] if it has another size, or is one too many.
    pub fn add(&mut self, frame: &Frame) -> Result<(), FilmError> {
        match &mut self.0 {
            Encoder::Apng(encoder) => encoder.add(frame),
            Encoder::Gif(encoder) => encoder.add(frame),
        }
    }

    /// The whole file.
    ///
    /// # Errors
    ///
    /// [`FilmError`] if images are missing.
    pub fn finish(self) -> Result<Vec<u8>, FilmError> {
        match self.0 {
            Encoder::Apng(encoder) => encoder.finish(),
            Encoder::Gif(encoder) => encoder.finish(),
        }
    }
}

/// Colours besides the transparent one, which comes last.
const COLORS: usize = 255;

/// About this many pixels train the palette.
const TRAINING: usize = 1 << 18;

/// How thoroughly the palette is trained: 1 (best, slow) to 30.
const THOROUGHNESS: i32 = 5;

pub(super) struct Gif {
    encoder: gif::Encoder<Vec<u8>>,
    options: AnimationOptions,
    index: u32,
    palette: NeuQuant,
    /// Palette entries of the colours met so far.
    known: HashMap<[u8; 3], u8>,
}

impl Gif {
    pub(super) fn new(options: AnimationOptions, samples: &[Frame]) -> Result<Self, FilmError> {
        options.check(Format::Gif)?;
        let side = |side: u32| u16::try_from(side).unwrap_or(u16::MAX);
        let (width, height) = (side(options.width), side(options.height));
        let palette = NeuQuant::new(THOROUGHNESS, COLORS, &training(samples));
        let mut colors = palette.color_map_rgb();
        colors.extend([0; 3]);
        let mut encoder = gif::Encoder::new(Vec::new(), width, height, &colors)?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Self {
            encoder,
            options,
            index: 0,
            palette,
            known: HashMap::new(),
        })
    }

    pub(super) fn add(&mut self, frame: &Frame) -> Result<(), FilmError> {
        let pixels = frame.rgba.as_chunks::<4>().0.iter();
        let indices: Vec<u8> = pixels.map(|pixel| self.entry(*pixel)).collect();
        let duration = self.options.duration(self.index, 100.0);
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

/// Parts of a second: fine enough for any frame rate.
const PER_SECOND: u16 = 1000;

pub(super) struct Apng {
    writer: Writer<Shared>,
    out: Shared,
    options: AnimationOptions,
    index: u32,
}

/// The bytes so far; the writer owns one handle until it ends.
#[derive(Debug, Clone, Default)]
struct Shared(std::rc::Rc<std::cell::RefCell<Vec<u8>>>);

impl std::io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Apng {
    pub(super) fn new(options: AnimationOptions) -> Result<Self, FilmError> {
        let out = Shared::default();
        let mut encoder = png::Encoder::new(out.clone(), options.width, options.height);
        encoder.set_color(ColorType::Rgba);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        encoder.set_filter(Filter::Adaptive);
        encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
        let endless = 0;
        encoder.set_animated(options.count, endless)?;
        encoder.validate_sequence(true);
        Ok(Self {
            writer: encoder.write_header()?,
            out,
            options,
            index: 0,
        })
    }

    pub(super) fn add(&mut self, frame: &Frame) -> Result<(), FilmError> {
        let duration = self.options.duration(self.index, PER_SECOND.into());
        let duration = u16::try_from(duration).unwrap_or(u16::MAX);
        self.writer.set_frame_delay(duration, PER_SECOND)?;
        self.writer.write_image_data(&frame.rgba)?;
        self.index += 1;
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Vec<u8>, FilmError> {
        self.writer.finish()?;
        Ok(self.out.0.take())
    }
}

#[cfg(test)]
pub(super) mod testing {
    /// The images of a GIF, and how long each is shown in milliseconds.
    pub(in crate::film) fn decoded(bytes: &[u8]) -> Vec<(Vec<u8>, u32)> {
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

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::AnimationDecoder;

    use super::*;

    const OPTIONS: AnimationOptions = AnimationOptions {
        width: 16,
        height: 9,
        count: 3,
        fps: 24.0,
    };

    /// A square that moves over a grey ground, one position per image.
    fn images() -> Vec<Frame> {
        let image = |index: usize| {
            let mut frame = Frame::blank(OPTIONS.width, OPTIONS.height);
            for (pixel, rgba) in frame.rgba.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let is_square =
                    (index * 4..index * 4 + 4).contains(&(pixel % 16)) && pixel / 16 > 4;
                *rgba = if is_square {
                    [200, 40, 30, 255]
                } else {
                    [46, 49, 54, 255]
                };
            }
            frame
        };
        (0..3).map(image).collect()
    }

    fn encoded(format: Format) -> Vec<u8> {
        let images = images();
        let mut animation = Animation::new(format, OPTIONS, &images).unwrap();
        for image in &images {
            animation.add(image).unwrap();
        }
        animation.finish().unwrap()
    }

    /// The images of a file as another decoder reads them, with their durations in milliseconds.
    fn decoded(format: Format, bytes: &[u8]) -> Vec<(Vec<u8>, u32)> {
        let file = Cursor::new(bytes);
        let frames = match format {
            Format::Apng => {
                let decoder = image::codecs::png::PngDecoder::new(file).unwrap();
                decoder.apng().unwrap().into_frames().collect_frames()
            }
            Format::Gif => return super::testing::decoded(bytes),
        };
        let frames = frames.unwrap().into_iter();
        let numbers = frames.map(|frame| {
            let (numerator, denominator) = frame.delay().numer_denom_ms();
            (frame.into_buffer().into_raw(), numerator / denominator)
        });
        numbers.collect()
    }

    #[test]
    fn another_decoder_reads_every_image_of_an_animated_png_back() {
        let read = decoded(Format::Apng, &encoded(Format::Apng));
        let expected: Vec<Vec<u8>> = images().into_iter().map(|image| image.rgba).collect();
        let images: Vec<Vec<u8>> = read.iter().map(|(image, _)| image.clone()).collect();
        assert!(images == expected);
        let total: u32 = read.iter().map(|(_, duration)| duration).sum();
        assert!((123..=125).contains(&total), "{total} ms");
    }

    #[test]
    fn a_gif_is_close_to_its_images_and_keeps_its_duration() {
        let read = decoded(Format::Gif, &encoded(Format::Gif));
        for ((image, _), expected) in read.iter().zip(images()) {
            let far = image
                .iter()
                .zip(&expected.rgba)
                .filter(|(a, b)| a.abs_diff(**b) > 16);
            assert_eq!(far.count(), 0);
        }
        let total: u32 = read.iter().map(|(_, duration)| duration).sum();
        assert_eq!((read.len(), total), (3, 130), "rounded once, to hundredths");
    }

    #[test]
    fn durations_add_up_without_drift() {
        let options = AnimationOptions {
            count: 240,
            ..OPTIONS
        };
        let total: u32 = (0..240).map(|index| options.duration(index, 100.0)).sum();
        assert_eq!(total, 1000);
    }

    #[test]
    fn an_animation_lacking_an_image_is_an_error() {
        let mut animation = Animation::new(Format::Apng, OPTIONS, &[]).unwrap();
        animation.add(&images()[0]).unwrap();
        assert!(animation.finish().is_err());
    }
}
