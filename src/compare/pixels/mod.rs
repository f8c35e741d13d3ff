//! Two pictures of the same scene, pixel by pixel.
//!
//! What is drawn decides how strictly a pixel is held: where every sample is surely covered, or surely not, both pictures
//! must show the same to within what interpolation and rounding explain; where rounding decides what a sample shows, they
//! may differ, and how many do is counted. A sample is open if it is so near to an outline that a corner's rounding to
//! the sub-pixel grid decides, if two surfaces are too near in depth to part, if a masked surface's alpha is too near its
//! cutoff, or if a triangle reaches out of the volume of sight, where each path cuts it in its own way.
//!
//! # Reference
//!
//! The idea is that of `tcu::verifyTriangleGroupRasterization` in the conformance tests of Khronos (VK-GL-CTS).

mod allowance;
mod alpha;
mod area;
mod class;
mod classify;
mod judge;
mod levels;
mod picture;
mod project;
mod surfaces;
#[cfg(test)]
mod tests;
mod texels;
mod textured;
mod tile;
mod triangle;

use super::MeshTruth;
use crate::frame::Frame;
use crate::rig::{Asset, InstanceId};
use crate::view::{Camera, Samples, Style, Viewport};
use allowance::Allowances;
use classify::{CENTRE, STANDARD, classify};
use judge::Judge;
use textured::Textured;

pub use class::PixelClass;
pub use picture::difference;

/// What both pictures show.
#[derive(Debug, Clone, Copy)]
pub struct Drawn<'a> {
    /// The model; valid by [`Asset::validate`].
    pub asset: &'a Asset,
    /// Its vertices in world space, and how far each path may have moved them.
    pub truth: &'a [MeshTruth],
    /// From where.
    pub camera: &'a Camera,
    /// The size of both pictures.
    pub viewport: Viewport,
    /// What the surface shows, and the samples.
    pub style: &'a Style,
    /// The spacing of the coarser path's sub-pixel grid, in pixels.
    pub snap: f64,
}

impl Drawn<'_> {
    /// A grid of 256 places a pixel along each axis, as the CPU path and nearly all drivers have.
    pub const SNAP: f64 = 1.0 / 256.0;
}

/// How two pictures of the same scene differ.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PixelReport {
    /// How many pixels there are of each class.
    pub counts: ClassCounts,
    /// Sure pixels that differ by more than is allowed.
    pub wrong: usize,
    /// Open pixels that differ by more than rounding to bytes: by more than one code in a channel.
    pub open_differing: usize,
    /// The largest difference of a channel in a sure pixel, in codes.
    pub largest: u8,
    /// The mean over all sure pixels that show something, of the largest difference of a channel.
    pub mean: f64,
    /// The wrong pixel that is farthest beyond what is allowed.
    pub worst: Option<WorstPixel>,
}

/// What came of comparing two pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// In numbers.
    pub report: PixelReport,
    /// One a pixel, row by row.
    pub marks: Vec<Mark>,
}

/// Numbers of pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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

/// The pixel to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorstPixel {
    /// Column, from the left.
    pub x: u32,
    /// Row, from the top.
    pub y: u32,
    /// In the first picture.
    pub first: [u8; 4],
    /// In the second picture.
    pub second: [u8; 4],
    /// The largest allowed difference in the channel that is farthest beyond it, in codes.
    pub allowed: u8,
    /// What is known about it.
    pub class: PixelClass,
    /// What it shows; `None` for the background, and for several surfaces.
    pub instance: Option<InstanceId>,
}

/// What to make of a pixel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing is drawn there, and nothing is shown.
    #[default]
    Empty,
    /// It is sure, and both pictures agree.
    Agrees,
    /// It is open, and the pictures agree nevertheless.
    Open,
    /// It is open, and the pictures differ.
    OpenDiffers,
    /// It is sure, and the pictures differ.
    Wrong,
}

/// Why two pictures cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PixelError {
    /// A picture is not as large as it should be.
    #[error(
        "a picture of {width}x{height} pixels where {expected_width}x{expected_height} were asked for"
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
    /// Whether no sure pixel differs by more than is allowed.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.wrong == 0
    }

    /// The part of what is drawn that rounding decides: about this, the comparison says nothing.
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

/// Compares two pictures of `drawn`. The first is taken to say how colours change from pixel to pixel.
///
/// # Errors
///
/// [`PixelError`] if a picture has not the size of the viewport.
pub fn pixels(first: &Frame, second: &Frame, drawn: &Drawn<'_>) -> Result<Compared, PixelError> {
    check_size(first, drawn.viewport)?;
    check_size(second, drawn.viewport)?;
    let surfaces = surfaces::surfaces(drawn);
    let classes = match drawn.style.samples {
        Samples::One => classify(&surfaces, drawn.viewport, &CENTRE),
        Samples::Four => classify(&surfaces, drawn.viewport, &STANDARD),
    };
    let judge = Judge {
        pictures: [first, second],
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
