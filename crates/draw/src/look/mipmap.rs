//! Mip levels of a texture: the bytes that every backend filters.

use std::borrow::Cow;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::srgb::{self, Tables};
use crate::rig::Bitmap;

/// One mip level of a texture.
pub struct Level<'a> {
    /// In texels.
    pub width: usize,
    /// In texels.
    pub height: usize,
    /// With straight alpha, first row at v = 0.
    pub texels: Cow<'a, [[u8; 4]]>,
    /// What they stand for, with straight alpha. Made when an image first reads the level.
    light: OnceLock<Vec<[f32; 4]>>,
}

impl std::fmt::Debug for Level<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Level({}x{})", self.width, self.height)
    }
}

impl Level<'_> {
    /// The texel in `column` and `row`, which are inside.
    #[inline]
    pub(crate) fn texel(&self, column: usize, row: usize) -> [u8; 4] {
        self.texels[row * self.width + column]
    }

    /// All texels, decoded.
    #[inline]
    pub(crate) fn light(&self, tables: &Tables) -> &[[f32; 4]] {
        self.light.get_or_init(|| {
            let texels = self.texels.iter();
            texels.map(|texel| tables.straight(*texel)).collect()
        })
    }
}

/// `bitmap` itself and all its halvings down to one texel.
///
/// * `tables` – what its bytes stand for, which is averaged.
#[must_use]
pub fn levels<'a>(bitmap: &'a Bitmap, tables: &Tables) -> Vec<Level<'a>> {
    let mut levels = vec![Level {
        width: bitmap.width as usize,
        height: bitmap.height as usize,
        texels: Cow::Borrowed(bitmap.rgba.as_chunks().0),
        light: OnceLock::new(),
    }];
    while let Some(next) = levels.last().and_then(|level| halved(level, tables)) {
        levels.push(next);
    }
    levels
}

/// Which texels of the larger level a texel of the smaller one covers, along one axis, and how much of each.
#[derive(Debug, Clone, Copy)]
struct Taps {
    first: usize,
    weights: [f32; 3],
    count: usize,
}

impl Taps {
    /// A size is halved and rounded down. Of an odd size each texel covers two and a bit, so that the whole is covered
    /// evenly.
    ///
    /// # Reference
    ///
    /// NVIDIA, "Non-Power-of-Two Mipmapping" (2005): the polyphase box filter.
    #[expect(
        clippy::cast_precision_loss,
        reason = "sizes of textures are below 2^24"
    )]
    fn new(size: usize, index: usize) -> Self {
        let half = size / 2;
        let (weights, count) = match size {
            1 => ([1.0, 0.0, 0.0], 1),
            even if even % 2 == 0 => ([0.5, 0.5, 0.0], 2),
            odd => {
                let share = |part: usize| part as f32 / odd as f32;
                ([share(half - index), share(half), share(index + 1)], 3)
            }
        };
        let first = 2 * index;
        Self {
            first,
            weights,
            count,
        }
    }
}

fn halved<'a>(level: &Level<'_>, tables: &Tables) -> Option<Level<'a>> {
    if level.width == 1 && level.height == 1 {
        return None;
    }
    let (width, height) = ((level.width / 2).max(1), (level.height / 2).max(1));
    let columns: Vec<Taps> = (0..width).map(|x| Taps::new(level.width, x)).collect();
    let mut texels = vec![[0; 4]; width * height];
    let rows = texels.par_chunks_mut(width).enumerate();
    rows.for_each(|(y, row)| {
        let taps = Taps::new(level.height, y);
        for (texel, columns) in row.iter_mut().zip(&columns) {
            *texel = average(level, columns, &taps, tables);
        }
    });
    Some(Level {
        width,
        height,
        texels: Cow::Owned(texels),
        light: OnceLock::new(),
    })
}

/// The mean over a few texels, of what they stand for.
fn average(level: &Level<'_>, columns: &Taps, rows: &Taps, tables: &Tables) -> [u8; 4] {
    let mut sum = [0.0_f32; 4];
    // Spelled out: iterators take several times as long.
    for y in 0..rows.count {
        let start = (rows.first + y) * level.width + columns.first;
        for (x, horizontal) in columns.weights.iter().enumerate().take(columns.count) {
            let weight = rows.weights[y] * horizontal;
            let [r, g, b, a] = level.texels[start + x];
            sum[0] += weight * tables.decode(r);
            sum[1] += weight * tables.decode(g);
            sum[2] += weight * tables.decode(b);
            sum[3] += weight * f32::from(a);
        }
    }
    let [r, g, b, a] = sum;
    let alpha = srgb::unorm(a / 255.0);
    [tables.encode(r), tables.encode(g), tables.encode(b), alpha]
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "numbers of a test")]
mod tests {
    use super::*;

    fn filled(width: u32, height: u32, texel: [u8; 4]) -> Bitmap {
        Bitmap {
            width,
            height,
            rgba: texel.repeat(width as usize * height as usize),
        }
    }

    #[test]
    fn a_texture_of_any_size_shrinks_to_one_texel() {
        let bitmap = filled(13, 1, [200, 100, 50, 128]);
        let levels = levels(&bitmap, srgb::tables());
        let sizes: Vec<_> = levels
            .iter()
            .map(|level| (level.width, level.height))
            .collect();
        assert_eq!(sizes, [(13, 1), (6, 1), (3, 1), (1, 1)]);
        let last = levels.last().unwrap();
        assert_eq!(
            last.texel(0, 0),
            [200, 100, 50, 128],
            "one colour stays that colour"
        );
    }

    #[test]
    fn black_and_white_average_in_linear_light() {
        let mut bitmap = filled(2, 2, [0, 0, 0, 255]);
        bitmap.rgba[..4].fill(255);
        bitmap.rgba[12..].fill(255);
        assert_eq!(
            levels(&bitmap, srgb::tables())[1].texel(0, 0),
            [188, 188, 188, 255]
        );
    }

    /// Whether every texel of the larger level counts as much as any other, and no tap is outside it.
    fn taps_count_every_texel_evenly(taps: fn(usize, usize) -> Taps) -> bool {
        (2..200).all(|size| {
            let mut total = vec![0.0_f32; size];
            for taps in (0..size / 2).map(|index| taps(size, index)) {
                for (offset, weight) in taps.weights[..taps.count].iter().enumerate() {
                    let Some(total) = total.get_mut(taps.first + offset) else {
                        return false;
                    };
                    *total += weight;
                }
            }
            let expected = (size / 2) as f32 / size as f32;
            total.iter().all(|weight| (weight - expected).abs() < 1e-5)
        })
    }

    #[test]
    fn taps_cover_every_texel_evenly() {
        assert!(taps_count_every_texel_evenly(Taps::new));
    }

    #[test]
    fn wrong_taps_are_caught() {
        let without_the_last = |_, index| Taps {
            first: 2 * index,
            weights: [0.5, 0.5, 0.0],
            count: 2,
        };
        let reversed = |size, index| {
            let mut taps = Taps::new(size, index);
            taps.weights[..taps.count].reverse();
            taps
        };
        let one_too_many = |size, index| Taps {
            count: 3,
            ..Taps::new(size, index)
        };
        let wrong: [fn(usize, usize) -> Taps; 3] = [without_the_last, reversed, one_too_many];
        for taps in wrong {
            assert!(!taps_count_every_texel_evenly(taps));
        }
    }
}
