//! The mipmaps of a texture.

use crate::look::srgb::{tables, unorm};

/// One mip level of a texture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) width: usize,
    pub(super) height: usize,
    /// sRGB with straight alpha, row by row.
    pub(super) texels: Vec<[u8; 4]>,
}

impl Level {
    /// The next smaller level, half as wide and high, rounded down; `None` for a single texel.
    ///
    /// Each texel is the mean, in linear light, over the area it covers on this level. On an odd size that is two
    /// texels and a fraction.
    pub(super) fn halved(&self) -> Option<Self> {
        if self.texels.len() <= 1 {
            return None;
        }
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let columns: Vec<_> = (0..width).map(|x| covered(self.width, x)).collect();
        let rows = (0..height).map(|y| covered(self.height, y));
        let texels = rows.flat_map(|row| {
            let texel = move |column: &Vec<(usize, f32)>| self.mean(column, &row);
            columns.iter().map(texel).collect::<Vec<_>>()
        });
        let texels = texels.collect();
        Some(Self {
            width,
            height,
            texels,
        })
    }

    fn mean(&self, columns: &[(usize, f32)], rows: &[(usize, f32)]) -> [u8; 4] {
        let mut sum = [0.0_f32; 4];
        for &(y, down) in rows {
            for &(x, along) in columns {
                let [r, g, b, a] = self.texels[y * self.width + x];
                let light = [r, g, b].map(|code| tables().decode(code));
                let parts = [light[0], light[1], light[2], f32::from(a)];
                for (sum, part) in sum.iter_mut().zip(parts) {
                    *sum += down * along * part;
                }
            }
        }
        let [r, g, b] = [sum[0], sum[1], sum[2]].map(|light| tables().encode(light));
        [r, g, b, unorm(sum[3] / 255.0)]
    }
}

/// The texels of `size` that texel `index` of half the size covers, and how much of it each makes up.
#[expect(
    clippy::cast_precision_loss,
    reason = "sizes of textures are below 2^24"
)]
fn covered(size: usize, index: usize) -> Vec<(usize, f32)> {
    let half = size / 2;
    if size == 1 {
        return vec![(0, 1.0)];
    }
    if size.is_multiple_of(2) {
        return vec![(2 * index, 0.5), (2 * index + 1, 0.5)];
    }
    let part = |share: usize| share as f32 / size as f32;
    let shares = [half - index, half, index + 1];
    (2 * index..).zip(shares.map(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(width: usize, height: usize, texels: &[u8]) -> Level {
        let texels = texels
            .iter()
            .map(|&code| [code, code, code, code])
            .collect();
        Level {
            width,
            height,
            texels,
        }
    }

    #[test]
    fn black_and_white_make_half_the_light() {
        let half = level(2, 2, &[0, 255, 255, 0]).halved().unwrap();
        assert_eq!((half.width, half.height), (1, 1));
        assert_eq!(half.texels, [[188, 188, 188, 128]]);
        assert_eq!(half.halved(), None);
    }

    #[test]
    fn every_texel_of_an_odd_size_counts_alike() {
        for size in [3, 5, 7, 101] {
            let mut shares = vec![0.0_f32; size];
            for index in 0..size / 2 {
                for (texel, share) in covered(size, index) {
                    shares[texel] += share;
                }
            }
            let first = shares[0];
            assert!(
                shares.iter().all(|share| (share - first).abs() < 1e-5),
                "{shares:?}"
            );
        }
    }
}
