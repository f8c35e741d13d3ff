//! The sRGB transfer function as tables for shaders.

use crate::gl::buffer::{TexelBuffer, TexelFormat};
use crate::gl::{Current, GlError};

/// Linear light of every sRGB byte, and the smallest light that rounds to each byte's successor.
#[derive(Debug)]
pub(super) struct SrgbTables<'gl> {
    pub(super) decode: TexelBuffer<'gl>,
    pub(super) thresholds: TexelBuffer<'gl>,
}

impl<'gl> SrgbTables<'gl> {
    pub(super) fn upload(gl: Current<'gl>) -> Result<Self, GlError> {
        let upload = |table: Vec<f32>| {
            TexelBuffer::upload(gl, &table, TexelFormat::R32F, "the tables of sRGB")
        };
        Ok(Self {
            decode: upload((0..=255).map(|code| light(f64::from(code))).collect())?,
            thresholds: upload((0..255).map(|code| light(f64::from(code) + 0.5)).collect())?,
        })
    }
}

/// Linear light of `code` of 255.
///
/// # Reference
///
/// IEC 61966-2-1.
#[expect(clippy::cast_possible_truncation, reason = "shaders compute in f32")]
fn light(code: f64) -> f32 {
    let encoded = code / 255.0;
    let light = if encoded > 0.04045 {
        libm::pow((encoded + 0.055) / 1.055, 2.4)
    } else {
        encoded / 12.92
    };
    light as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_has_its_known_values() {
        for (code, expected) in [
            (0.0, 0.0),
            (10.0, 0.003_035_3),
            (188.0, 0.502_886_5),
            (255.0, 1.0),
        ] {
            assert!(
                (light(code) - expected).abs() < 1e-6,
                "{code}: {}",
                light(code)
            );
        }
    }
}
