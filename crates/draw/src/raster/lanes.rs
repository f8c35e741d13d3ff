//! Numbers for one position or for eight, so that formulas have one source.
//!
//! Eight numbers are a vector of `fearless_simd`, compiled for each instruction set. Every level gives the same bits: lanes
//! are computed by the operators of f32 and f64, which round in the same way everywhere, and nothing is fused. Two
//! operations of `fearless_simd` depend on the level: minima and maxima of NaN or of zeros of either sign, and conversions
//! to integers of what does not fit. They are used only where neither occurs.

use std::ops::{Add, BitAnd, Div, Mul, Sub};

use fearless_simd::prelude::*;
use fearless_simd::{Simd, f32x4, f32x8, f64x4, f64x8, i32x8, mask32x8};

/// Eight numbers in f32.
pub(super) type F<S> = f32x8<S>;
/// Eight integers.
pub(super) type I<S> = i32x8<S>;
/// Eight numbers in f64.
pub(super) type D<S> = f64x8<S>;

/// A number of type `T`, or eight.
pub(super) trait Arithmetic<T>:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<T, Output = Self>
    + Sub<T, Output = Self>
    + Mul<T, Output = Self>
    + Div<T, Output = Self>
{
    /// `value` in each lane that `self` has.
    fn all(self, value: T) -> Self;
}

/// Numbers in f32.
pub(super) trait Real: Arithmetic<f32> {
    /// The outcome of a comparison.
    type Mask: Copy + BitAnd<Output = Self::Mask>;

    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    fn is_below(self, limit: f32) -> Self::Mask;
    fn is_above(self, limit: f32) -> Self::Mask;
    /// `yes` where the mask is set, else `no`.
    fn either(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Whether the mask is set in every lane.
    fn is_set_everywhere(mask: Self::Mask) -> bool;

    /// The larger of the two; `limit` for NaN.
    #[inline(always)]
    fn at_least(self, limit: f32) -> Self {
        Self::either(self.is_above(limit), self, self.all(limit))
    }

    /// The smaller of the two; `limit` for NaN.
    #[inline(always)]
    fn at_most(self, limit: f32) -> Self {
        Self::either(self.is_below(limit), self, self.all(limit))
    }
}

/// Numbers in f64.
pub(super) trait Double: Arithmetic<f64> {
    type Single: Real;

    /// Rounded to f32.
    fn narrow(self) -> Self::Single;
}

/// One number per axis or channel.
pub(super) type V3<R> = [R; 3];

#[inline(always)]
pub(super) fn dot<R: Real>(a: V3<R>, b: V3<R>) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// As `normalize_or_zero`, with a mask of the lanes that have a direction.
#[inline(always)]
pub(super) fn unit<R: Real>(vector: V3<R>) -> (V3<R>, R::Mask) {
    let length = dot(vector, vector).sqrt();
    let inverse = length.all(1.0) / length;
    let is_sound = inverse.is_below(f32::INFINITY) & inverse.is_above(0.0);
    let mut scaled = vector;
    for axis in &mut scaled {
        *axis = R::either(is_sound, *axis * inverse, inverse.all(0.0));
    }
    (scaled, is_sound)
}

impl Arithmetic<f32> for f32 {
    #[inline(always)]
    fn all(self, value: f32) -> Self {
        value
    }
}

impl Arithmetic<f64> for f64 {
    #[inline(always)]
    fn all(self, value: f64) -> Self {
        value
    }
}

impl<S: Simd> Arithmetic<f32> for F<S> {
    #[inline(always)]
    fn all(self, value: f32) -> Self {
        Self::splat(self.token(), value)
    }
}

impl<S: Simd> Arithmetic<f64> for D<S> {
    #[inline(always)]
    fn all(self, value: f64) -> Self {
        Self::splat(self.token(), value)
    }
}

impl Real for f32 {
    type Mask = bool;

    #[inline(always)]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        f32::abs(self)
    }

    #[inline(always)]
    fn is_below(self, limit: f32) -> bool {
        self < limit
    }

    #[inline(always)]
    fn is_above(self, limit: f32) -> bool {
        self > limit
    }

    #[inline(always)]
    fn either(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn is_set_everywhere(mask: bool) -> bool {
        mask
    }
}

impl<S: Simd> Real for F<S> {
    type Mask = mask32x8<S>;

    #[inline(always)]
    fn sqrt(self) -> Self {
        SimdFloat::sqrt(self)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        SimdBase::abs(self)
    }

    #[inline(always)]
    fn is_below(self, limit: f32) -> Self::Mask {
        self.simd_lt(limit)
    }

    #[inline(always)]
    fn is_above(self, limit: f32) -> Self::Mask {
        self.simd_gt(limit)
    }

    #[inline(always)]
    fn either(mask: Self::Mask, yes: Self, no: Self) -> Self {
        mask.select(yes, no)
    }

    #[inline(always)]
    fn is_set_everywhere(mask: Self::Mask) -> bool {
        mask.all_true()
    }
}

impl Double for f64 {
    type Single = f32;

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "attributes are f32")]
    fn narrow(self) -> f32 {
        self as f32
    }
}

impl<S: Simd> Double for D<S> {
    type Single = F<S>;

    #[inline(always)]
    fn narrow(self) -> F<S> {
        let (low, high) = self.split();
        low.narrow(high)
    }
}

/// From one list per lane to one vector per element.
#[inline(always)]
pub(super) fn transposed<S: Simd>(simd: S, lists: [&[f32; 4]; 8]) -> [F<S>; 4] {
    let mut rows = [[f32x4::splat(simd, 0.0); 4]; 2];
    for (row, list) in rows.as_flattened_mut().iter_mut().zip(lists) {
        *row = f32x4::load_array_ref(simd, list);
    }
    columns(rows)
}

/// From one list per lane to one vector per element.
#[inline(always)]
pub(super) fn transposed_doubles<S: Simd>(simd: S, lists: [&[f64; 4]; 8]) -> [D<S>; 4] {
    let mut rows = [[f64x4::splat(simd, 0.0); 4]; 2];
    for (row, list) in rows.as_flattened_mut().iter_mut().zip(lists) {
        *row = f64x4::load_array_ref(simd, list);
    }
    columns(rows)
}

/// From one vector per lane to one vector per element.
///
/// * `low`, `high` – of the first four lanes and of the last four.
#[inline(always)]
pub(super) fn columns<S: Simd, V: SimdCombine<S>>([low, high]: [[V; 4]; 2]) -> [V::Combined; 4] {
    let (low, high) = (columns_of_four(low), columns_of_four(high));
    [
        low[0].combine(high[0]),
        low[1].combine(high[1]),
        low[2].combine(high[2]),
        low[3].combine(high[3]),
    ]
}

#[inline(always)]
fn columns_of_four<S: Simd, V: SimdBase<S>>([a, b, c, d]: [V; 4]) -> [V; 4] {
    // Numbers of two rows alternate, then those of four.
    let ((ac, ac_last), (bd, bd_last)) = (a.interleave(c), b.interleave(d));
    let ((first, second), (third, last)) = (ac.interleave(bd), ac_last.interleave(bd_last));
    [first, second, third, last]
}
