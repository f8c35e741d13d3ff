//! Eight texels at a time, with AVX2.
//!
//! Bit-identical to [`Sampler::sample`]: every lane goes through the same operations in the same
//! order, none of them fused.

#![cfg(target_arch = "x86_64")]
#![expect(
    unsafe_code,
    reason = "a bounds check per texel takes longer than reading it"
)]
#![allow(
    clippy::wildcard_imports,
    reason = "the names of intrinsics are long and many"
)]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "positions and sizes of texels are below 2^31 and not negative"
)]

use std::arch::x86_64::*;

use super::batch::WIDTH;
use super::lanes_avx2::{F, I, V3, add, all, fours, integers, looked_up, mul, put_integers, sub};
use super::texture::Sampler;
use crate::look::mipmap::Level;
use crate::rig::TextureWrap;

/// Texels farther from the origin are looked up one by one. Below it, an f32 quotient is less than 1 away from the true
/// one.
const FARTHEST: f32 = 4_194_304.0;

/// As [`Sampler::sample`] without alpha; `None` where texels must be looked up one by one.
///
/// * `uv` – texture coordinates.
/// * `footprint` – how `uv` changes by one pixel to the right and one down.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn texels(texture: &Sampler<'_>, uv: [F; 2], footprint: [[F; 2]; 2]) -> Option<V3> {
    let (width, height) = texture.size();
    let along = |[u, v]: [F; 2]| {
        let (x, y) = (mul(u, all(width)), mul(v, all(height)));
        add(mul(x, x), mul(y, y))
    };
    let (right, down) = (along(footprint[0]), along(footprint[1]));
    let (sum, largest) = (add(right, down), _mm256_max_ps(right, down));
    let known = _mm256_cmp_ps::<_CMP_LT_OQ>(sum, all(f32::INFINITY));
    if _mm256_movemask_ps(known) != 0xff {
        return None;
    }
    let is_small = _mm256_cmp_ps::<_CMP_GT_OQ>(largest, all(1.0));
    if _mm256_movemask_ps(is_small) == 0 {
        let quads = Quads::new(texture, _mm256_setzero_si256(), uv)?;
        return Some(quads.filtered(texture));
    }
    let level = mul(all(0.5), log2(_mm256_max_ps(largest, all(1.0))));
    let detail = _mm256_and_ps(_mm256_min_ps(level, all(texture.coarsest())), is_small);
    let sharp = _mm256_cvttps_epi32(detail);
    let rest = sub(detail, _mm256_cvtepi32_ps(sharp));
    // At the smallest level `rest` is 0, so the level that stands in for the next one has no effect.
    let last = _mm256_set1_epi32(texture.levels().len() as i32 - 1);
    let next = _mm256_min_epi32(last, _mm256_add_epi32(sharp, _mm256_set1_epi32(1)));
    let near = Quads::new(texture, sharp, uv)?;
    let far = Quads::new(texture, next, uv)?;
    Some(mix(near.filtered(texture), far.filtered(texture), rest))
}

/// Four texels around each of eight positions, each of one level.
struct Quads<'a> {
    /// By position.
    levels: [&'a Level<'a>; WIDTH],
    is_one_level: bool,
    /// Indices in the list of texels: top left, top right, bottom left, bottom right.
    texels: [[i32; WIDTH]; 4],
    /// How far the position is to the right of the first texel, and how far down.
    along: [F; 2],
}

impl<'a> Quads<'a> {
    /// As [`Sampler::taps`]; `None` where texels must be looked up one by one.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn new(texture: &Sampler<'a>, numbers: I, [u, v]: [F; 2]) -> Option<Self> {
        let all_levels = texture.levels();
        let mut indices = [0; WIDTH];
        put_integers(&mut indices, numbers);
        let mut levels = [&all_levels[indices[0] as usize]; WIDTH];
        let first = _mm256_set1_epi32(indices[0]);
        let (mut widths, mut heights) = (
            [levels[0].width as i32; WIDTH],
            [levels[0].height as i32; WIDTH],
        );
        // Neighbours mostly share a level.
        let is_one_level = _mm256_movemask_epi8(_mm256_cmpeq_epi32(numbers, first)) == -1;
        if !is_one_level {
            for (k, number) in indices.iter().enumerate() {
                levels[k] = &all_levels[*number as usize];
                (widths[k], heights[k]) = (levels[k].width as i32, levels[k].height as i32);
            }
        }
        let (widths, heights) = (integers(&widths), integers(&heights));
        let [wrap_u, wrap_v] = texture.wrap();
        let ([left, right], along_x) = taps(u, widths, wrap_u)?;
        let ([top, bottom], along_y) = taps(v, heights, wrap_v)?;
        let (above, below) = (
            _mm256_mullo_epi32(top, widths),
            _mm256_mullo_epi32(bottom, widths),
        );
        let mut texels = [[0; WIDTH]; 4];
        put_integers(&mut texels[0], _mm256_add_epi32(above, left));
        put_integers(&mut texels[1], _mm256_add_epi32(above, right));
        put_integers(&mut texels[2], _mm256_add_epi32(below, left));
        put_integers(&mut texels[3], _mm256_add_epi32(below, right));
        Some(Self {
            levels,
            is_one_level,
            texels,
            along: [along_x, along_y],
        })
    }

    /// As [`Sampler::bilinear`], without alpha.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn filtered(&self, texture: &Sampler<'_>) -> V3 {
        let bytes = || self.filtered_from_bytes(texture.tables().light());
        let Some(first) = texture.light(self.levels[0]) else {
            return bytes();
        };
        let mut light = [first; WIDTH];
        if !self.is_one_level {
            for (light, level) in light.iter_mut().zip(self.levels) {
                match texture.light(level) {
                    Some(decoded) => *light = decoded,
                    None => return bytes(),
                }
            }
        }
        // A register holds all channels of two positions, `k` and `k + 4`. Loops, because closures are not inlined here.
        let [along_x, along_y] = self.along;
        let mut pairs = [all(0.0); 4];
        for (k, pair) in (0..).zip(&mut pairs) {
            let mut read = [all(0.0); 4];
            for (read, texels) in read.iter_mut().zip(&self.texels) {
                let (low, high) = (texels[k] as usize, texels[k + 4] as usize);
                debug_assert!(low < light[k].len() && high < light[k + 4].len());
                // SAFETY: `wrapped` returns columns below the level's width and rows below its height, and `light`
                // holds all texels of the level.
                let [low, high] = unsafe {
                    [
                        light[k].get_unchecked(low),
                        light[k + 4].get_unchecked(high),
                    ]
                };
                *read = _mm256_set_m128(fours(high), fours(low));
            }
            // Each half holds the channels of one position, so its weight is broadcast to all of them.
            let spread = _mm256_set1_epi32(k as i32);
            let x = _mm256_permutevar_ps(along_x, spread);
            let y = _mm256_permutevar_ps(along_y, spread);
            let [top_left, top_right, left, right] = read;
            let above = add(top_left, mul(sub(top_right, top_left), x));
            let below = add(left, mul(sub(right, left), x));
            *pair = add(above, mul(sub(below, above), y));
        }
        by_channel(pairs)
    }

    /// As [`filtered`](Self::filtered), of levels that are not decoded.
    #[target_feature(enable = "avx2")]
    fn filtered_from_bytes(&self, light: &[f32; 256]) -> V3 {
        let read = |texel: usize| {
            let code = |k: usize| self.levels[k].texels[self.texels[texel][k] as usize];
            let c = [
                code(0),
                code(1),
                code(2),
                code(3),
                code(4),
                code(5),
                code(6),
                code(7),
            ];
            let channel = |i: usize| {
                let codes = [
                    c[0][i], c[1][i], c[2][i], c[3][i], c[4][i], c[5][i], c[6][i], c[7][i],
                ];
                looked_up(light, codes)
            };
            [channel(0), channel(1), channel(2)]
        };
        let [x, y] = self.along;
        mix(mix(read(0), read(1), x), mix(read(2), read(3), x), y)
    }
}

/// From all channels of positions 0 and 4, 1 and 5, 2 and 6, 3 and 7 to red, green and blue of all positions.
#[target_feature(enable = "avx2")]
#[inline]
fn by_channel([a, b, c, d]: [F; 4]) -> V3 {
    // A 4×4 transpose in each half; the fourth row, alpha, is not computed.
    let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
    let (ab_blue, cd_blue) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
    [
        _mm256_shuffle_ps::<0b01_00_01_00>(ab, cd),
        _mm256_shuffle_ps::<0b11_10_11_10>(ab, cd),
        _mm256_shuffle_ps::<0b01_00_01_00>(ab_blue, cd_blue),
    ]
}

#[target_feature(enable = "avx2")]
#[inline]
fn mix(a: V3, b: V3, t: F) -> V3 {
    let mix = |k: usize| add(a[k], mul(sub(b[k], a[k]), t));
    [mix(0), mix(1), mix(2)]
}

/// As [`Sampler::taps`] along one axis: the texels before and after, and how far from the first each position is.
#[target_feature(enable = "avx2")]
#[inline]
fn taps(at: F, sizes: I, wrap: TextureWrap) -> Option<([I; 2], F)> {
    let coordinate = sub(mul(at, _mm256_cvtepi32_ps(sizes)), all(0.5));
    let near = _mm256_cmp_ps::<_CMP_LT_OQ>(_mm256_andnot_ps(all(-0.0), coordinate), all(FARTHEST));
    if _mm256_movemask_ps(near) != 0xff {
        return None;
    }
    let floor = _mm256_floor_ps(coordinate);
    let first = _mm256_cvttps_epi32(floor);
    let next = _mm256_add_epi32(first, _mm256_set1_epi32(1));
    let pair = [wrapped(first, sizes, wrap), wrapped(next, sizes, wrap)];
    Some((pair, sub(coordinate, floor)))
}

/// The texels of `0..size` that wrap to `coordinates`.
#[target_feature(enable = "avx2")]
#[inline]
fn wrapped(coordinates: I, sizes: I, wrap: TextureWrap) -> I {
    let last = _mm256_sub_epi32(sizes, _mm256_set1_epi32(1));
    match wrap {
        TextureWrap::Repeat => remainder(coordinates, sizes),
        TextureWrap::Clamp => {
            _mm256_min_epi32(_mm256_max_epi32(coordinates, _mm256_setzero_si256()), last)
        }
        TextureWrap::Mirror => {
            let twice = remainder(coordinates, _mm256_add_epi32(sizes, sizes));
            let back = _mm256_sub_epi32(_mm256_add_epi32(sizes, last), twice);
            _mm256_min_epi32(twice, back)
        }
    }
}

/// As `rem_euclid`, for numbers below [`FARTHEST`].
#[target_feature(enable = "avx2")]
#[inline]
fn remainder(numbers: I, by: I) -> I {
    // A division takes long, and most sizes are powers of two.
    let lower = _mm256_sub_epi32(by, _mm256_set1_epi32(1));
    if _mm256_testz_si256(by, lower) != 0 {
        return _mm256_and_si256(numbers, lower);
    }
    let quotient = _mm256_div_ps(_mm256_cvtepi32_ps(numbers), _mm256_cvtepi32_ps(by));
    let whole = _mm256_cvttps_epi32(_mm256_floor_ps(quotient));
    let rest = _mm256_sub_epi32(numbers, _mm256_mullo_epi32(whole, by));
    // Rounding may have moved the quotient past an integer, in either direction.
    let negative = _mm256_srai_epi32::<31>(rest);
    let rest = _mm256_add_epi32(rest, _mm256_and_si256(negative, by));
    let is_below = _mm256_cmpgt_epi32(by, rest);
    _mm256_sub_epi32(rest, _mm256_andnot_si256(is_below, by))
}

/// As `libm::log2f`, of finite numbers that are not below 1.
///
/// # Reference
///
/// FreeBSD, `e_log2f.c`.
#[target_feature(enable = "avx2")]
#[inline]
#[expect(
    clippy::many_single_char_names,
    reason = "the terms of a known formula"
)]
fn log2(x: F) -> F {
    const HIGH: f32 = 1.442_871_1;
    const LOW: f32 = -0.000_176_052_85;
    let integers = |value: u32| _mm256_set1_epi32(value.cast_signed());
    // Reduces x into [sqrt(2)/2, sqrt(2)].
    let bits = _mm256_add_epi32(_mm256_castps_si256(x), integers(0x3f80_0000 - 0x3f35_04f3));
    let exponent = _mm256_sub_epi32(_mm256_srli_epi32::<23>(bits), integers(0x7f));
    let mantissa = _mm256_and_si256(bits, integers(0x007f_ffff));
    let x = _mm256_castsi256_ps(_mm256_add_epi32(mantissa, integers(0x3f35_04f3)));
    let f = sub(x, all(1.0));
    let s = _mm256_div_ps(f, add(all(2.0), f));
    let z = mul(s, s);
    let w = mul(z, z);
    let t1 = mul(w, add(all(0.400_009_72), mul(w, all(0.242_790_79))));
    let t2 = mul(z, add(all(0.666_666_6), mul(w, all(0.284_987_87))));
    let r = add(t2, t1);
    let half = mul(mul(all(0.5), f), f);
    let hi = sub(f, half);
    let hi = _mm256_and_ps(hi, _mm256_castsi256_ps(integers(0xffff_f000)));
    let lo = add(sub(sub(f, hi), half), mul(s, add(half, r)));
    let product = add(mul(add(lo, hi), all(LOW)), mul(lo, all(HIGH)));
    add(
        add(product, mul(hi, all(HIGH))),
        _mm256_cvtepi32_ps(exponent),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::lanes_avx2::{floats, put};

    #[test]
    fn logarithms_are_those_of_libm() {
        if !std::arch::is_x86_feature_detected!("avx2") {
            return;
        }
        let last = 3e38_f32.to_bits();
        for bits in (1.0_f32.to_bits()..last).step_by(104_729) {
            let mut numbers = [0.0; WIDTH];
            for (number, bits) in numbers.iter_mut().zip(bits..) {
                *number = f32::from_bits(bits);
            }
            let mut found = [0.0; WIDTH];
            // SAFETY: AVX2 was found above.
            unsafe {
                put(&mut found, log2(floats(&numbers)));
            }
            let expected = numbers.map(|number| libm::log2f(number).to_bits());
            assert_eq!(found.map(f32::to_bits), expected, "{numbers:?}");
        }
    }
}
