//! The interface of the kernels, which process many samples at once.

use super::coverage::{BLOCKS, Edges, GROUP, GridPoint, SUBPIXEL};
use super::interpolate::Interpolator;
use super::scene::ScreenCorner;

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

/// Depth over a triangle: linear on the screen.
#[derive(Debug, Clone, Copy)]
pub(super) struct DepthPlane {
    /// The first corner.
    pub(super) origin: GridPoint,
    /// At the origin.
    pub(super) depth: f64,
    /// Per grid unit to the right.
    pub(super) per_x: f64,
    /// Per grid unit downwards.
    pub(super) per_y: f64,
}

impl DepthPlane {
    /// * `corners` – of a triangle whose area is not zero.
    pub(super) fn new(corners: &[ScreenCorner; 3]) -> Self {
        let weights = Interpolator::new(corners);
        let depths = corners.map(|corner| corner.depth);
        let (b, c) = (depths[1] - depths[0], depths[2] - depths[0]);
        Self {
            origin: corners[0].at,
            depth: depths[0],
            // Depth is the sum of the corners' depths times the screen-space weights. These sum to 1, so differences to
            // the first corner's depth suffice.
            per_x: weights.per_x[1] * b + weights.per_x[2] * c,
            per_y: weights.per_y[1] * b + weights.per_y[2] * c,
        }
    }

    /// Depth at the samples `pattern` of the pixels in `row`.
    #[inline]
    pub(super) fn along<const N: usize>(&self, row: i32, pattern: &[GridPoint; N]) -> DepthRow<N> {
        let (mut start, mut x) = ([0.0; N], [0.0; N]);
        for (s, sample) in pattern.iter().enumerate() {
            let y = f64::from(row * SUBPIXEL + sample.y - self.origin.y);
            start[s] = self.depth + self.per_y * y;
            x[s] = f64::from(sample.x - self.origin.x);
        }
        DepthRow {
            start,
            x,
            per_x: self.per_x,
        }
    }
}

/// Depth over a triangle in one row of pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct DepthRow<const N: usize> {
    /// In the column of the triangle's first corner.
    start: [f64; N],
    /// How far right of that corner the samples of column 0 are, in grid units.
    x: [f64; N],
    per_x: f64,
}

impl<const N: usize> DepthRow<N> {
    /// Depth at the samples of the pixel in `column`. Depends on the pixel and the triangle alone, not on the pixels
    /// visited before: positions are integers, which f64 adds exactly.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "depth is kept as f32")]
    pub(super) fn at(&self, column: i32) -> [f32; N] {
        let left = f64::from(column * SUBPIXEL);
        // Spelled out, as in `along`: `from_fn`, `map` and `zip` are not inlined, and take most of the time.
        let mut depths = [0.0; N];
        for (s, depth) in depths.iter_mut().enumerate() {
            *depth = (self.start[s] + self.per_x * (left + self.x[s])) as f32;
        }
        depths
    }
}

/// Finds the pixels of one triangle, one by one: for translucent surfaces, which keep all their samples; for alpha tests;
/// and for edges so long that their functions need 64 bits.
#[derive(Debug)]
pub(super) struct Walker<'a, const N: usize> {
    pattern: &'a [GridPoint; N],
    edges: Edges<N>,
    depth: DepthPlane,
}

impl<'a, const N: usize> Walker<'a, N> {
    /// * `corners` – clockwise; the area is not zero.
    /// * `pattern` – the samples of a pixel.
    pub(super) fn new(corners: &[ScreenCorner; 3], pattern: &'a [GridPoint; N]) -> Self {
        Self {
            pattern,
            edges: Edges::new(corners.map(|corner| corner.at), pattern),
            depth: DepthPlane::new(corners),
        }
    }

    /// Calls `visit` with the column and mask of each pixel of a row that has a covered sample.
    #[inline]
    pub(super) fn walk(&self, row: i32, first: i32, last: i32, mut visit: impl FnMut(i32, u8)) {
        let mut at = self.edges.at_pixel(first, row);
        let mut column = first;
        // A convex triangle covers one run of each row: skip to its start,
        while column <= last && self.edges.miss(&at) {
            self.edges.step_right(&mut at);
            column += 1;
        }
        // and stop at its end. A pixel in between may still have no covered sample.
        while column <= last && !self.edges.miss(&at) {
            let mask = self.edges.mask(&at);
            if mask != 0 {
                visit(column, mask);
            }
            self.edges.step_right(&mut at);
            column += 1;
        }
    }

    /// The covered samples of one pixel: bit `s` for sample `s`.
    #[inline]
    pub(super) fn mask_at(&self, column: i32, row: i32) -> u8 {
        self.edges.mask(&self.edges.at_pixel(column, row))
    }

    /// Depth at the samples of the pixels in `row`, covered or not.
    #[inline]
    pub(super) fn depths_along(&self, row: i32) -> DepthRow<N> {
        self.depth.along(row, self.pattern)
    }
}
