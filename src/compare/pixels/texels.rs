//! A bound on how far two correct paths may differ where they read a texture.
//!
//! Both paths read it in f32, at the mean of the samples that show the triangle, filtered bilinearly in two copies.
//! They may differ as follows:
//!
//! - A corner is up to `shift` pixels off in each path, so the positions are `2 shift` pixels apart, and the coordinates
//!   that times their slopes.
//! - The weights of the corners are quotients of areas. A path that computes them in f32 rounds each product of an area, so
//!   a weight is off by [`ROUNDING`] times those products over the triangle's area: much for slivers, almost nothing for
//!   others.
//! - Coordinates are sums of the corners' coordinates times weights; positions in texels round once more ([`Levels`]).
//! - The size of a pixel follows from differences of such weights, with the same roundings. It changes with the position
//!   by the perspective.
//!
//! Neither path uses OpenGL's own filtering, whose precision depends on the driver: both fetch texels and mix them in f32.
//!
//! Both paths shade each triangle once per pixel, at the mean of the samples that show it (the centre, if all do). In a
//! sure pixel, these samples are the same for both. Rounding moves a corner by up to `shift` pixels in each path, so
//! the shaded points are at most `2 shift` pixels apart on the surface. The image itself shows how much the light
//! changes over a pixel: the range of light in the pixel and its neighbours. In between it may change twice as fast,
//! because filtered texels are no smaller than half a pixel and lines no narrower than one. So the light differs by at
//! most `4 shift range`. Normals that rounding rotates by `rotation` in each path add `2 rotation` times the largest
//! change of light with a normal's angle. Rounding to codes adds one more.
//! A texture may repeat from pixel to pixel, so the image does not show how fast it changes in between, nor which level
//! or texel weight rounding may select. The bound from the texture itself is added where needed: see
//! [`texels`](super::texels).
//!
//! Light is compared rather than codes, because textures, shading and samples are mixed in light. Next to a bright pixel,
//! the code of a dark one changes much faster than the codes of both suggest.

use std::borrow::Cow;
use std::sync::OnceLock;

use glam::{DVec2, DVec3, Vec2, Vec3, Vec4};

use super::class::{Classes, Doubt, PixelClass};
use super::levels::{Levels, Reading};
use super::triangle::OnScreen;
use crate::frame::Frame;
use crate::look::bitmaps;
use crate::look::srgb::{self, Tables};
use crate::rig::{Asset, Bitmap, Mesh, TextureWrap};
use crate::view::{Appearance, ColorSource};

/// Roundings of an area: of the two positions, the two products and their difference, each in two paths.
const ROUNDING: f64 = 8.0 * f32::EPSILON as f64;

/// The largest change of light with the colour of the surface: the key light (0.64), the fill light (0.15), the sky (0.22)
/// and the rim (0.7 · 0.34).
const LIGHT_PER_ALBEDO: f32 = 1.25;

/// A texture on one mesh.
#[derive(Debug)]
pub(super) struct Texels<'a> {
    mesh: &'a Mesh,
    bitmap: &'a Bitmap,
    wrap: [TextureWrap; 2],
    uvs: Cow<'a, [Vec2]>,
    /// The factor of a change of the texture, without the vertices' colours.
    gain: Vec4,
    /// Built on first use; never if the images agree.
    levels: OnceLock<Option<Levels>>,
}

impl<'a> Texels<'a> {
    /// `None` if the image shows no texture.
    ///
    pub(super) fn new(
        asset: &'a Asset,
        mesh: &'a Mesh,
        look: &Appearance,
        source: ColorSource,
    ) -> Option<Self> {
        mesh.uv_sets.first()?;
        let (bitmap, wrap, base) = if matches!(source, ColorSource::Checker) {
            let wrap = [TextureWrap::Repeat; 2];
            (bitmaps::checker(), wrap, Vec4::ONE)
        } else {
            let texture = look.texture?;
            let bitmap = bitmaps::drawn(asset.images.get(texture.image.index())?)?;
            let wrap = [texture.wrap_u, texture.wrap_v];
            (bitmap, wrap, look.base_color)
        };
        // If lit, a texel is multiplied by the brightest light that may fall on it.
        let light = match source {
            ColorSource::Material { lit: true } => LIGHT_PER_ALBEDO,
            _ => 1.0,
        };
        Some(Self {
            mesh,
            bitmap,
            wrap,
            uvs: look.uvs(mesh),
            gain: (base.truncate() * light).extend(base.w).abs(),
            levels: OnceLock::new(),
        })
    }

    /// How far apart two paths may be at a position, in light and alpha.
    ///
    /// * `triangle` – its vertices, which are on the screen at `corners`.
    /// * `shift` – the largest distance of a corner from its exact position, in pixels.
    pub(super) fn apart(
        &self,
        triangle: [u32; 3],
        corners: &[OnScreen; 3],
        position: DVec2,
        shift: f64,
    ) -> Vec4 {
        let levels = self
            .levels
            .get_or_init(|| Levels::new(self.bitmap, self.wrap));
        let Some(levels) = levels else {
            return Vec4::ZERO;
        };
        let [a, b, c] = triangle.map(|vertex| self.uvs.get(vertex as usize));
        let (Some(a), Some(b), Some(c)) = (a, b, c) else {
            return Vec4::ONE;
        };
        let uvs = [a, b, c].map(|uv| uv.as_dvec2());
        let reading = reading(corners, uvs, position, shift, levels.size());
        let apart = reading.map_or(Vec4::ONE, |reading| levels.apart(&reading));
        let light = (apart * self.gain * self.brightest(triangle)).min(Vec4::ONE);
        // Blended with the background, colour counts times alpha.
        (light.truncate() + Vec3::splat(light.w)).extend(light.w)
    }

    /// The largest colour of the vertices.
    fn brightest(&self, triangle: [u32; 3]) -> Vec4 {
        let Some(colors) = self.mesh.color_sets.first() else {
            return Vec4::ONE;
        };
        let color = |vertex: u32| colors.get(vertex as usize).map_or(Vec4::ONE, |c| c.abs());
        triangle.map(color).into_iter().fold(Vec4::ZERO, Vec4::max)
    }
}

/// `None` if the weights cannot be computed.
///
/// # Reference
///
/// The weights are those of M. Olano and T. Greer, "Triangle Scan Conversion using 2D Homogeneous Coordinates" (1997), and
/// their products are the ones that round.
fn reading(
    corners: &[OnScreen; 3],
    uvs: [DVec2; 3],
    position: DVec2,
    shift: f64,
    size: DVec2,
) -> Option<Reading> {
    // Corners in homogeneous coordinates, with the position as origin. The cross product of two is the edge function there,
    // and a corner's weight is that of the opposite edge over the sum.
    let seen = corners.map(|corner| ((corner.at - position) * corner.w).extend(corner.w));
    let pairs = [(1, 2), (2, 0), (0, 1)].map(|(k, l)| (seen[k], seen[l]));
    let areas = pairs.map(|(a, b)| a.truncate().perp_dot(b.truncate()));
    let products = |(a, b): (DVec3, DVec3)| (a.x * b.y).abs() + (a.y * b.x).abs();
    let total: f64 = areas.iter().sum();
    let largest = pairs.map(products).into_iter().fold(0.0, f64::max);
    let off_weight = ROUNDING * largest / total.abs();
    let weights = areas.map(|area| area / total);

    // The change of the weights by a pixel to the right and one down, and the products that round in it.
    let right = pairs.map(|(a, b)| (a.y * b.z - a.z * b.y) / total);
    let down = pairs.map(|(a, b)| (a.z * b.x - a.x * b.z) / total);
    let of_slope = |(a, b): (DVec3, DVec3)| {
        let along = |a: f64, b: f64, az: f64, bz: f64| (a * bz).abs() + (az * b).abs();
        along(a.x, b.x, a.z, b.z).max(along(a.y, b.y, a.z, b.z)) / total.abs()
    };
    let off_slope = ROUNDING * pairs.map(of_slope).into_iter().fold(0.0, f64::max);
    let (sum_right, sum_down): (f64, f64) = (right.iter().sum(), down.iter().sum());
    let sum = |weights: [f64; 3]| -> DVec2 { (0..3).map(|k| uvs[k] * weights[k]).sum() };
    let uv = sum(weights);
    let (uv_right, uv_down) = (sum(right) - uv * sum_right, sum(down) - uv * sum_down);

    let reach: DVec2 = uvs.iter().map(|uv| uv.abs()).sum();
    let slopes = uv_right.abs() + uv_down.abs();
    // The positions are `2 shift` apart, and the weights round in each.
    let off = slopes * 2.0 * shift + reach * (off_weight + ROUNDING);
    let texels = (uv_right * size).length().max((uv_down * size).length());
    // The slopes are divided by w², which changes by this fraction between the positions.
    let perspective = 4.0 * shift * (sum_right.abs() + sum_down.abs());
    let off_slope = 4.0 * (off_slope + off_weight * (sum_right.abs() + sum_down.abs()));
    let off_texels = texels * (perspective + ROUNDING) + (reach * size).length() * off_slope;
    let reading = Reading {
        uv,
        off,
        footprint: [texels - off_texels, texels + off_texels],
    };
    let known = uv.is_finite() && off.is_finite() && off_texels.is_finite();
    known.then_some(reading)
}

/// How much faster light may change between pixels than from one to the next.
const ROUGHNESS: f32 = 2.0;

/// The largest change of light with a normal's angle, for white: the derivatives of the key light (0.84 / 1.2), of the
/// fill light (0.19 / 1.5), of sky and ground (0.11), of the shine (8 · 2 · 0.045) and of the rim (3 · 0.26).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_differ_by_what_they_change_over_the_shifts_of_two_paths() {
        let corner = |x, y| OnScreen {
            at: DVec2::new(x, y),
            radius: 0.25,
            depth: 0.5,
            depth_error: 0.0,
            w: 1.0,
            is_behind: false,
        };
        // An eighth of the texture per pixel.
        let corners = [corner(0.0, 0.0), corner(8.0, 0.0), corner(0.0, 8.0)];
        let uvs = [DVec2::ZERO, DVec2::X, DVec2::Y];
        let reading = reading(&corners, uvs, DVec2::splat(2.0), 0.25, DVec2::splat(64.0));
        let off = reading.expect("the triangle has an area").off;
        assert!(
            off.abs_diff_eq(DVec2::splat(0.25 * 2.0 / 8.0), 1e-4),
            "{off}"
        );
    }
}
