//! Texels at eight places at a time, with AVX2.
//!
//! The same as [`Sampler::sample`] finds one by one, bit by bit: every lane goes through the same operations in the same
//! order, none of them fused.

#![cfg(target_arch = "x86_64")]
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
use super::lanes_avx2::{F, I, V3, add, all, integers, look_up, mul, put_integers, sub};
use super::texture::Sampler;
use crate::rig::TextureWrap;

/// Texels farther from the origin are looked up one by one. Quotients of smaller numbers, as f32, are less than 1 away from
/// the true ones.
const FARTHEST: f32 = 4_194_304.0;

/// As [`Sampler::sample`] without alpha; `None` where texels are to be looked up one by one.
///
/// * `uv` – where.
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
        return bilinear(texture, &[0; WIDTH], uv);
    }
    let level = mul(all(0.5), log2(_mm256_max_ps(largest, all(1.0))));
    let detail = _mm256_and_ps(_mm256_min_ps(level, all(texture.coarsest())), is_small);
    let sharp = _mm256_cvttps_epi32(detail);
    let rest = sub(detail, _mm256_cvtepi32_ps(sharp));
    let mut numbers = [0; WIDTH];
    put_integers(&mut numbers, sharp);
    let near = bilinear(texture, &numbers, uv)?;
    // Of the smallest level there is no rest, and so nothing of what stands for the next one.
    let last = texture.levels().len() as i32 - 1;
    let far = bilinear(texture, &numbers.map(|number| last.min(number + 1)), uv)?;
    Some(mix(near, far, rest))
}

#[target_feature(enable = "avx2")]
#[inline]
fn mix(a: V3, b: V3, t: F) -> V3 {
    let mix = |k: usize| add(a[k], mul(sub(b[k], a[k]), t));
    [mix(0), mix(1), mix(2)]
}

/// As [`Sampler::sample`] of one level a place.
#[target_feature(enable = "avx2")]
fn bilinear(texture: &Sampler<'_>, numbers: &[i32; WIDTH], [u, v]: [F; 2]) -> Option<V3> {
    let levels = numbers.map(|number| &texture.levels()[number as usize]);
    let widths = integers(&levels.map(|level| level.width as i32));
    let heights = integers(&levels.map(|level| level.height as i32));
    let texels = levels.map(|level| &*level.texels);
    let [wrap_u, wrap_v] = texture.wrap();
    let (columns, along_x) = taps(u, widths, wrap_u)?;
    let (rows, along_y) = taps(v, heights, wrap_v)?;
    let read = |column: I, row: I| {
        let mut places = [0; WIDTH];
        put_integers(
            &mut places,
            _mm256_add_epi32(_mm256_mullo_epi32(row, widths), column),
        );
        linear(texture, &texels, &places)
    };
    let ([left, right], [top, bottom]) = (columns, rows);
    let above = mix(read(left, top), read(right, top), along_x);
    let below = mix(read(left, bottom), read(right, bottom), along_x);
    Some(mix(above, below, along_y))
}

#[target_feature(enable = "avx2")]
#[inline]
fn linear(texture: &Sampler<'_>, texels: &[&[[u8; 4]]; WIDTH], places: &[i32; WIDTH]) -> V3 {
    let mut codes = [0; WIDTH];
    for (k, codes) in codes.iter_mut().enumerate() {
        *codes = i32::from_le_bytes(texels[k][places[k] as usize]);
    }
    let (codes, light) = (integers(&codes), texture.tables().light());
    [
        look_up(light, codes),
        look_up(light, _mm256_srli_epi32::<8>(codes)),
        look_up(light, _mm256_srli_epi32::<16>(codes)),
    ]
}

/// As [`Sampler::taps`] along one axis: the texels before and after, and how far from the first a place is.
#[target_feature(enable = "avx2")]
#[inline]
fn taps(at: F, sizes: I, wrap: TextureWrap) -> Option<([I; 2], F)> {
    let place = sub(mul(at, _mm256_cvtepi32_ps(sizes)), all(0.5));
    let near = _mm256_cmp_ps::<_CMP_LT_OQ>(_mm256_andnot_ps(all(-0.0), place), all(FARTHEST));
    if _mm256_movemask_ps(near) != 0xff {
        return None;
    }
    let floor = _mm256_floor_ps(place);
    let first = _mm256_cvttps_epi32(floor);
    let next = _mm256_add_epi32(first, _mm256_set1_epi32(1));
    let pair = [wrapped(first, sizes, wrap), wrapped(next, sizes, wrap)];
    Some((pair, sub(place, floor)))
}

/// The texels of `0..size` that stand at `places`.
#[target_feature(enable = "avx2")]
#[inline]
fn wrapped(places: I, sizes: I, wrap: TextureWrap) -> I {
    let last = _mm256_sub_epi32(sizes, _mm256_set1_epi32(1));
    match wrap {
        TextureWrap::Repeat => remainder(places, sizes),
        TextureWrap::Clamp => {
            _mm256_min_epi32(_mm256_max_epi32(places, _mm256_setzero_si256()), last)
        }
        TextureWrap::Mirror => {
            let twice = remainder(places, _mm256_add_epi32(sizes, sizes));
            let back = _mm256_sub_epi32(_mm256_add_epi32(sizes, last), twice);
            _mm256_min_epi32(twice, back)
        }
    }
}

/// As `rem_euclid`, for numbers below [`FARTHEST`].
#[target_feature(enable = "avx2")]
#[inline]
fn remainder(numbers: I, by: I) -> I {
    let quotient = _mm256_div_ps(_mm256_cvtepi32_ps(numbers), _mm256_cvtepi32_ps(by));
    let whole = _mm256_cvttps_epi32(_mm256_floor_ps(quotient));
    let rest = _mm256_sub_epi32(numbers, _mm256_mullo_epi32(whole, by));
    // Rounding may have moved the quotient past an integer.
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
#[expect(unsafe_code, reason = "kernels are called directly")]
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
