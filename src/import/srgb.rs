//! From colours as screens show them to light.

use glam::Vec4;

/// `color` in linear light; alpha as it is.
///
/// # Reference
///
/// IEC 61966-2-1.
pub(super) fn linear_from_srgb(color: Vec4) -> Vec4 {
    let [r, g, b] = color.truncate().to_array().map(part);
    Vec4::new(r, g, b, color.w)
}

fn part(value: f32) -> f32 {
    if value <= 0.04045 {
        value / 12.92
    } else {
        libm::powf((value + 0.055) / 1.055, 2.4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_and_white_stay_as_they_are() {
        for value in [Vec4::W, Vec4::ONE] {
            assert!(linear_from_srgb(value).abs_diff_eq(value, 1e-6));
        }
    }
}
