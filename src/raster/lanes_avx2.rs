//! Eight numbers at a time, with AVX2: names for the intrinsics that the kernels of this folder use.

#![cfg(target_arch = "x86_64")]
#![expect(
    unsafe_code,
    reason = "registers are loaded and stored through pointers"
)]
#![allow(
    clippy::wildcard_imports,
    reason = "the names of intrinsics are long and many"
)]

use std::arch::x86_64::*;

use glam::Vec3;

use super::batch::WIDTH;

/// Eight numbers in f32.
pub(super) type F = __m256;
/// Eight integers.
pub(super) type I = __m256i;
/// Eight vectors.
pub(super) type V3 = [F; 3];
/// Eight numbers in f64.
pub(super) type D = [__m256d; 2];

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn dot(a: V3, b: V3) -> F {
    add(add(mul(a[0], b[0]), mul(a[1], b[1])), mul(a[2], b[2]))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn dot_all(a: V3, b: Vec3) -> F {
    dot(a, splat(b))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn splat(vector: Vec3) -> V3 {
    [all(vector.x), all(vector.y), all(vector.z)]
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn all(value: f32) -> F {
    _mm256_set1_ps(value)
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn add(a: F, b: F) -> F {
    _mm256_add_ps(a, b)
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn sub(a: F, b: F) -> F {
    _mm256_sub_ps(a, b)
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn mul(a: F, b: F) -> F {
    _mm256_mul_ps(a, b)
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn wide(value: f64) -> D {
    [_mm256_set1_pd(value); 2]
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn dadd(a: D, b: D) -> D {
    [_mm256_add_pd(a[0], b[0]), _mm256_add_pd(a[1], b[1])]
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn dsub(a: D, b: D) -> D {
    [_mm256_sub_pd(a[0], b[0]), _mm256_sub_pd(a[1], b[1])]
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn dmul(a: D, b: D) -> D {
    [_mm256_mul_pd(a[0], b[0]), _mm256_mul_pd(a[1], b[1])]
}

/// Rounded to f32.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn narrow(a: D) -> F {
    _mm256_set_m128(_mm256_cvtpd_ps(a[1]), _mm256_cvtpd_ps(a[0]))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn doubles(values: &[f64; WIDTH]) -> D {
    let at = values.as_ptr();
    // SAFETY: both halves are in the array; loads need no alignment.
    unsafe { [_mm256_loadu_pd(at), _mm256_loadu_pd(at.add(4))] }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn floats(values: &[f32; WIDTH]) -> F {
    // SAFETY: the array has eight elements; loads need no alignment.
    unsafe { _mm256_loadu_ps(values.as_ptr()) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn fours(values: &[f32; 4]) -> __m128 {
    // SAFETY: the array has four elements; loads need no alignment.
    unsafe { _mm_loadu_ps(values.as_ptr()) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn put(values: &mut [f32; WIDTH], from: F) {
    // SAFETY: the array has eight elements; stores need no alignment.
    unsafe { _mm256_storeu_ps(values.as_mut_ptr(), from) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn integers(values: &[i32; WIDTH]) -> I {
    // SAFETY: the array has eight elements; loads need no alignment.
    unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn put_integers(values: &mut [i32; WIDTH], from: I) {
    // SAFETY: the array has eight elements; stores need no alignment.
    unsafe { _mm256_storeu_si256(values.as_mut_ptr().cast(), from) }
}

/// The numbers that `codes` stand for in `table`. One by one: a gather takes longer than as many loads.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn looked_up(table: &[f32; 256], codes: [u8; WIDTH]) -> F {
    let at = |k: usize| table[usize::from(codes[k])];
    _mm256_setr_ps(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7))
}

/// From one list per lane to one register per element.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn transposed([low, high]: [[&[f32; WIDTH]; 4]; 2]) -> [F; WIDTH] {
    let mut rows = [all(0.0); WIDTH];
    for (register, list) in rows.iter_mut().zip(low.into_iter().chain(high)) {
        *register = floats(list);
    }
    // The usual transposition in three steps: numbers of two rows alternate, then those of four, then the halves swap.
    let (mut pairs, mut fours) = (rows, rows);
    for k in [0, 2, 4, 6] {
        pairs[k] = _mm256_unpacklo_ps(rows[k], rows[k + 1]);
        pairs[k + 1] = _mm256_unpackhi_ps(rows[k], rows[k + 1]);
    }
    for k in [0, 4] {
        let [a, b, c, d] = [pairs[k], pairs[k + 1], pairs[k + 2], pairs[k + 3]];
        fours[k] = _mm256_shuffle_ps::<0b01_00_01_00>(a, c);
        fours[k + 1] = _mm256_shuffle_ps::<0b11_10_11_10>(a, c);
        fours[k + 2] = _mm256_shuffle_ps::<0b01_00_01_00>(b, d);
        fours[k + 3] = _mm256_shuffle_ps::<0b11_10_11_10>(b, d);
    }
    for k in 0..4 {
        rows[k] = _mm256_permute2f128_ps::<0x20>(fours[k], fours[k + 4]);
        rows[k + 4] = _mm256_permute2f128_ps::<0x31>(fours[k], fours[k + 4]);
    }
    rows
}

/// From one list per lane to one register per element.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn transposed_doubles(lists: [[&[f64; 4]; 4]; 2]) -> [D; 4] {
    let mut columns = [wide(0.0); 4];
    for (half, lists) in lists.into_iter().enumerate() {
        let list = |k: usize| {
            // SAFETY: the array has four elements; loads need no alignment.
            unsafe { _mm256_loadu_pd(lists[k].as_ptr()) }
        };
        let (a, b, c, d) = (list(0), list(1), list(2), list(3));
        let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
        let (ab_2, cd_2) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
        columns[0][half] = _mm256_permute2f128_pd::<0x20>(ab, cd);
        columns[1][half] = _mm256_permute2f128_pd::<0x20>(ab_2, cd_2);
        columns[2][half] = _mm256_permute2f128_pd::<0x31>(ab, cd);
        columns[3][half] = _mm256_permute2f128_pd::<0x31>(ab_2, cd_2);
    }
    columns
}
