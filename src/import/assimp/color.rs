//! From the vertex colours of files to linear light.

use glam::Vec4;

use crate::import::srgb::linear_from_srgb;

/// What a colour of a file means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColorSpace {
    /// Light: glTF (2.0 §3.9.2).
    Linear,
    /// As shown on a screen: every older format, by the custom of the programs that write them.
    Srgb,
}

/// `color` in linear light; alpha as it is.
pub(super) fn decode_color(color: Vec4, space: ColorSpace) -> Vec4 {
    match space {
        ColorSpace::Linear => color,
        ColorSpace::Srgb => linear_from_srgb(color),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_and_white_are_the_same_in_both_spaces() {
        for value in [Vec4::W, Vec4::ONE] {
            assert!(decode_color(value, ColorSpace::Srgb).abs_diff_eq(value, 1e-6));
        }
    }

    #[test]
    fn middle_grey_is_darker_in_linear_light() {
        let grey = decode_color(Vec4::splat(0.5), ColorSpace::Srgb);
        assert!((grey.x - 0.214_041).abs() < 1e-5, "{grey}");
        assert_eq!(grey.w.to_bits(), 0.5_f32.to_bits());
    }
}
