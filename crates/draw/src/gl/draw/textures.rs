//! What shaders read from tables: all textures of an image, the sRGB transfer function, and the samples of a pixel.

use std::collections::BTreeMap;

use crate::gl::buffer::{TexelBuffer, TexelFormat};
use crate::gl::{Current, GlError};
use crate::look::{mipmap, srgb};
use crate::rig::Bitmap;
use crate::view::Samples;

/// The position of one texture's levels in the list of levels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Levels {
    pub(super) first: u32,
    /// 0 for no texture.
    pub(super) count: u32,
}

/// Collects textures.
#[derive(Debug, Default)]
pub(super) struct Collector {
    texels: Vec<[u8; 4]>,
    /// First texel, width and height of each level.
    rows: Vec<[u32; 4]>,
    /// By the number of the image, and whether it is light or numbers.
    known: BTreeMap<(usize, bool), Levels>,
}

/// Textures that shaders read.
#[derive(Debug)]
pub(super) struct Textures<'gl> {
    pub(super) texels: TexelBuffer<'gl>,
    pub(super) levels: TexelBuffer<'gl>,
}

impl Collector {
    /// The mip levels of `bitmap`, image `index`, once.
    pub(super) fn add(&mut self, index: usize, bitmap: &Bitmap) -> Levels {
        self.add_as(index, bitmap, true)
    }

    /// As [`add`](Self::add), of an image of numbers.
    pub(super) fn add_numbers(&mut self, index: usize, bitmap: &Bitmap) -> Levels {
        self.add_as(index, bitmap, false)
    }

    fn add_as(&mut self, index: usize, bitmap: &Bitmap, is_light: bool) -> Levels {
        let key = (index, is_light);
        if let Some(&levels) = self.known.get(&key) {
            return levels;
        }
        let tables = if is_light {
            srgb::tables()
        } else {
            srgb::numbers()
        };
        let first = number(self.rows.len());
        for level in mipmap::levels(bitmap, tables) {
            let [start, width, height] = [self.texels.len(), level.width, level.height].map(number);
            self.rows.push([start, width, height, 0]);
            self.texels.extend(&*level.texels);
        }
        let count = number(self.rows.len()) - first;
        let levels = Levels { first, count };
        self.known.insert(key, levels);
        levels
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn upload<'gl>(&self, gl: Current<'gl>) -> Result<Textures<'gl>, GlError> {
        let (bytes, rows) = (TexelFormat::Rgba8U, TexelFormat::Rgba32U);
        Ok(Textures {
            texels: TexelBuffer::upload(gl, &self.texels, bytes, "the texels of all images")?,
            levels: TexelBuffer::upload(gl, &self.rows, rows, "the images")?,
        })
    }
}

/// More than 2^32 texels exceed any buffer; the upload refuses them.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Linear light of every sRGB byte, and the smallest light that rounds to each byte's successor.
#[derive(Debug)]
pub(super) struct SrgbTables<'gl> {
    pub(super) decode: TexelBuffer<'gl>,
    pub(super) thresholds: TexelBuffer<'gl>,
}

impl<'gl> SrgbTables<'gl> {
    pub(super) fn upload(gl: Current<'gl>) -> Result<Self, GlError> {
        let upload = |table: Vec<f32>| {
            TexelBuffer::upload(gl, &table, TexelFormat::R32F, "the tables of sRGB")
        };
        Ok(Self {
            decode: upload((0..=255).map(|code| light(f64::from(code))).collect())?,
            thresholds: upload((0..255).map(|code| light(f64::from(code) + 0.5)).collect())?,
        })
    }
}

/// Linear light of `code` of 255.
///
/// # Reference
///
/// IEC 61966-2-1.
#[expect(clippy::cast_possible_truncation, reason = "shaders compute in f32")]
fn light(code: f64) -> f32 {
    let encoded = code / 255.0;
    let light = if encoded > 0.04045 {
        libm::pow((encoded + 0.055) / 1.055, 2.4)
    } else {
        encoded / 12.92
    };
    light as f32
}

/// Four samples per pixel, from its top left corner: the standard positions of Direct3D 11.
///
/// Each is drawn in its own pass, so that the driver's choice of positions does not affect the image.
pub(super) const STANDARD: [[f32; 2]; 4] = [
    [0.375, 0.125],
    [0.875, 0.375],
    [0.125, 0.625],
    [0.625, 0.875],
];

/// The positions of the samples.
pub(super) fn sample_offsets(samples: Samples) -> &'static [[f32; 2]] {
    match samples {
        Samples::One => &[[0.5, 0.5]],
        Samples::Four => &STANDARD,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_has_its_known_values() {
        for (code, expected) in [
            (0.0, 0.0),
            (10.0, 0.003_035_3),
            (188.0, 0.502_886_5),
            (255.0, 1.0),
        ] {
            assert!(
                (light(code) - expected).abs() < 1e-6,
                "{code}: {}",
                light(code)
            );
        }
    }
}
