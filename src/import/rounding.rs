//! Rounding to the precision of geometry.

/// `number` as the nearest f32; infinite if it is too large.
#[expect(clippy::cast_possible_truncation, reason = "geometry is f32")]
pub(super) fn f32_of(number: f64) -> f32 {
    number as f32
}
