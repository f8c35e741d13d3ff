//! Where the samples of a pixel are.

use crate::view::Samples;

/// Four samples a pixel, from its top left corner: the standard positions of Direct3D 11.
///
/// Each is drawn in a pass of its own, so that no driver's own choice of places shows in the picture.
pub(super) const STANDARD: [[f32; 2]; 4] = [
    [0.375, 0.125],
    [0.875, 0.375],
    [0.125, 0.625],
    [0.625, 0.875],
];

/// The places of the samples.
pub(super) fn places(samples: Samples) -> &'static [[f32; 2]] {
    match samples {
        Samples::One => &[[0.5, 0.5]],
        Samples::Four => &STANDARD,
    }
}
