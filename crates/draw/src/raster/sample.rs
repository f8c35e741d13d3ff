//! Eight texels at a time.
//!
//! The same bits as [`Sampler::sample`], which reads one: every lane goes through the same operations in the same order.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "positions and sizes of texels are below 2^31 and not negative"
)]

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x4};

use super::batch::WIDTH;
use super::lanes::{Arithmetic, F, I, V3, columns};
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
#[inline(always)]
pub(super) fn texels<S: Simd>(
    texture: &Sampler<'_>,
    uv: [F<S>; 2],
    footprint: [[F<S>; 2]; 2],
) -> Option<V3<F<S>>> {
    let (width, height) = texture.size();
    let [[right_u, right_v], [down_u, down_v]] = footprint;
    let right = length_squared(right_u * width, right_v * height);
    let down = length_squared(down_u * width, down_v * height);
    if !(right + down).simd_lt(f32::INFINITY).all_true() {
        return None;
    }
    let simd = right.token();
    let largest = right.max(down);
    let is_small = largest.simd_gt(1.0);
    if !is_small.any_true() {
        let quads = Quads::new(texture, I::splat(simd, 0), uv)?;
        return Some(quads.filtered(texture));
    }
    let level = (log2(largest.max(1.0)) * 0.5).min(texture.coarsest());
    let detail = is_small.select(level, level.all(0.0));
    let sharp: I<S> = detail.to_int();
    let rest = detail - sharp.to_float::<F<S>>();
    // At the smallest level `rest` is 0, so the level that stands in for the next one has no effect.
    let next = (sharp + 1).min(texture.levels().len() as i32 - 1);
    let near = Quads::new(texture, sharp, uv)?;
    let far = Quads::new(texture, next, uv)?;
    Some(mix(near.filtered(texture), far.filtered(texture), rest))
}

#[inline(always)]
fn length_squared<S: Simd>(x: F<S>, y: F<S>) -> F<S> {
    x * x + y * y
}

/// Four texels around each of eight positions, each of one level.
struct Quads<'a, S: Simd> {
    /// By position.
    levels: [&'a Level<'a>; WIDTH],
    is_one_level: bool,
    /// Indices in the list of texels: top left, top right, bottom left, bottom right.
    texels: [[i32; WIDTH]; 4],
    /// How far the position is to the right of the first texel, and how far down.
    along: [F<S>; 2],
}

impl<'a, S: Simd> Quads<'a, S> {
    /// As [`Sampler::taps`]; `None` where texels must be looked up one by one.
    #[inline(always)]
    fn new(texture: &Sampler<'a>, numbers: I<S>, [u, v]: [F<S>; 2]) -> Option<Self> {
        let all_levels = texture.levels();
        let indices = numbers.to_array();
        let mut levels = [&all_levels[indices[0] as usize]; WIDTH];
        let mut widths = [levels[0].width as i32; WIDTH];
        let mut heights = [levels[0].height as i32; WIDTH];
        // Neighbours mostly share a level.
        let is_one_level = numbers.simd_eq(indices[0]).all_true();
        if !is_one_level {
            for (k, number) in indices.iter().enumerate() {
                levels[k] = &all_levels[*number as usize];
                (widths[k], heights[k]) = (levels[k].width as i32, levels[k].height as i32);
            }
        }
        let simd = u.token();
        let (widths, heights) = (I::load_array(simd, widths), I::load_array(simd, heights));
        let [wrap_u, wrap_v] = texture.wrap();
        let ([left, right], along_x) = taps(u, widths, wrap_u)?;
        let ([top, bottom], along_y) = taps(v, heights, wrap_v)?;
        let (above, below) = (top * widths, bottom * widths);
        Some(Self {
            levels,
            is_one_level,
            texels: [
                (above + left).to_array(),
                (above + right).to_array(),
                (below + left).to_array(),
                (below + right).to_array(),
            ],
            along: [along_x, along_y],
        })
    }

    /// As [`Sampler::bilinear`], without alpha.
    #[inline(always)]
    fn filtered(&self, texture: &Sampler<'_>) -> V3<F<S>> {
        let Some(light) = self.light(texture) else {
            return self.filtered_from_bytes(texture.tables().light());
        };
        let simd = self.along[0].token();
        let along = [self.along[0].to_array(), self.along[1].to_array()];
        let zero = f32x4::splat(simd, 0.0);
        let (mut low, mut high) = ([zero; 4], [zero; 4]);
        // A vector holds all channels of two positions, `k` and `k + 4`.
        for (k, (low, high)) in low.iter_mut().zip(&mut high).enumerate() {
            let mut read = [F::splat(simd, 0.0); 4];
            for (read, texels) in read.iter_mut().zip(&self.texels) {
                *read = pair(simd, light[k], light[k + 4], texels[k], texels[k + 4]);
            }
            // Each half has the weight of its position.
            let mut weights = [F::splat(simd, 0.0); 2];
            for (weights, along) in weights.iter_mut().zip(&along) {
                *weights = f32x4::splat(simd, along[k]).combine(f32x4::splat(simd, along[k + 4]));
            }
            let [top_left, top_right, left, right] = read;
            let above = top_left + (top_right - top_left) * weights[0];
            let below = left + (right - left) * weights[0];
            (*low, *high) = (above + (below - above) * weights[1]).split();
        }
        let [red, green, blue, _] = columns([low, high]);
        [red, green, blue]
    }

    /// The decoded texels of each position's level; `None` if a level is too large to be worth decoding.
    #[inline(always)]
    fn light(&self, texture: &Sampler<'_>) -> Option<[&'a [[f32; 4]]; WIDTH]> {
        let mut light = [texture.light(self.levels[0])?; WIDTH];
        if !self.is_one_level {
            for (light, level) in light.iter_mut().zip(self.levels) {
                *light = texture.light(level)?;
            }
        }
        Some(light)
    }

    /// As [`filtered`](Self::filtered), of levels that are not decoded.
    #[inline(always)]
    fn filtered_from_bytes(&self, light: &[f32; 256]) -> V3<F<S>> {
        let simd = self.along[0].token();
        let mut read = [[F::splat(simd, 0.0); 3]; 4];
        for (read, texels) in read.iter_mut().zip(&self.texels) {
            let mut channels = [[0.0; WIDTH]; 3];
            for (k, texel) in texels.iter().enumerate() {
                let code = self.levels[k].texels[*texel as usize];
                for (channel, code) in channels.iter_mut().zip(code) {
                    channel[k] = light[usize::from(code)];
                }
            }
            for (read, channel) in read.iter_mut().zip(channels) {
                *read = F::load_array(simd, channel);
            }
        }
        let [top_left, top_right, left, right] = read;
        let [x, y] = self.along;
        mix(mix(top_left, top_right, x), mix(left, right, x), y)
    }
}

/// All channels of texel `first` of `low` and of texel `second` of `high`.
#[inline(always)]
fn pair<S: Simd>(simd: S, low: &[[f32; 4]], high: &[[f32; 4]], first: i32, second: i32) -> F<S> {
    let (low, high) = (&low[first as usize], &high[second as usize]);
    f32x4::load_array_ref(simd, low).combine(f32x4::load_array_ref(simd, high))
}

#[inline(always)]
fn mix<S: Simd>(a: V3<F<S>>, b: V3<F<S>>, t: F<S>) -> V3<F<S>> {
    [
        a[0] + (b[0] - a[0]) * t,
        a[1] + (b[1] - a[1]) * t,
        a[2] + (b[2] - a[2]) * t,
    ]
}

/// As [`Sampler::taps`] along one axis: the texels before and after, and how far from the first each position is.
#[inline(always)]
fn taps<S: Simd>(at: F<S>, sizes: I<S>, wrap: TextureWrap) -> Option<([I<S>; 2], F<S>)> {
    let coordinate = at * sizes.to_float::<F<S>>() - 0.5;
    if !coordinate.abs().simd_lt(FARTHEST).all_true() {
        return None;
    }
    let floor = coordinate.floor();
    let first: I<S> = floor.to_int();
    let pair = [wrapped(first, sizes, wrap), wrapped(first + 1, sizes, wrap)];
    Some((pair, coordinate - floor))
}

/// The texels of `0..size` that wrap to `coordinates`.
#[inline(always)]
fn wrapped<S: Simd>(coordinates: I<S>, sizes: I<S>, wrap: TextureWrap) -> I<S> {
    let last = sizes - 1;
    match wrap {
        TextureWrap::Repeat => remainder(coordinates, sizes),
        TextureWrap::Clamp => coordinates.max(0).min(last),
        TextureWrap::Mirror => {
            let twice = remainder(coordinates, sizes + sizes);
            twice.min(sizes + last - twice)
        }
    }
}

/// As `rem_euclid`, for numbers below [`FARTHEST`].
#[inline(always)]
fn remainder<S: Simd>(numbers: I<S>, by: I<S>) -> I<S> {
    // A division takes long, and most sizes are powers of two.
    let lower = by - 1;
    if (by & lower).simd_eq(0).all_true() {
        return numbers & lower;
    }
    let quotient = numbers.to_float::<F<S>>() / by.to_float::<F<S>>();
    let rest = numbers - quotient.floor().to_int::<I<S>>() * by;
    // Rounding may have moved the quotient past an integer, in either direction.
    let rest = rest.simd_lt(0).select(rest + by, rest);
    rest.simd_lt(by).select(rest, rest - by)
}

/// As `libm::log2f`, of finite numbers that are not below 1.
///
/// # Reference
///
/// FreeBSD, `e_log2f.c`.
#[inline(always)]
#[expect(
    clippy::many_single_char_names,
    reason = "the terms of a known formula"
)]
fn log2<S: Simd>(x: F<S>) -> F<S> {
    const HIGH: f32 = 1.442_871_1;
    const LOW: f32 = -0.000_176_052_85;
    // Reduces x into [sqrt(2)/2, sqrt(2)].
    let bits = x.bitcast::<I<S>>() + (0x3f80_0000 - 0x3f35_04f3);
    let exponent = (bits >> 23) - 0x7f;
    let x = ((bits & 0x007f_ffff) + 0x3f35_04f3).bitcast::<F<S>>();
    let f = x - 1.0;
    let s = f / (f + 2.0);
    let z = s * s;
    let w = z * z;
    let t1 = w * (w * 0.242_790_79 + 0.400_009_72);
    let t2 = z * (w * 0.284_987_87 + 0.666_666_6);
    let r = t2 + t1;
    let half = f * 0.5 * f;
    let hi = f - half;
    let hi = (hi.bitcast::<I<S>>() & !0xfff).bitcast::<F<S>>();
    let lo = f - hi - half + s * (half + r);
    let product = (lo + hi) * LOW + lo * HIGH;
    product + hi * HIGH + exponent.to_float::<F<S>>()
}

#[cfg(test)]
mod tests {
    use skincheck_rig::dispatch;

    use super::*;
    use crate::raster::tests::levels;

    #[test]
    fn logarithms_are_those_of_libm() {
        for level in levels() {
            let last = 3e38_f32.to_bits();
            for bits in (1.0_f32.to_bits()..last).step_by(104_729) {
                let mut numbers = [0.0; WIDTH];
                for (number, bits) in numbers.iter_mut().zip(bits..) {
                    *number = f32::from_bits(bits);
                }
                let found = dispatch!(level, simd => log2(F::load_array(simd, numbers)).to_array());
                let expected = numbers.map(|number| libm::log2f(number).to_bits());
                assert_eq!(found.map(f32::to_bits), expected, "{numbers:?}");
            }
        }
    }
}
