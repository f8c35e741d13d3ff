//! Perspective-correct weights of a triangle's corners.

use super::coverage::{GridPoint, SUBPIXEL};
use super::lanes::Double;
use super::scene::ScreenCorner;

/// A position on the screen in grid units. Samples are at integers; means of samples need not be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScreenPosition<D = f64> {
    /// Rightwards.
    pub(super) x: D,
    /// Downwards.
    pub(super) y: D,
}

impl From<GridPoint> for ScreenPosition {
    fn from(point: GridPoint) -> Self {
        Self {
            x: f64::from(point.x),
            y: f64::from(point.y),
        }
    }
}

/// Weights of the three corners at a position, in world space. They sum to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Barycentric<D = f64> {
    /// One per corner.
    pub(super) weights: [D; 3],
    /// w of clip space at this position.
    w: D,
}

/// How fast the weights change, per pixel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slopes<D = f64> {
    /// To the right.
    pub(super) x: [D; 3],
    /// Down.
    pub(super) y: [D; 3],
}

/// The coefficients to interpolate over one triangle, or over one per lane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interpolator<D = f64> {
    /// The first corner: an origin on the triangle keeps the numbers small.
    pub(super) origin: ScreenPosition<D>,
    /// How the screen-space weights, which are (1, 0, 0) at the origin, change per grid unit to the right.
    pub(super) per_x: [D; 3],
    /// The same downwards.
    pub(super) per_y: [D; 3],
    /// The reciprocals of w at the corners.
    pub(super) inverse_w: [D; 3],
}

impl Interpolator {
    /// * `corners` – of a triangle whose area is not zero.
    #[expect(
        clippy::cast_precision_loss,
        reason = "2^59 at the most; the rounding is relative"
    )]
    pub(super) fn new(corners: &[ScreenCorner; 3]) -> Self {
        let [a, b, c] = corners.map(|corner| corner.at);
        // The gradients of the barycentric coordinates: each is 1 at its corner and 0 along the opposite side.
        let area = super::coverage::doubled_area([a, b, c]) as f64;
        let [pa, pb, pc] = [a, b, c].map(ScreenPosition::from);
        Self {
            origin: pa,
            per_x: [
                (pb.y - pc.y) / area,
                (pc.y - pa.y) / area,
                (pa.y - pb.y) / area,
            ],
            per_y: [
                (pc.x - pb.x) / area,
                (pa.x - pc.x) / area,
                (pb.x - pa.x) / area,
            ],
            inverse_w: corners.map(|corner| corner.inverse_w),
        }
    }
}

impl<D: Double> Interpolator<D> {
    /// The weights at `position`, which is inside the triangle.
    ///
    /// # Reference
    ///
    /// P. Heckbert and H. Moreton, "Interpolation for Polygon Texture Mapping and Shading" (1991): a/w and 1/w are linear
    /// on the screen.
    #[inline(always)]
    pub(super) fn at(&self, position: ScreenPosition<D>) -> Barycentric<D> {
        // 1. Evaluate the screen-space weights, which are linear on the screen.
        // 2. Multiply each by 1/w of its corner: these products are linear too, and their sum is 1/w at this position.
        // 3. Divide each by that sum: the weights in world space.
        let (x, y) = (position.x - self.origin.x, position.y - self.origin.y);
        let mut weights = self.inverse_w;
        for (k, start) in [1.0, 0.0, 0.0].into_iter().enumerate() {
            let on_screen = self.per_x[k] * x + start + self.per_y[k] * y;
            weights[k] = on_screen * self.inverse_w[k];
        }
        let inverse_w = weights[0] + weights[1] + weights[2];
        let w = inverse_w.all(1.0) / inverse_w;
        for weight in &mut weights {
            *weight = *weight * w;
        }
        Barycentric { weights, w }
    }

    /// How the weights change around the position of `at`.
    #[inline(always)]
    pub(super) fn slopes(&self, at: &Barycentric<D>) -> Slopes<D> {
        Slopes {
            x: self.slope(&self.per_x, at),
            y: self.slope(&self.per_y, at),
        }
    }

    /// By the quotient rule: with n = weight/w and d = 1/w, both linear, (n/d)' = (n' - (n/d) d') / d.
    #[inline(always)]
    fn slope(&self, per_unit: &[D; 3], at: &Barycentric<D>) -> [D; 3] {
        let scale = at.w * f64::from(SUBPIXEL);
        let mut over_w = *per_unit;
        for (over_w, inverse_w) in over_w.iter_mut().zip(self.inverse_w) {
            *over_w = *over_w * inverse_w;
        }
        let sum = over_w[0] + over_w[1] + over_w[2];
        for (over_w, weight) in over_w.iter_mut().zip(at.weights) {
            *over_w = (*over_w - weight * sum) * scale;
        }
        over_w
    }
}

/// The means of samples of a pixel.
///
/// A triangle is convex, so the mean of samples inside it is inside too, and shading there never extrapolates. If the
/// triangle covers all samples of the pixel, the mean is the pixel's centre.
#[derive(Debug, Clone, Copy)]
pub(super) struct Means {
    /// The mean of each set of up to four samples, relative to the pixel's corner. The index has bit `s` for sample `s`.
    offsets: [ScreenPosition; 16],
}

impl Means {
    /// * `pattern` – the samples of a pixel.
    pub(super) fn new<const N: usize>(pattern: &[GridPoint; N]) -> Self {
        let mean = |mask: usize| {
            let samples = (0..N).filter(|s| mask & (1 << s) != 0);
            let [x, y, count] = samples.fold([0.0; 3], |[x, y, count], s| {
                let sample = ScreenPosition::from(pattern[s]);
                [x + sample.x, y + sample.y, count + 1.0]
            });
            ScreenPosition {
                x: x / count,
                y: y / count,
            }
        };
        Self {
            offsets: std::array::from_fn(mean),
        }
    }

    /// The mean of the samples `mask`, at least one, of the pixel in `column` and `row`.
    #[inline]
    pub(super) fn at(&self, column: i32, row: i32, mask: u8) -> ScreenPosition {
        let offset = self.offsets[usize::from(mask & 15)];
        ScreenPosition {
            x: f64::from(column * SUBPIXEL) + offset.x,
            y: f64::from(row * SUBPIXEL) + offset.y,
        }
    }
}

/// Distance from `position` to the side from `a` to `b`, in pixels.
pub(super) fn distance_to_side(a: GridPoint, b: GridPoint, position: ScreenPosition) -> f64 {
    let (a, b) = (ScreenPosition::from(a), ScreenPosition::from(b));
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let doubled_area = dx * (position.y - a.y) - dy * (position.x - a.x);
    let length = (dx * dx + dy * dy).sqrt();
    (doubled_area / length).abs() / f64::from(SUBPIXEL)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::raster::coverage::{STANDARD, doubled_area};
    use crate::raster::kernel::Walker;
    use crate::raster::tests::{Verdict, check};

    type Weigh = fn(&Triangle, ScreenPosition) -> [f64; 3];

    fn weigh(triangle: &Triangle, position: ScreenPosition) -> [f64; 3] {
        Interpolator::new(triangle).at(position).weights
    }

    type Triangle = [ScreenCorner; 3];

    fn triangle(corners: [((i32, i32), f64); 3]) -> Triangle {
        corners.map(|((x, y), w)| ScreenCorner {
            at: GridPoint { x, y },
            depth: 0.5,
            inverse_w: 1.0 / w,
        })
    }

    fn clockwise_triangle() -> impl Strategy<Value = Triangle> {
        let axis = || 0..(8 * SUBPIXEL);
        let corner = || ((axis(), axis()), 0.1..20.0_f64);
        let large = |triangle: &Triangle| {
            doubled_area(triangle.map(|corner| corner.at)) > i64::from(SUBPIXEL * SUBPIXEL)
        };
        (corner(), corner(), corner())
            .prop_map(|(a, b, c)| triangle([a, b, c]))
            .prop_filter("thin or counter-clockwise", large)
    }

    /// The position on the screen of the point with `weights` in the world, found through clip space.
    fn seen_at(triangle: &Triangle, weights: [f64; 3]) -> ScreenPosition {
        let corners = || triangle.iter().zip(weights);
        let w: f64 = corners()
            .map(|(corner, weight)| weight / corner.inverse_w)
            .sum();
        let axis = |of: fn(GridPoint) -> i32| {
            let sum = corners().map(|(c, weight)| weight * f64::from(of(c.at)) / c.inverse_w);
            sum.sum::<f64>() / w
        };
        ScreenPosition {
            x: axis(|at| at.x),
            y: axis(|at| at.y),
        }
    }

    fn weights_are_those_of_the_world(weigh: Weigh) -> Verdict {
        let shares = prop::array::uniform3(0.01..1.0_f64);
        check(&(clockwise_triangle(), shares), |(triangle, shares)| {
            let sum: f64 = shares.iter().sum();
            let expected = shares.map(|share| share / sum);
            let found = weigh(&triangle, seen_at(&triangle, expected));
            for (found, expected) in found.iter().zip(expected) {
                prop_assert!((found - expected).abs() < 1e-9, "{} != {}", found, expected);
            }
            Ok(())
        })
    }

    #[test]
    fn interpolation_is_correct_in_perspective() {
        weights_are_those_of_the_world(weigh).unwrap();
    }

    #[test]
    fn the_law_of_perspective_sees_weights_that_are_linear_on_the_screen() {
        let affine: Weigh = |triangle, position| {
            let mut flat = *triangle;
            for corner in &mut flat {
                corner.inverse_w = 1.0;
            }
            weigh(&flat, position)
        };
        assert!(weights_are_those_of_the_world(affine).is_err());
    }

    fn slopes_predict_the_next_pixel(scale: f64) -> Verdict {
        /// So small a part of a pixel that curvature does not show.
        const STEPS: f64 = 1_048_576.0;
        check(&clockwise_triangle(), |triangle| {
            let interpolator = Interpolator::new(&triangle);
            let start = seen_at(&triangle, [0.4, 0.3, 0.3]);
            let step = f64::from(SUBPIXEL) / STEPS;
            let at = interpolator.at(start);
            let next = interpolator.at(ScreenPosition {
                x: start.x + step,
                ..start
            });
            let slopes = interpolator.slopes(&at);
            for k in 0..3 {
                let found = (next.weights[k] - at.weights[k]) * STEPS;
                let error = (found - slopes.x[k] * scale).abs();
                prop_assert!(
                    error < 1e-3 * slopes.x[k].abs() + 1e-3,
                    "{} != {}",
                    found,
                    slopes.x[k]
                );
            }
            Ok(())
        })
    }

    #[test]
    fn slopes_are_per_pixel() {
        slopes_predict_the_next_pixel(1.0).unwrap();
        assert!(slopes_predict_the_next_pixel(0.5).is_err());
    }

    type Choose = fn(&Means, [i32; 2], u8) -> ScreenPosition;

    fn nothing_is_extrapolated(choose: Choose) -> Verdict {
        let pixel = (0..8, 0..8);
        check(&(clockwise_triangle(), pixel), |(triangle, (x, y))| {
            let mask = Walker::new(&triangle, &STANDARD).mask_at(x, y);
            if mask != 0 {
                let position = choose(&Means::new(&STANDARD), [x, y], mask);
                let weights = weigh(&triangle, position);
                prop_assert!(
                    weights.iter().all(|weight| *weight >= -1e-12),
                    "{:?}",
                    weights
                );
            }
            Ok(())
        })
    }

    #[test]
    fn the_mean_of_covered_samples_is_inside_of_the_triangle() {
        nothing_is_extrapolated(|means, [x, y], mask| means.at(x, y, mask)).unwrap();
    }

    #[test]
    fn the_law_of_extrapolation_sees_attributes_taken_at_the_centre() {
        assert!(nothing_is_extrapolated(|means, [x, y], _| means.at(x, y, 15)).is_err());
    }
}
