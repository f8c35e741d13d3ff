//! Vertices on the screen, and their error bounds.
//!
//! With `u = 2^-24` and `γ(k)` as in the bounds of skinning: clip coordinates are 8 roundings away from the skinned
//! position, whether the camera's two matrices are multiplied first (4) and then the position (4), or one at a time. A
//! position that is off by `b` moves a coordinate by `b` times the length of its row. The division rounds twice, or
//! four times where it is a reciprocal and a product; the viewport's scale and offset round three times. Finally, the
//! position is snapped to a grid.

use glam::{DMat4, DVec2, DVec3, DVec4};
use rayon::prelude::*;

use crate::compare::Known;
use crate::view::{Camera, Viewport};

/// Half a unit in the last place of 1.
const UNIT: f64 = 0.5 * f32::EPSILON as f64;

/// Roundings from the skinned position to clip space.
const TO_CLIP: f64 = 8.0 * UNIT;

/// Roundings of the division by w.
const DIVISION: f64 = 4.0 * UNIT;

/// Roundings of the viewport's transform.
const TO_SCREEN: f64 = 3.0 * UNIT;

/// A vertex on the screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OnScreen {
    /// In pixels from the top left corner.
    pub(super) at: DVec2,
    /// Largest distance of a path's position, in pixels; infinite if unknown.
    pub(super) radius: f64,
    /// From 0 at the near plane to 1 at the far one.
    pub(super) depth: f64,
    /// Largest error of a path's depth.
    pub(super) depth_error: f64,
    /// The w of clip space.
    pub(super) w: f64,
    /// Whether it is certainly behind the viewer.
    pub(super) is_behind: bool,
}

impl OnScreen {
    /// Certainly in front of the viewer, and not so far outside the image that a path might clip it.
    pub(super) fn is_plain(&self) -> bool {
        /// Drivers' guard bands begin farther out.
        const FAR: f64 = 8192.0;
        let (depth, error) = (self.depth, self.depth_error);
        let between_planes = depth - error > 0.0 && depth + error < 1.0;
        between_planes && self.radius.is_finite() && self.at.abs().max_element() < FAR
    }
}

/// Projects vertices as one camera sees them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Projector {
    clip_from_world: DMat4,
    /// For each element, the sum of the magnitudes of the products in it.
    magnitude: DMat4,
    size: DVec2,
    /// The largest shift by snapping along an axis, in pixels.
    snap: f64,
}

impl Projector {
    /// * `snap` – the spacing of the coarser path's grid, in pixels.
    pub(super) fn new(camera: &Camera, viewport: Viewport, snap: f64) -> Self {
        let (view, clip) = (camera.view_from_world, camera.clip_from_view);
        let (view, clip) = (view.as_dmat4(), clip.as_dmat4());
        Self {
            clip_from_world: clip * view,
            magnitude: clip.abs() * view.abs(),
            size: DVec2::new(f64::from(viewport.width), f64::from(viewport.height)),
            snap,
        }
    }

    /// Projects all vertices of a mesh.
    pub(super) fn project_all(&self, positions: &Known) -> Vec<OnScreen> {
        let known = positions.values.par_iter().zip(&positions.bounds);
        known.map(|(at, bound)| self.project(*at, *bound)).collect()
    }

    fn project(&self, position: DVec3, bound: f64) -> OnScreen {
        let clip = self.clip_from_world * position.extend(1.0);
        // Rounding is relative to the products before they cancel, hence the magnitudes.
        let rounding = self.magnitude * position.abs().extend(1.0) * TO_CLIP;
        let off = rounding + self.lengths_of_rows() * bound;
        // The quotient of `x ± a` and `w ± b` is off by at most `(a + |x / w| b) / (w - b)`.
        let (ndc, least_w) = (clip.truncate() / clip.w, clip.w - off.w);
        // The error of a quotient; unbounded if w may be 0.
        let ndc_off = (off.truncate() + ndc.abs() * off.w) / least_w + ndc.abs() * DIVISION;
        let screen = DVec2::new(ndc.x * 0.5 + 0.5, 0.5 - ndc.y * 0.5) * self.size;
        let half = 0.5 * self.size;
        // The viewport's scale and offset round relative to both.
        let reach = half * (ndc.truncate().abs() + 1.0);
        let screen_off = half * ndc_off.truncate() + reach * TO_SCREEN + self.snap;
        // If w may be 0, the vertex may be anywhere.
        let known = least_w > 0.0 && screen_off.is_finite() && screen.is_finite();
        OnScreen {
            at: screen,
            radius: if known {
                screen_off.length()
            } else {
                f64::INFINITY
            },
            depth: ndc.z * 0.5 + 0.5,
            depth_error: 0.5 * ndc_off.z + TO_SCREEN,
            w: clip.w,
            is_behind: clip.w + off.w < 0.0,
        }
    }

    fn lengths_of_rows(&self) -> DVec4 {
        let rows = self.clip_from_world.transpose();
        let length = |row: DVec4| row.truncate().length();
        DVec4::new(
            length(rows.x_axis),
            length(rows.y_axis),
            length(rows.z_axis),
            length(rows.w_axis),
        )
    }
}

#[cfg(test)]
mod tests {
    use glam::Mat4;

    use super::*;

    #[test]
    fn magnitudes_bound_the_products_of_both_matrices() {
        let camera = Camera {
            view_from_world: Mat4::from_rotation_x(1.0),
            // A perspective divides by -z.
            clip_from_view: Mat4::from_cols_array_2d(&[
                [1.2, 0.0, 0.0, 0.0],
                [0.0, 1.8, 0.0, 0.0],
                [0.0, 0.0, -1.01, -1.0],
                [0.0, 0.0, -0.101, 0.0],
            ]),
        };
        let viewport = Viewport {
            width: 8,
            height: 8,
        };
        let projector = Projector::new(&camera, viewport, 0.0);
        let (product, magnitude) = (projector.clip_from_world, projector.magnitude);
        let elements = product
            .to_cols_array()
            .into_iter()
            .zip(magnitude.to_cols_array());
        for (element, bound) in elements {
            assert!(element.abs() <= bound * (1.0 + 1e-12), "{element} {bound}");
        }
    }
}
