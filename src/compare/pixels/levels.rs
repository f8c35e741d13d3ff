//! The alpha of a texture and its mipmaps.

use glam::DVec2;

use crate::rig::{Bitmap, TextureRef, TextureWrap};

/// Alpha in 0..1, one size of a texture.
#[derive(Debug)]
struct Level {
    width: usize,
    height: usize,
    alpha: Vec<f32>,
}

/// All sizes of a texture, largest first; never empty.
#[derive(Debug)]
pub(super) struct Levels {
    levels: Vec<Level>,
    wrap: [TextureWrap; 2],
}

impl Levels {
    /// `None` for a bitmap without texels.
    pub(super) fn new(bitmap: &Bitmap, texture: &TextureRef) -> Option<Self> {
        let whole = Level {
            width: bitmap.width as usize,
            height: bitmap.height as usize,
            alpha: bitmap
                .rgba
                .chunks_exact(4)
                .map(|texel| f32::from(texel[3]) / 255.0)
                .collect(),
        };
        if whole.alpha.is_empty() || whole.alpha.len() != whole.width * whole.height {
            return None;
        }
        let mut levels = vec![whole];
        while let Some(next) = levels.last().and_then(Level::halved) {
            levels.push(next);
        }
        let wrap = [texture.wrap_u, texture.wrap_v];
        Some(Self { levels, wrap })
    }

    /// Filtered in the two nearest levels, and between them.
    ///
    /// * `footprint` – the extent of texture coordinates over a pixel, along each axis.
    pub(super) fn at(&self, uv: DVec2, footprint: DVec2) -> f64 {
        let base = &self.levels[0];
        let size = DVec2::new(count(base.width), count(base.height));
        let texels = (footprint * size).max_element().max(1.0);
        let detail = libm::log2(texels).min(count(self.levels.len() - 1));
        let (sharp, rest) = split(detail);
        let sharp = usize::try_from(sharp).unwrap_or_default();
        let near = self.levels[sharp].bilinear(uv, self.wrap);
        match self.levels.get(sharp + 1) {
            Some(next) => near + (next.bilinear(uv, self.wrap) - near) * rest,
            None => near,
        }
    }
}

impl Level {
    /// Half as large, rounded down; each texel is the mean over its share of the area.
    fn halved(&self) -> Option<Self> {
        if self.width == 1 && self.height == 1 {
            return None;
        }
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let (columns, rows) = (shares(self.width, width), shares(self.height, height));
        let columns = &columns;
        let texels = rows
            .iter()
            .flat_map(|row| columns.iter().map(move |column| (column, row)));
        let alpha = texels.map(|(column, row)| self.mean(column, row)).collect();
        Some(Self {
            width,
            height,
            alpha,
        })
    }

    fn mean(&self, columns: &[Share], rows: &[Share]) -> f32 {
        let read = |x: usize, y: usize| self.alpha[y * self.width + x];
        let of_row = |y: usize| {
            columns
                .iter()
                .map(|c| read(c.texel, y) * c.part)
                .sum::<f32>()
        };
        rows.iter().map(|row| of_row(row.texel) * row.part).sum()
    }

    fn bilinear(&self, uv: DVec2, wrap: [TextureWrap; 2]) -> f64 {
        let (x, along_x) = split(uv.x * count(self.width) - 0.5);
        let (y, along_y) = split(uv.y * count(self.height) - 0.5);
        let read = |dx: i64, dy: i64| {
            let column = wrapped(x + dx, self.width, wrap[0]);
            let row = wrapped(y + dy, self.height, wrap[1]);
            f64::from(self.alpha[row * self.width + column])
        };
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        let top = mix(read(0, 0), read(1, 0), along_x);
        mix(top, mix(read(0, 1), read(1, 1), along_x), along_y)
    }
}

/// A texel's share in a smaller one, along an axis.
#[derive(Debug, Clone, Copy)]
struct Share {
    texel: usize,
    part: f32,
}

/// For each of `smaller` texels the shares of the `size` larger ones that it covers.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "sizes are far below 2^24"
)]
fn shares(size: usize, smaller: usize) -> Vec<Vec<Share>> {
    let covered = |index: usize, texel: usize| {
        // In parts of `1 / smaller` of a larger texel.
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

/// The integer part of `place`, and its fraction.
#[expect(clippy::cast_possible_truncation, reason = "kept in range first")]
fn split(place: f64) -> (i64, f64) {
    /// Beyond that, f32 has no fractions of texels.
    const FAR: f64 = 1e9;
    let whole = place.clamp(-FAR, FAR).floor();
    (whole as i64, place - whole)
}

/// The texel of `0..size` at `place`.
fn wrapped(place: i64, size: usize, wrap: TextureWrap) -> usize {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    let inside = match wrap {
        TextureWrap::Repeat => place.rem_euclid(size),
        TextureWrap::Clamp => place.clamp(0, size - 1),
        TextureWrap::Mirror => {
            let twice = place.rem_euclid(2 * size);
            twice.min(2 * size - 1 - twice)
        }
    };
    usize::try_from(inside).unwrap_or_default()
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
    use crate::rig::ImageId;

    fn levels(width: u32, alphas: &[u8]) -> Levels {
        let bitmap = Bitmap {
            width,
            height: u32::try_from(alphas.len()).unwrap() / width,
            rgba: alphas.iter().flat_map(|alpha| [0, 0, 0, *alpha]).collect(),
        };
        let texture = TextureRef {
            image: ImageId(0),
            uv_set: 0,
            wrap_u: TextureWrap::Repeat,
            wrap_v: TextureWrap::Clamp,
        };
        Levels::new(&bitmap, &texture).unwrap()
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
                    let mean = level.alpha.iter().sum::<f32>() / level.width as f32;
                    assert!(
                        (mean - 1.0 / size as f32).abs() < 1e-6,
                        "{size} {column}: {mean}"
                    );
                }
            }
        }
    }

    #[test]
    fn near_texels_are_mixed_and_far_ones_averaged() {
        let levels = levels(4, &[255, 0, 255, 0]);
        let at = |u, footprint| levels.at(DVec2::new(u, 0.5), DVec2::splat(footprint));
        assert_eq!(
            [at(0.125, 0.1), at(0.25, 0.1), at(0.375, 0.1)],
            [1.0, 0.5, 0.0]
        );
        assert_eq!([at(0.125, 1.0), at(0.4, 0.5)], [0.5, 0.5]);
        assert_eq!([at(1.125, 0.1), at(0.0, 0.1)], [1.0, 0.5]);
        assert!(at(f64::NAN, 0.1).is_nan());
    }
}
