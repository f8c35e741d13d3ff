//! Images in time, encoded one after the other.

use super::apng::Apng;
use super::error::FilmError;
use super::gif::Gif;
use super::reel::{Format, Reel};
use super::webp::WebP;
use crate::frame::Frame;

/// An animation that is being encoded. The same images give the same bytes everywhere.
pub struct Animation(Encoder);

enum Encoder {
    Apng(Box<Apng>),
    Gif(Box<Gif>),
    WebP(Box<WebP>),
}

impl Animation {
    /// Begins an animation.
    ///
    /// * `samples` – images whose colours a GIF's palette is made for, such as every tenth; other formats ignore them.
    ///
    /// # Errors
    ///
    /// [`FilmError`] if the format cannot store images of this size.
    pub fn new(format: Format, reel: Reel, samples: &[Frame]) -> Result<Self, FilmError> {
        Ok(Self(match format {
            Format::Apng => Encoder::Apng(Box::new(Apng::new(reel)?)),
            Format::Gif => Encoder::Gif(Box::new(Gif::new(reel, samples)?)),
            Format::WebP => Encoder::WebP(Box::new(WebP::new(reel)?)),
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
            Encoder::WebP(encoder) => encoder.add(frame),
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
            Encoder::WebP(encoder) => Ok(encoder.finish()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::AnimationDecoder;

    use super::*;

    const REEL: Reel = Reel {
        width: 16,
        height: 9,
        count: 3,
        fps: 24.0,
        plays: 0,
    };

    /// A square that moves over a grey ground, one position per image.
    fn images() -> Vec<Frame> {
        let image = |index: usize| {
            let mut frame = Frame::blank(REEL.width, REEL.height);
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
        let mut animation = Animation::new(format, REEL, &images).unwrap();
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
            Format::WebP => {
                let decoder = image::codecs::webp::WebPDecoder::new(file).unwrap();
                decoder.into_frames().collect_frames()
            }
            Format::Gif => return super::super::gif::testing::decoded(bytes),
        };
        let frames = frames.unwrap().into_iter();
        let numbers = frames.map(|frame| {
            let (numerator, denominator) = frame.delay().numer_denom_ms();
            (frame.into_buffer().into_raw(), numerator / denominator)
        });
        numbers.collect()
    }

    #[test]
    fn another_decoder_reads_every_image_of_a_lossless_format_back() {
        for format in [Format::Apng, Format::WebP] {
            let read = decoded(format, &encoded(format));
            let expected: Vec<Vec<u8>> = images().into_iter().map(|image| image.rgba).collect();
            let images: Vec<Vec<u8>> = read.iter().map(|(image, _)| image.clone()).collect();
            assert!(images == expected, "{format:?}");
            let total: u32 = read.iter().map(|(_, duration)| duration).sum();
            assert!((123..=125).contains(&total), "{format:?}: {total} ms");
        }
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
        let reel = Reel { count: 240, ..REEL };
        let total: u32 = (0..240).map(|index| reel.duration(index, 100.0)).sum();
        assert_eq!(total, 1000);
    }

    #[test]
    fn an_animation_lacking_an_image_is_an_error() {
        let mut animation = Animation::new(Format::Apng, REEL, &[]).unwrap();
        animation.add(&images()[0]).unwrap();
        assert!(animation.finish().is_err());
    }
}
