//! Depth over the screen.

use super::coverage::{GridPoint, SUBPIXEL};
use super::interpolate::Interpolator;
use super::scene::ScreenCorner;

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
