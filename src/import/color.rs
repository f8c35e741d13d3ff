//! From sRGB to linear light.

use glam::Vec4;

/// `color` in linear light; alpha is unchanged.
pub(super) fn linear_from_srgb(color: Vec4) -> Vec4 {
    let [r, g, b] = color.truncate().to_array().map(linear);
    Vec4::new(r, g, b, color.w)
}

/// IEC 61966-2-1.
fn linear(value: f32) -> f32 {
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
    fn black_and_white_are_the_same_in_both_spaces() {
        for value in [Vec4::W, Vec4::ONE] {
            assert!(linear_from_srgb(value).abs_diff_eq(value, 1e-6));
        }
    }

    #[test]
    fn middle_grey_is_darker_in_linear_light() {
        let grey = linear_from_srgb(Vec4::splat(0.5));
        assert!((grey.x - 0.214_041).abs() < 1e-5, "{grey}");
        assert_eq!(grey.w.to_bits(), 0.5_f32.to_bits());
    }
}
