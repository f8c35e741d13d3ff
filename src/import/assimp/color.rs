//! The colour space of vertex colours in files.

use glam::Vec4;

use crate::import::color::linear_from_srgb;

/// The colour space of a file's colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColorSpace {
    /// Linear light: glTF (2.0 §3.9.2).
    Linear,
    /// sRGB: every older format, by the custom of the programs that write them.
    Srgb,
}

/// `color` in linear light; alpha is unchanged.
pub(super) fn decode_color(color: Vec4, space: ColorSpace) -> Vec4 {
    match space {
        ColorSpace::Linear => color,
        ColorSpace::Srgb => linear_from_srgb(color),
    }
}
