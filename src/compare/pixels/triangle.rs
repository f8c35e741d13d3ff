//! Visible triangles, with the samples that they certainly cover.
//!
//! With `u = 2^-24` and `γ(k)` as in the bounds of skinning: clip coordinates are 8 roundings away from the skinned
//! position, whether the camera's two matrices are multiplied first (4) and then the position (4), or one at a time. A
//! position that is off by `b` moves a coordinate by `b` times the length of its row. The division rounds twice, or
//! four times where it is a reciprocal and a product; the viewport's scale and offset round three times. Finally, the
//! position is snapped to a grid.

use glam::{DMat4, DVec2, DVec3, DVec4};
use rayon::prelude::*;

use crate::compare::Known;
use crate::rig::AlphaMode;
use crate::view::{Camera, Viewport};

/// Roundings of a depth that is interpolated in f32 and stored with 24 bits.
const DEPTH_ROUNDING: f64 = 4.0 * 0.5 * f32::EPSILON as f64;

/// A triangle on the screen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Triangle {
    /// Index in the list of surfaces.
    pub(super) surface: usize,
    /// Index in the mesh's list of triangles.
    pub(super) index: usize,
    /// Corners on the screen, in pixels.
    pub(super) corners: [DVec2; 3],
    /// Largest distance of a path's corners from these, in pixels.
    pub(super) radius: f64,
    /// How its alpha is used.
    pub(super) alpha: AlphaMode,
    /// How far rounding may rotate its normals, in radians; infinite if it may flip them.
    pub(super) rotation: f64,
    /// Leftmost column, topmost row, and one past the last column and row that it may touch.
    pub(super) bounds: [i32; 4],
    sides: [Side; 3],
    depth: DepthPlane,
}

/// A side as a line: `normal · position + offset` is the distance inwards, in pixels.
#[derive(Debug, Clone, Copy, Default)]
struct Side {
    normal: DVec2,
    offset: f64,
}

/// Depth over the screen, and its possible error.
#[derive(Debug, Clone, Copy)]
struct DepthPlane {
    origin: DVec2,
    at_origin: f64,
    slope: DVec2,
    error: f64,
    /// The smallest and the largest depth of its corners.
    range: [f64; 2],
}

/// The samples of a pixel that a triangle touches: bit `s` for sample `s`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Touch {
    /// Covered by every path.
    pub(super) inside: u8,
    /// Covered on some paths only: too close to an outline.
    pub(super) open: u8,
}

impl Triangle {
    /// * `corners` – in either winding, all [plain](OnScreen::is_plain).
    /// * `extent` – width plus height of the image in pixels.
    pub(super) fn new(corners: [OnScreen; 3], extent: f64) -> Self {
        let positions = corners.map(|corner| corner.at);
        let radius = corners.iter().map(|c| c.radius).fold(0.0, f64::max);
        Self {
            surface: 0,
            index: 0,
            corners: positions,
            radius,
            alpha: AlphaMode::Opaque,
            rotation: 0.0,
            bounds: bounds(&positions, radius),
            sides: sides(&positions),
            depth: DepthPlane::new(&corners, radius, extent),
        }
    }

    /// Twice the area; positive if the corners run clockwise on the screen.
    pub(super) fn doubled_area(&self) -> f64 {
        let [a, b, c] = self.corners;
        (b - a).perp_dot(c - a)
    }

    /// Whether the winding is the same on every path.
    pub(super) fn has_sure_winding(&self) -> bool {
        let [a, b, c] = self.corners;
        let longest = [a - b, b - c, c - a]
            .map(DVec2::length)
            .into_iter()
            .fold(0.0, f64::max);
        // Moving a corner by the radius changes the doubled area by at most the radius times the opposite side, which is itself
        // longer by up to twice the radius.
        self.doubled_area().abs() > 4.0 * self.radius * longest
    }

    /// The samples of a pixel that the triangle touches.
    ///
    /// If a triangle's corners move by at most `radius`, so does its outline. A sample farther than that from the outline
    /// stays on its side.
    ///
    /// * `centre` – of the pixel.
    /// * `pattern` – the samples relative to it.
    #[inline]
    pub(super) fn touch<const N: usize>(&self, centre: DVec2, pattern: &[DVec2; N]) -> Touch {
        /// The largest distance of a sample from the centre along an axis.
        const REACH: f64 = 0.5;
        let mut all_inside = true;
        for side in &self.sides {
            let at_centre = side.normal.dot(centre) + side.offset;
            // The farthest distance of any point of the pixel's square from the centre, along the normal.
            let reach = REACH * (side.normal.x.abs() + side.normal.y.abs());
            // The whole square is outside this line, so the triangle touches no sample.
            if at_centre + reach < -self.radius {
                return Touch::default();
            }
            all_inside &= at_centre - reach > self.radius;
        }
        if all_inside {
            let inside = u8::MAX >> (8 - N);
            return Touch { inside, open: 0 };
        }
        self.touch_samples(centre, pattern)
    }

    fn touch_samples<const N: usize>(&self, centre: DVec2, pattern: &[DVec2; N]) -> Touch {
        let mut touch = Touch::default();
        for (s, offset) in pattern.iter().enumerate() {
            let position = centre + *offset;
            let inside = self
                .sides
                .map(|side| side.normal.dot(position) + side.offset);
            let least = inside.into_iter().fold(f64::INFINITY, f64::min);
            if least > self.radius {
                touch.inside |= 1 << s;
            // Inside but near the outline, or outside but near a side.
            } else if least >= 0.0 || (least >= -self.radius && self.is_near(position)) {
                touch.open |= 1 << s;
            }
        }
        touch
    }

    /// Whether a position outside the triangle is within the radius of its outline. Distances to the lines do not tell: beyond
    /// a sharp corner, the lines of two sides extend far past the sides themselves.
    fn is_near(&self, position: DVec2) -> bool {
        (0..3).any(|k| {
            let (a, b) = (self.corners[k], self.corners[(k + 1) % 3]);
            let (side, to_position) = (b - a, position - a);
            let length = side.length_squared();
            let along = if length > 0.0 {
                to_position.dot(side) / length
            } else {
                0.0
            };
            let off = to_position - side * along.clamp(0.0, 1.0);
            off.length_squared() <= self.radius * self.radius
        })
    }

    /// The nearest and the farthest depth at `position` on any path.
    #[inline]
    pub(super) fn depth_at(&self, position: DVec2) -> [f64; 2] {
        let plane = &self.depth;
        let depth = plane.at_origin + plane.slope.dot(position - plane.origin);
        let [least, most] = plane.range;
        // `min` and `max` ignore NaN.
        [
            (depth - plane.error).max(least),
            (depth + plane.error).min(most),
        ]
    }
}

impl DepthPlane {
    fn new(corners: &[OnScreen; 3], radius: f64, extent: f64) -> Self {
        let [a, b, c] = corners;
        let (ab, ac) = (b.at - a.at, c.at - a.at);
        let area = ab.perp_dot(ac);
        let (to_b, to_c) = (b.depth - a.depth, c.depth - a.depth);
        // Cramer's rule for `slope · ab = to_b` and `slope · ac = to_c`.
        let slope = (ac.perp() * -to_b + ab.perp() * to_c) / area;
        let of_corners = corners.iter().map(|c| c.depth_error).fold(0.0, f64::max);
        let depths = || corners.iter().map(|corner| corner.depth);
        let fixed = of_corners + DEPTH_ROUNDING;
        // A driver may extrapolate from the corner of the image, with a product that rounds.
        let error = fixed + slope.length() * (radius + extent * f64::from(f32::EPSILON));
        Self {
            origin: a.at,
            at_origin: a.depth,
            slope,
            error,
            // The plane of a sliver is steep and unreliable away from it, but its depth stays between its corners'.
            range: [
                depths().fold(f64::INFINITY, f64::min) - fixed,
                depths().fold(f64::NEG_INFINITY, f64::max) + fixed,
            ],
        }
    }
}

fn sides(corners: &[DVec2; 3]) -> [Side; 3] {
    let [a, b, c] = *corners;
    // Normals point inwards for either winding.
    let winding = (b - a).perp_dot(c - a).signum();
    std::array::from_fn(|k| {
        let (from, to) = (corners[k], corners[(k + 1) % 3]);
        let normal = (to - from).perp().normalize_or_zero() * winding;
        Side {
            normal,
            offset: -normal.dot(from),
        }
    })
}

#[expect(clippy::cast_possible_truncation, reason = "plain corners are near")]
fn bounds(corners: &[DVec2; 3], radius: f64) -> [i32; 4] {
    let [a, b, c] = *corners;
    let least = (a.min(b).min(c) - radius).floor();
    let most = (a.max(b).max(c) + radius).floor() + 1.0;
    [least.x as i32, least.y as i32, most.x as i32, most.y as i32]
}

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
