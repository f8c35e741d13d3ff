//! How much two correct images may differ at a pixel.
//!
//! Both paths shade each triangle once per pixel, at the mean of the samples that show it (the centre, if all do). In a
//! sure pixel, these samples are the same for both. Rounding moves a corner by up to `shift` pixels in each path, so
//! the shaded points are at most `2 shift` pixels apart on the surface. The image itself shows how much the light
//! changes over a pixel: the range of light in the pixel and its neighbours. In between it may change twice as fast,
//! because filtered texels are no smaller than half a pixel and lines no narrower than one. So the light differs by at
//! most `4 shift range`. Normals that rounding rotates by `rotation` in each path add `2 rotation` times the largest change of
//! most `4 shift range`. Normals that rounding rotates by `rotation` in each path add `2 rotation` times the largest
//! change of light with a normal's angle. Rounding to codes adds one more.
//! A texture may repeat from pixel to pixel, so the image does not show how fast it changes in between, nor which level
//! or texel weight rounding may select. The bound from the texture itself is added where needed: see
//! [`texels`](super::texels).
//!
//! Light is compared rather than codes, because textures, shading and samples are mixed in light. Next to a bright pixel,
//! the code of a dark one changes much faster than the codes of both suggest.

use glam::Vec4;

use super::class::{Classes, Doubt, PixelClass};
use crate::frame::Frame;
use crate::look::srgb::{self, Tables};

/// How much faster light may change between pixels than from one to the next.
const ROUGHNESS: f32 = 2.0;

/// The largest change of light with a normal's angle, for white: the derivatives of the key lamp (0.84 / 1.2), of the
/// fill lamp (0.19 / 1.5), of sky and ground (0.11), of the shine (8 · 2 · 0.045) and of the rim (3 · 0.26).
const LIGHT_PER_RADIAN: f32 = 2.5;

/// The largest allowed differences in a channel, in codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Allowance {
    /// Towards a lower code.
    pub(super) down: u8,
    /// Towards a higher code.
    pub(super) up: u8,
}

impl Allowance {
    const NONE: Self = Self { down: 0, up: 0 };
    const ANY: Self = Self {
        down: u8::MAX,
        up: u8::MAX,
    };
}

/// Computes the allowance of each pixel of one image.
#[derive(Debug)]
pub(super) struct Allowances<'a> {
    expected: &'a Frame,
    classes: &'a Classes,
    tables: &'static Tables,
}

impl<'a> Allowances<'a> {
    pub(super) fn new(expected: &'a Frame, classes: &'a Classes) -> Self {
        Self {
            expected,
            classes,
            tables: srgb::tables(),
        }
    }

    /// The allowance of each channel of a pixel.
    ///
    /// * `apart` – the difference that textures allow, in light and alpha.
    pub(super) fn at(&self, x: usize, y: usize, apart: Vec4) -> [Allowance; 4] {
        let pixel = &self.classes.pixels[y * self.classes.width + x];
        match pixel.class {
            PixelClass::Empty => [Allowance::NONE; 4],
            PixelClass::Open => [Allowance::ANY; 4],
            PixelClass::Whole | PixelClass::Mixed => self.around(x, y, pixel.doubt, apart),
        }
    }

    fn around(&self, x: usize, y: usize, doubt: Doubt, apart: Vec4) -> [Allowance; 4] {
        // A fraction of the range: each path shifts by `shift`, and light may change twice as fast between pixels.
        let part = ROUGHNESS * 2.0 * doubt.shift;
        let rotated = LIGHT_PER_RADIAN * 2.0 * doubt.rotation;
        let ([least, most], own) = (self.range(x, y), self.pixel(x, y));
        std::array::from_fn(|c| {
            let light = |code: u8| self.light(code, c);
            let (at, by) = (
                light(own[c]),
                apart[c] + rotated + part * (light(most[c]) - light(least[c])),
            );
            // The bound is in light. It is converted back to codes, plus one code for the rounding of both paths.
            let (low, high) = (self.code(at - by, c), self.code(at + by, c));
            Allowance {
                down: own[c].saturating_sub(low).saturating_add(1),
                up: high.saturating_sub(own[c]).saturating_add(1),
            }
        })
    }

    /// The smallest and the largest code of each channel in the pixel and its neighbours.
    fn range(&self, x: usize, y: usize) -> [[u8; 4]; 2] {
        let width = self.classes.width;
        let height = self.classes.pixels.len() / width;
        let [mut least, mut most] = [[u8::MAX; 4], [0; 4]];
        // Shaded points move by fractions of a pixel, so they stay within these nine.
        for row in y.saturating_sub(1)..(y + 2).min(height) {
            for column in x.saturating_sub(1)..(x + 2).min(width) {
                for (channel, code) in self.pixel(column, row).iter().enumerate() {
                    least[channel] = least[channel].min(*code);
                    most[channel] = most[channel].max(*code);
                }
            }
        }
        [least, most]
    }

    fn pixel(&self, x: usize, y: usize) -> &[u8] {
        let index = 4 * (y * self.classes.width + x);
        &self.expected.rgba[index..index + 4]
    }

    /// The channel as linear light; alpha is linear already.
    fn light(&self, code: u8, channel: usize) -> f32 {
        match channel {
            3 => self.tables.alpha(code),
            _ => self.tables.decode(code),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the conversion saturates"
    )]
    fn code(&self, light: f32, channel: usize) -> u8 {
        match channel {
            3 => (light * 255.0).round() as u8,
            _ => self.tables.encode(light),
        }
    }
}
