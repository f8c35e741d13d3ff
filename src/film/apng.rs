//! Animated PNG (PNG specification, third edition, §11.3.6).

use ::png::{BitDepth, ColorType, Compression, Encoder, Filter, SrgbRenderingIntent, Writer};

use super::error::FilmError;
use super::reel::Reel;
use crate::frame::Frame;

/// Parts of a second: fine enough for any frame rate.
const PER_SECOND: u16 = 1000;

pub(super) struct Apng {
    writer: Writer<Shared>,
    out: Shared,
    reel: Reel,
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
    pub(super) fn new(reel: Reel) -> Result<Self, FilmError> {
        let out = Shared::default();
        let mut encoder = Encoder::new(out.clone(), reel.width, reel.height);
        encoder.set_color(ColorType::Rgba);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        encoder.set_filter(Filter::Adaptive);
        encoder.set_source_srgb(SrgbRenderingIntent::Perceptual);
        encoder.set_animated(reel.count, reel.plays.into())?;
        encoder.validate_sequence(true);
        Ok(Self {
            writer: encoder.write_header()?,
            out,
            reel,
            index: 0,
        })
    }

    pub(super) fn add(&mut self, frame: &Frame) -> Result<(), FilmError> {
        let duration = self.reel.duration(self.index, PER_SECOND.into());
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
