//! The positions of the samples of a pixel.

use crate::view::Samples;

/// Four samples per pixel, from its top left corner: the standard positions of Direct3D 11.
///
/// Each is drawn in its own pass, so that the driver's choice of positions does not affect the image.
pub(super) const STANDARD: [[f32; 2]; 4] = [
    [0.375, 0.125],
    [0.875, 0.375],
    [0.125, 0.625],
    [0.625, 0.875],
];

/// The positions of the samples.
pub(super) fn offsets(samples: Samples) -> &'static [[f32; 2]] {
    match samples {
        Samples::One => &[[0.5, 0.5]],
        Samples::Four => &STANDARD,
    }
}
