//! Eight numbers at a time, with AVX2: no more than names for what the kernels of this folder use.

#![cfg(target_arch = "x86_64")]
#![expect(
    unsafe_code,
    reason = "registers are loaded and stored through pointers"
)]

use std::arch::x86_64::{
    __m256, __m256d, _mm256_add_pd, _mm256_add_ps, _mm256_cvtpd_ps, _mm256_loadu_pd, _mm256_mul_pd,
    _mm256_mul_ps, _mm256_set_m128, _mm256_set1_pd, _mm256_set1_ps, _mm256_storeu_ps,
    _mm256_sub_pd, _mm256_sub_ps,
};

use glam::Vec3;

/// Places that are looked at together.
pub(super) const WIDTH: usize = 8;

/// Eight numbers in f32.
pub(super) type F = __m256;
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

#[cfg(test)]
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn floats(values: &[f32; WIDTH]) -> F {
    // SAFETY: the array has eight places; loads need no alignment.
    unsafe { std::arch::x86_64::_mm256_loadu_ps(values.as_ptr()) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn put(values: &mut [f32; WIDTH], from: F) {
    // SAFETY: the array has eight places; stores need no alignment.
    unsafe { _mm256_storeu_ps(values.as_mut_ptr(), from) }
}
