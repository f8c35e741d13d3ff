//! The difference of two images as an image.

use super::Mark;
use crate::frame::Frame;

/// The magnification of differences: one code is then just visible.
const AMPLIFIED: u8 = 16;

/// Sure pixels that differ.
const WRONG: [u8; 3] = [255, 0, 200];

/// Open pixels that differ, and those that do not.
const OPEN_DIFFERS: [u8; 3] = [60, 90, 150];
const OPEN: [u8; 3] = [24, 34, 52];

/// Shows where `first` and `second` differ.
///
/// Wrong pixels are pink, open ones blue (brighter where the images differ), and all others show 16 times their
/// difference on black.
///
/// * `marks` – of these two images, one per pixel.
#[must_use]
pub fn difference(first: &Frame, second: &Frame, marks: &[Mark]) -> Frame {
    let pairs = first.rgba.chunks_exact(4).zip(second.rgba.chunks_exact(4));
    let colors = pairs.zip(marks).map(|((a, b), mark)| match mark {
        Mark::Wrong => WRONG,
        Mark::OpenDiffers => OPEN_DIFFERS,
        Mark::Open => OPEN,
        Mark::Agrees | Mark::Empty => {
            std::array::from_fn(|c| a[c].abs_diff(b[c]).saturating_mul(AMPLIFIED))
        }
    });
    Frame {
        width: first.width,
        height: first.height,
        rgba: colors.flat_map(|[r, g, b]| [r, g, b, 255]).collect(),
        depth: vec![1.0; marks.len()],
    }
}
