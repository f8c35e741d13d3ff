//! From the samples of a pixel to its bytes.

use glam::{Vec3, Vec4};

use super::batch::{Channels, WIDTH};
use super::kernel::Kernel;
use crate::look::srgb::{self, Tables};
use crate::view::Background;

/// Averages samples in linear light and writes sRGB.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resolver {
    tables: &'static Tables,
    background: Vec4,
    empty: [u8; 4],
}

impl Resolver {
    /// * `background` – what is behind everything.
    pub(super) fn new(background: Background) -> Self {
        let tables = srgb::tables();
        let (background, empty) = match background {
            Background::Color([r, g, b]) => {
                let light = [r, g, b].map(|channel| tables.decode(channel));
                (Vec3::from(light).extend(1.0), [r, g, b, 255])
            }
            Background::Transparent => (Vec4::ZERO, [0; 4]),
        };
        Self {
            tables,
            background,
            empty,
        }
    }

    /// The background: linear, premultiplied.
    pub(super) fn background(&self) -> Vec4 {
        self.background
    }

    /// Makes all of `rgba` background.
    pub(super) fn fill(&self, rgba: &mut [u8]) {
        for pixel in rgba.chunks_exact_mut(4) {
            pixel.copy_from_slice(&self.empty);
        }
    }

    /// The bytes (sRGB) of pixels that show one opaque colour each: linear.
    pub(super) fn pixels(&self, kernel: Kernel, colors: &Channels) -> [[u8; 4]; WIDTH] {
        #[cfg(target_arch = "x86_64")]
        if kernel == Kernel::Avx2 {
            return super::shade_avx2::bytes(self.tables, colors);
        }
        let _ = kernel;
        let [red, green, blue] = colors;
        // The mean of equal samples is their colour.
        let pixel = |k: usize| self.tables.pixel(Vec4::new(red[k], green[k], blue[k], 1.0));
        std::array::from_fn(pixel)
    }

    /// As [`resolve`](Self::resolve), of up to [`WIDTH`] pixels.
    pub(super) fn resolve_all<const N: usize>(
        &self,
        kernel: Kernel,
        pixels: &[[Vec4; N]],
    ) -> [[u8; 4]; WIDTH] {
        // Over an opaque background every mean has alpha 1, so three channels suffice.
        let is_opaque = self.empty[3] == u8::MAX;
        if !is_opaque {
            let mut bytes = [[0; 4]; WIDTH];
            for (bytes, colors) in bytes.iter_mut().zip(pixels) {
                *bytes = self.resolve(colors);
            }
            return bytes;
        }
        let mut channels = Channels::default();
        for (k, colors) in pixels.iter().enumerate().take(WIDTH) {
            let [red, green, blue, _] = mean(colors).to_array();
            (channels[0][k], channels[1][k], channels[2][k]) = (red, green, blue);
        }
        self.pixels(kernel, &channels)
    }

    /// The bytes (sRGB, straight alpha) of a pixel whose samples are `colors`: linear, premultiplied.
    pub(super) fn resolve<const N: usize>(&self, colors: &[Vec4; N]) -> [u8; 4] {
        self.tables.pixel(mean(colors))
    }
}

/// The mean, summed in pairs, so that the mean of equal values is exactly that value.
fn mean<const N: usize>(colors: &[Vec4; N]) -> Vec4 {
    match colors.as_slice() {
        [a, b, c, d] => ((*a + *b) + (*c + *d)) / 4.0,
        _ => colors[0],
    }
}
