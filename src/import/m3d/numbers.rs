//! Coordinates of every size.

use super::cursor::{Cursor, Damage};

/// Whole numbers are parts of the largest.
pub(super) fn coordinate(cursor: &mut Cursor<'_>, size: usize) -> Result<f32, Damage> {
    Ok(match size {
        1 => f32::from(cursor.u8()?.cast_signed()) / 127.0,
        2 => f32::from(cursor.u16()?.cast_signed()) / 32767.0,
        4 => cursor.f32()?,
        _ => narrowed(cursor.f64()?),
    })
}

/// Of a texture point, which lies within the picture.
pub(super) fn texture_part(cursor: &mut Cursor<'_>, size: usize) -> Result<f32, Damage> {
    Ok(match size {
        1 => f32::from(cursor.u8()?) / 255.0,
        2 => f32::from(cursor.u16()?) / 65535.0,
        _ => coordinate(cursor, size)?,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding is what it is for"
)]
fn narrowed(number: f64) -> f32 {
    number as f32
}
