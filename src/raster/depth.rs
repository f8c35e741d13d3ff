//! Depth over the screen.

use super::coverage::GridPoint;
use super::interpolate::Interpolator;
use super::scene::Triangle;

/// Depth over a triangle: linear on the screen.
#[derive(Debug, Clone, Copy)]
pub(super) struct DepthPlane {
    origin: GridPoint,
    depth: f64,
    per_x: f64,
    per_y: f64,
}

impl DepthPlane {
    /// * `triangle` – not without area.
    pub(super) fn new(triangle: &Triangle) -> Self {
        let weights = Interpolator::new(triangle);
        let depths = triangle.corners.map(|corner| corner.depth);
        let (b, c) = (depths[1] - depths[0], depths[2] - depths[0]);
        Self {
            origin: triangle.corners[0].at,
            depth: depths[0],
            per_x: weights.per_x[1] * b + weights.per_x[2] * c,
            per_y: weights.per_y[1] * b + weights.per_y[2] * c,
        }
    }

    /// Depth at `point`. Depends on the point and the triangle alone, however one comes there.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "depth is kept as f32")]
    pub(super) fn at(&self, point: GridPoint) -> f32 {
        let x = f64::from(point.x - self.origin.x);
        let y = f64::from(point.y - self.origin.y);
        (self.depth + self.per_y * y + self.per_x * x) as f32
    }
}
