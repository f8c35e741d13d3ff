//! A texture with its mip levels, and a bound on how far two readings of it may differ.

use glam::{DVec2, Vec4};

use crate::look::srgb;
use crate::rig::{Bitmap, TextureWrap};

/// One level of a texture: linear light and alpha, all in 0..1.
#[derive(Debug)]
struct Level {
    width: usize,
    height: usize,
    texels: Vec<Vec4>,
}

/// All levels of a texture, largest first; never empty.
#[derive(Debug)]
pub(super) struct Levels {
    levels: Vec<Level>,
    wrap: [TextureWrap; 2],
}

impl Levels {
    /// `None` for a bitmap without texels.
    ///
    /// * `wrap` – along u and v.
    pub(super) fn new(bitmap: &Bitmap, wrap: [TextureWrap; 2]) -> Option<Self> {
        let tables = srgb::tables();
        let texel = |[r, g, b, a]: &[u8; 4]| {
            let [r, g, b] = [*r, *g, *b].map(|code| tables.decode(code));
            Vec4::new(r, g, b, tables.alpha(*a))
        };
        let whole = Level {
            width: bitmap.width as usize,
            height: bitmap.height as usize,
            texels: bitmap.rgba.as_chunks().0.iter().map(texel).collect(),
        };
        if whole.texels.is_empty() || whole.texels.len() != whole.width * whole.height {
            return None;
        }
        let mut levels = vec![whole];
        while let Some(next) = levels.last().and_then(Level::halved) {
            levels.push(next);
        }
        Some(Self { levels, wrap })
    }

    /// The size of the largest level, in texels.
    pub(super) fn size(&self) -> DVec2 {
        let base = &self.levels[0];
        DVec2::new(count(base.width), count(base.height))
    }

    /// How far apart two readings may be in each channel, including rounding.
    ///
    /// Trilinear filtering is a convex combination of two levels, so an error of position changes the result by no more than
    /// it changes either level. Between two levels the result is linear, so an error `d` of the level adds at most `d` times
    /// the largest difference between neighbouring levels.
    pub(super) fn apart(&self, reading: &Reading) -> Vec4 {
        let last = count(self.levels.len() - 1);
        // The levels that a path may select: from the smallest to the largest footprint, with the rounding of log2.
        let level = |texels: f64| libm::log2(texels.max(1.0));
        let least = (level(reading.footprint[0]) - LEVEL_ROUNDING).clamp(0.0, last);
        let most = (level(reading.footprint[1]) + LEVEL_ROUNDING).clamp(0.0, last);
        if least.is_nan() || most.is_nan() {
            return Vec4::ONE;
        }
        let levels = &self.levels[index(least.floor())..=index(most.ceil())];
        let moved = |level: &Level| level.apart(reading.uv, reading.off, self.wrap);
        let by_position = levels.iter().map(moved).fold(Vec4::ZERO, Vec4::max);
        let copy = |level: &Level| level.bilinear(reading.uv, self.wrap);
        let step = |pair: &[Level]| (copy(&pair[1]) - copy(&pair[0])).abs();
        let by_level = levels.windows(2).map(step).fold(Vec4::ZERO, Vec4::max) + 2.0 * by_position;
        // The paths round the texels of smaller levels to bytes and this module does not: one code either way.
        let by_byte = if most > 0.0 {
            self.code(reading.uv)
        } else {
            Vec4::ZERO
        };
        by_position + by_level * single(most - least) + by_byte
    }

    /// The size of one code in light, for the brightness of the texture at `uv`.
    fn code(&self, uv: DVec2) -> Vec4 {
        /// The slope of the sRGB transfer function is at most 2.4 times light over code, plus its slope at 0.
        const STEEPEST: f32 = 2.4;
        const AT_ZERO: f32 = 1.0 / 12.92;
        let bright = self
            .levels
            .iter()
            .map(|level| level.bilinear(uv, self.wrap));
        let light = bright.fold(Vec4::ZERO, Vec4::max);
        ((light * STEEPEST).max(Vec4::splat(AT_ZERO)) / 255.0).min(Vec4::ONE)
    }

    /// The alpha by trilinear filtering.
    ///
    /// * `footprint` – the extent of texture coordinates over a pixel, along each axis.
    pub(super) fn alpha_at(&self, uv: DVec2, footprint: DVec2) -> f64 {
        let texels = (footprint * self.size()).max_element().max(1.0);
        let detail = libm::log2(texels).min(count(self.levels.len() - 1));
        let (sharp, rest) = split(detail);
        let sharp = usize::try_from(sharp).unwrap_or_default();
        let alpha = |level: &Level| f64::from(level.bilinear(uv, self.wrap).w);
        let near = alpha(&self.levels[sharp]);
        match self.levels.get(sharp + 1) {
            Some(next) => near + (alpha(next) - near) * rest,
            None => near,
        }
    }
}

/// How two paths may read a texture at a pixel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    /// Texture coordinates.
    pub(super) uv: DVec2,
    /// How far apart the coordinates of the two paths may be, along each axis.
    pub(super) off: DVec2,
    /// The smallest and the largest extent of a pixel that they may compute, in texels of the largest level.
    pub(super) footprint: [f64; 2],
}

/// How far a path may be from the exact level. OpenGL 3.3 does not bound `log2`. Mesa's polynomial of degree 4 is within
/// 2^-13 of it, and half of that enters here. Other drivers are far more exact.
const LEVEL_ROUNDING: f64 = 1.0 / 4096.0;

/// Roundings of a texture coordinate on its way to texels: of the product, of the subtracted half, of the fraction, and of
/// each of the three products that mix texels.
const POSITION_ROUNDING: f64 = 6.0 * f32::EPSILON as f64;

impl Level {
    /// The next smaller level: half the size, rounded down. Each texel is the mean over its area.
    fn halved(&self) -> Option<Self> {
        if self.width == 1 && self.height == 1 {
            return None;
        }
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let (columns, rows) = (shares(self.width, width), shares(self.height, height));
        let columns = &columns;
        let texels = rows
            .iter()
            .flat_map(|row| columns.iter().map(move |column| (column, row)))
            .map(|(column, row)| self.mean(column, row))
            .collect();
        Some(Self {
            width,
            height,
            texels,
        })
    }

    fn mean(&self, columns: &[Share], rows: &[Share]) -> Vec4 {
        let read = |x: usize, y: usize| self.texels[y * self.width + x];
        let of_row = |y: usize| -> Vec4 { columns.iter().map(|c| read(c.texel, y) * c.part).sum() };
        rows.iter().map(|row| of_row(row.texel) * row.part).sum()
    }

    fn bilinear(&self, uv: DVec2, wrap: [TextureWrap; 2]) -> Vec4 {
        let (x, along_x) = split(uv.x * count(self.width) - 0.5);
        let (y, along_y) = split(uv.y * count(self.height) - 0.5);
        let mix = |a: Vec4, b: Vec4, t: f64| a + (b - a) * single(t);
        let row = |y| mix(self.texel(x, y, wrap), self.texel(x + 1, y, wrap), along_x);
        mix(row(y), row(y + 1), along_y)
    }

    /// The texel at a position inside or outside the texture, by its wrapping.
    fn texel(&self, x: i64, y: i64, wrap: [TextureWrap; 2]) -> Vec4 {
        let column = wrapped(x, self.width, wrap[0]);
        self.texels[wrapped(y, self.height, wrap[1]) * self.width + column]
    }

    /// How far apart two bilinear readings may be if their coordinates are `off` apart.
    ///
    /// Between texel centres the reading is linear along each axis. So it changes by at most the steepest step between
    /// neighbouring texels that a path may read.
    fn apart(&self, uv: DVec2, off: DVec2, wrap: [TextureWrap; 2]) -> Vec4 {
        /// If the error spans this many texels, the reading is unknown.
        const FAR: f64 = 4.0;
        let size = DVec2::new(count(self.width), count(self.height));
        // In texels, from the centre of the first.
        let at = uv * size - 0.5;
        let off = off * size + (at.abs() + 1.0) * POSITION_ROUNDING;
        if !(off.max_element() <= FAR && at.is_finite()) {
            return Vec4::ONE;
        }
        let reach = |at: f64, off: f64| split(at - off).0..=split(at + off).0 + 1;
        let (columns, rows) = (reach(at.x, off.x), reach(at.y, off.y));
        let (mut steepest, (mut least, mut most)) = ([Vec4::ZERO; 2], (Vec4::ONE, Vec4::ZERO));
        for y in rows {
            for x in columns.clone() {
                let texel = self.texel(x, y, wrap);
                // The slopes of a bilinear patch are bounded by the steps along its edges.
                let step = |dx, dy| (self.texel(x + dx, y + dy, wrap) - texel).abs();
                steepest = [steepest[0].max(step(1, 0)), steepest[1].max(step(0, 1))];
                (least, most) = (least.min(texel), most.max(texel));
            }
        }
        let moved = steepest[0] * single(off.x) + steepest[1] * single(off.y);
        // However far the position moves, a reading stays between the extreme texels.
        moved.min(most - least)
    }
}

/// The weight of a texel in a smaller one, along an axis.
#[derive(Debug, Clone, Copy)]
struct Share {
    texel: usize,
    part: f32,
}

/// For each of `smaller` texels, the weights of the `size` larger ones that it covers.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "sizes are far below 2^24"
)]
fn shares(size: usize, smaller: usize) -> Vec<Vec<Share>> {
    let covered = |index: usize, texel: usize| {
        // In units of `1 / smaller` of a larger texel.
        let (start, end) = (index * size, (index + 1) * size);
        let (from, to) = (start.max(texel * smaller), end.min((texel + 1) * smaller));
        (to - from) as f64 / size as f64
    };
    let of = |index: usize| {
        let texels = index * size / smaller..((index + 1) * size).div_ceil(smaller);
        let share = |texel| Share {
            texel,
            part: covered(index, texel) as f32,
        };
        texels.map(share).collect()
    };
    (0..smaller).map(of).collect()
}

/// The integer part of `position`, and its fraction.
#[expect(clippy::cast_possible_truncation, reason = "kept in range first")]
fn split(position: f64) -> (i64, f64) {
    /// Beyond this, f32 cannot represent fractions of texels.
    const FAR: f64 = 1e9;
    let whole = position.clamp(-FAR, FAR).floor();
    (whole as i64, position - whole)
}

/// The texel of `0..size` at `position`.
fn wrapped(position: i64, size: usize, wrap: TextureWrap) -> usize {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    let inside = match wrap {
        TextureWrap::Repeat => position.rem_euclid(size),
        TextureWrap::Clamp => position.clamp(0, size - 1),
        TextureWrap::Mirror => {
            let twice = position.rem_euclid(2 * size);
            twice.min(2 * size - 1 - twice)
        }
    };
    usize::try_from(inside).unwrap_or_default()
}

/// The number of a level.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "levels are few, and none is negative"
)]
fn index(level: f64) -> usize {
    level as usize
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "parts of texels and bounds"
)]
fn single(value: f64) -> f32 {
    value as f32
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
fn count(size: usize) -> f64 {
    size as f64
}

#[cfg(test)]
#[expect(
    clippy::float_cmp,
    clippy::cast_precision_loss,
    reason = "small numbers and powers of two are exact"
)]
mod tests {
    use super::*;

    fn levels(width: u32, alphas: &[u8]) -> Levels {
        let bitmap = Bitmap {
            width,
            height: u32::try_from(alphas.len()).unwrap() / width,
            rgba: alphas.iter().flat_map(|alpha| [0, 0, 0, *alpha]).collect(),
        };
        Levels::new(&bitmap, [TextureWrap::Repeat, TextureWrap::Clamp]).unwrap()
    }

    #[test]
    fn every_texel_counts_alike_in_the_smaller_copies() {
        for size in 1..20 {
            for column in 0..size {
                let alphas: Vec<u8> = (0..size)
                    .map(|x| if x == column { 255 } else { 0 })
                    .collect();
                let levels = levels(size, &alphas);
                for level in levels.levels {
                    let mean =
                        level.texels.iter().map(|texel| texel.w).sum::<f32>() / level.width as f32;
                    assert!(
                        (mean - 1.0 / size as f32).abs() < 1e-6,
                        "{size} {column}: {mean}"
                    );
                }
            }
        }
    }

    #[test]
    fn texels_outside_are_repeated_held_or_mirrored() {
        let row = |wrap| (-4..8).map(|x| wrapped(x, 3, wrap)).collect::<Vec<_>>();
        assert_eq!(
            row(TextureWrap::Repeat),
            [2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]
        );
        assert_eq!(
            row(TextureWrap::Clamp),
            [0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2]
        );
        assert_eq!(
            row(TextureWrap::Mirror),
            [2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1]
        );
    }

    #[test]
    fn near_texels_are_mixed_and_far_ones_averaged() {
        let levels = levels(4, &[255, 0, 255, 0]);
        let at = |u, footprint| levels.alpha_at(DVec2::new(u, 0.5), DVec2::splat(footprint));
        assert_eq!(
            [at(0.125, 0.1), at(0.25, 0.1), at(0.375, 0.1)],
            [1.0, 0.5, 0.0]
        );
        assert_eq!([at(0.125, 1.0), at(0.4, 0.5)], [0.5, 0.5]);
        assert_eq!([at(1.125, 0.1), at(0.0, 0.1)], [1.0, 0.5]);
        assert!(at(f64::NAN, 0.1).is_nan());
    }
}
