//! From the samples of a pixel to its bytes.

use glam::{Vec3, Vec4};

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

    /// The bytes (sRGB, straight alpha) of a pixel that is all of one colour: linear, premultiplied.
    #[inline]
    pub(super) fn pixel(&self, color: Vec4) -> [u8; 4] {
        self.tables.pixel(color)
    }

    /// The bytes (sRGB, straight alpha) of a pixel whose samples are `colors`: linear, premultiplied.
    pub(super) fn resolve<const N: usize>(&self, colors: &[Vec4; N]) -> [u8; 4] {
        self.tables.pixel(mean(colors))
    }
}

/// The mean, summed in pairs: that of equal values is exactly that value.
#[expect(clippy::cast_precision_loss, reason = "at most 8 samples")]
fn mean<const N: usize>(colors: &[Vec4; N]) -> Vec4 {
    if colors.iter().all(|color| *color == colors[0]) {
        return colors[0];
    }
    sum(colors) / N as f32
}

fn sum(colors: &[Vec4]) -> Vec4 {
    match colors {
        [] => Vec4::ZERO,
        [one] => *one,
        more => {
            let (a, b) = more.split_at(more.len() / 2);
            sum(a) + sum(b)
        }
    }
}
