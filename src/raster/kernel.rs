//! The interface of the kernels, which process many samples at once.

use super::coverage::GridPoint;
use super::grid::{BLOCKS, GROUP};
use super::scene::ScreenCorner;

/// How coverage and colours are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kernel {
    /// One by one, on every processor.
    Plain,
    /// Eight numbers at a time, on x86-64.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "of another machine")
    )]
    Avx2,
}

impl Kernel {
    /// The fastest kernel that this processor runs.
    pub(super) fn of_this_machine() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Self::Avx2;
        }
        Self::Plain
    }
}

/// The positions of a group's samples from the corner of its first pixel, in sixteenths of a pixel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lanes {
    pub(super) x: [i32; GROUP],
    pub(super) y: [i32; GROUP],
    /// The same in grid units.
    pub(super) grid_x: [f64; GROUP],
    pub(super) grid_y: [f64; GROUP],
    /// Pixels of a group along each axis.
    pub(super) side: i32,
}

impl Lanes {
    /// Lanes are ordered by sample, then by row and column of the pixel in the group.
    pub(super) fn new<const N: usize>(pattern: &[GridPoint; N]) -> Self {
        // 16 lanes hold 4x4 pixels with one sample, or 2x2 with four.
        let side = if N == 4 { 2 } else { 4 };
        let (mut x, mut y) = ([0; GROUP], [0; GROUP]);
        for (s, sample) in pattern.iter().enumerate() {
            for (k, (column, row)) in (0..side * side).map(|k| (k % side, k / side)).enumerate() {
                let lane = s * GROUP / N + k;
                // Samples lie on every 16th of the 256 grid positions of a pixel. In sixteenths, products with edges
                // fit into 32 bits.
                (x[lane], y[lane]) = (16 * column + sample.x / 16, 16 * row + sample.y / 16);
            }
        }
        Self {
            grid_x: x.map(|x| f64::from(16 * x)),
            grid_y: y.map(|y| f64::from(16 * y)),
            x,
            y,
            side,
        }
    }
}

/// A triangle to draw into a tile.
#[derive(Debug)]
pub(super) struct Job {
    /// Its index in the tile's list.
    pub(super) number: u32,
    /// Clockwise; the area is not zero.
    pub(super) corners: [ScreenCorner; 3],
    /// The tile's first pixel.
    pub(super) origin: [i32; 2],
    /// The first and the last pixel that it may touch, from the origin.
    pub(super) pixels: [[i32; 2]; 2],
}

/// The tile's buffers that a triangle is drawn into.
#[derive(Debug)]
pub(super) struct Target<'a> {
    /// Group by group, in the order of [`Lanes`].
    pub(super) depth: &'a mut [[f32; GROUP]],
    pub(super) triangle: &'a mut [[u32; GROUP]],
    /// A bound of each block: no sample of it is farther. Renewed when it is needed.
    pub(super) farthest: &'a mut [f32; BLOCKS],
    /// Blocks that were drawn into since their bound was computed, as bits.
    pub(super) stale: &'a mut u64,
}
