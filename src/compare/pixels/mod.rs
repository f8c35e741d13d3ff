//! Two images of the same scene, pixel by pixel.
//!
//! The scene decides how strictly a pixel is judged. Where every sample is certainly covered, or certainly not, both
//! images must be equal to within interpolation and rounding. Where rounding decides what a sample shows, they may
//! differ, and the differences are counted. A sample is open if it is so close to an outline that a corner's rounding
//! to the sub-pixel grid decides, if two surfaces are too close in depth to separate, if a masked surface's alpha is
//! too close to its cutoff, or if a triangle leaves the view volume, where each path clips in its own way.
//!
//! # Reference
//!
//! The idea comes from `tcu::verifyTriangleGroupRasterization` in Khronos' conformance tests (VK-GL-CTS).

mod alpha;
mod class;
mod judge;
mod levels;
mod surfaces;
mod texels;
mod textured;
mod tile;
mod triangle;

use schemars::JsonSchema;
use serde::Serialize;

use super::MeshTruth;
use crate::frame::Frame;
use crate::rig::{Asset, InstanceId, Look};
use crate::view::{Camera, Samples, Style, Viewport};
use class::{CENTRE, STANDARD};
use judge::Judge;
use texels::Allowances;
use textured::Textured;
use tile::classify;

pub use class::PixelClass;

/// The scene that both images show.
#[derive(Debug, Clone, Copy)]
pub struct Drawn<'a> {
    /// The model; valid by [`Asset::validate`].
    pub asset: &'a Asset,
    /// Its vertices in world space, and how far each path may have moved them.
    pub truth: &'a [MeshTruth],
    /// Which of them are shown, and the values of their materials.
    pub look: &'a Look,
    /// The camera.
    pub camera: &'a Camera,
    /// The size of both images.
    pub viewport: Viewport,
    /// The appearance of the surface, and the number of samples.
    pub style: &'a Style,
    /// The spacing of the coarser path's sub-pixel grid, in pixels.
    pub snap: f64,
}

impl Drawn<'_> {
    /// A grid of 256 positions per pixel along each axis, as in the CPU path and nearly all drivers.
    pub const SNAP: f64 = 1.0 / 256.0;
}

/// How two images of the same scene differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct PixelReport {
    /// The number of pixels of each class.
    pub counts: ClassCounts,
    /// Sure pixels that differ by more than allowed.
    pub wrong: usize,
    /// Open pixels that differ by more than rounding to bytes: by more than one code in a channel.
    pub open_differing: usize,
    /// The largest difference of a channel in a sure pixel, in codes.
    pub largest: u8,
    /// The mean, over all sure pixels that are not empty, of the largest difference of a channel.
    pub mean: f64,
    /// The wrong pixel that exceeds its allowance most.
    pub worst: Option<WorstPixel>,
}

/// The result of comparing two images.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// In numbers.
    pub report: PixelReport,
    /// One per pixel, row by row.
    pub marks: Vec<Mark>,
}

/// Numbers of pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClassCounts {
    /// [`PixelClass::Empty`].
    pub empty: usize,
    /// [`PixelClass::Whole`].
    pub whole: usize,
    /// [`PixelClass::Mixed`].
    pub mixed: usize,
    /// [`PixelClass::Open`].
    pub open: usize,
}

impl ClassCounts {
    /// Pixels that show something, or may.
    #[must_use]
    pub fn drawn(&self) -> usize {
        self.whole + self.mixed + self.open
    }
}

/// The worst pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WorstPixel {
    /// Column, from the left.
    pub x: u32,
    /// Row, from the top.
    pub y: u32,
    /// Its colour in the first image.
    pub first: [u8; 4],
    /// Its colour in the second image.
    pub second: [u8; 4],
    /// The largest allowed difference in the channel that is farthest beyond it, in codes.
    pub allowed: u8,
    /// Its class.
    pub class: PixelClass,
    /// The mesh it shows; `None` for the background or several surfaces.
    pub instance: Option<InstanceId>,
}

/// The verdict on a pixel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing is drawn there, and both images are empty.
    #[default]
    Empty,
    /// It is sure, and both images agree.
    Agrees,
    /// It is open, and the images agree nevertheless.
    Open,
    /// It is open, and the images differ.
    OpenDiffers,
    /// It is sure, and the images differ.
    Wrong,
}

/// Two images that cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PixelError {
    /// An image has the wrong size.
    #[error(
        "expected an image of {expected_width}x{expected_height} pixels, found {width}x{height}"
    )]
    Size {
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
        /// In pixels.
        expected_width: u32,
        /// In pixels.
        expected_height: u32,
    },
}

impl PixelReport {
    /// Whether no sure pixel differs by more than allowed.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.wrong == 0
    }

    /// The fraction of drawn pixels that rounding decides; the comparison says nothing about them.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers of pixels are far below 2^53"
    )]
    pub fn open_share(&self) -> f64 {
        match self.counts.drawn() {
            0 => 0.0,
            drawn => self.counts.open as f64 / drawn as f64,
        }
    }
}

/// Compares two images of `drawn`. The first shows how colours change from pixel to pixel.
///
/// # Errors
///
/// [`PixelError`] if an image does not have the size of the viewport.
pub fn pixels(first: &Frame, second: &Frame, drawn: &Drawn<'_>) -> Result<Compared, PixelError> {
    check_size(first, drawn.viewport)?;
    check_size(second, drawn.viewport)?;
    let surfaces = surfaces::surfaces(drawn);
    let classes = match drawn.style.samples {
        Samples::One => classify(&surfaces, drawn.viewport, &CENTRE),
        Samples::Four => classify(&surfaces, drawn.viewport, &STANDARD),
    };
    let judge = Judge {
        images: [first, second],
        allowances: Allowances::new(first, &classes),
        classes: &classes,
        surfaces: &surfaces,
        textured: Textured::new(&surfaces, drawn.viewport, drawn.style.samples),
    };
    Ok(judge.judge_all())
}

fn check_size(frame: &Frame, viewport: Viewport) -> Result<(), PixelError> {
    let pixels = viewport.width as usize * viewport.height as usize;
    let fits = (frame.width, frame.height) == (viewport.width, viewport.height);
    if fits && frame.rgba.len() == 4 * pixels {
        return Ok(());
    }
    Err(PixelError::Size {
        width: frame.width,
        height: frame.height,
        expected_width: viewport.width,
        expected_height: viewport.height,
    })
}

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

/// A rectangle of pixels.
#[derive(Debug, Clone, Copy, Default)]
struct Area {
    left: i32,
    top: i32,
    /// One past the last column.
    right: i32,
    /// One past the last row.
    bottom: i32,
}

impl Area {
    fn new(left: usize, top: usize, right: usize, bottom: usize) -> Self {
        let side = |side: usize| i32::try_from(side).unwrap_or(i32::MAX);
        Self {
            left: side(left),
            top: side(top),
            right: side(right),
            bottom: side(bottom),
        }
    }

    fn meets(&self, [left, top, right, bottom]: &[i32; 4]) -> bool {
        *left < self.right && *top < self.bottom && *right > self.left && *bottom > self.top
    }

    /// Calls `act` for each pixel that is also in `bounds`, with its index in this area and its column and row.
    #[inline]
    #[expect(clippy::cast_sign_loss, reason = "the pixel is in the area")]
    fn each(&self, [left, top, right, bottom]: &[i32; 4], mut act: impl FnMut(usize, i32, i32)) {
        for y in self.top.max(*top)..self.bottom.min(*bottom) {
            let row = (y - self.top) as usize * (self.right - self.left) as usize;
            for x in self.left.max(*left)..self.right.min(*right) {
                act(row + (x - self.left) as usize, x, y);
            }
        }
    }

    #[expect(clippy::cast_sign_loss, reason = "an area is not inverted")]
    fn len(&self) -> usize {
        (self.right - self.left) as usize * (self.bottom - self.top) as usize
    }
}

#[cfg(test)]
mod tests;
