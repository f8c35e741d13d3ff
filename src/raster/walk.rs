//! The pixels of a triangle, one by one: the reference for faster kernels.

use super::coverage::{Edges, GridPoint};
use super::depth::{DepthPlane, DepthRow};
use super::scene::ScreenCorner;

/// Finds the pixels of one triangle.
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
