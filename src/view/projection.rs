//! From view space to clip space.

use glam::{DMat4, DVec2, DVec4};

use super::Viewport;

/// How depth appears in the image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Projection {
    /// Far things are smaller.
    Perspective {
        /// Between the image's lower and upper edge, clamped to [`Projection::FOV_Y_DEGREES`].
        fov_y_degrees: f64,
    },
    /// Size does not depend on distance.
    Orthographic,
}

impl Projection {
    /// Fields of view that differ from a parallel projection and from a half space.
    pub const FOV_Y_DEGREES: std::ops::RangeInclusive<f64> = 1.0..=170.0;

    /// A portrait lens: little distortion, and still a sense of depth.
    pub const DEFAULT: Self = Self::Perspective {
        fov_y_degrees: 35.0,
    };

    /// Half of the image's width and height at distance 1; zero for a parallel projection.
    pub(super) fn half_extent_per_distance(self, viewport: Viewport) -> DVec2 {
        let Self::Perspective { fov_y_degrees } = self else {
            return DVec2::ZERO;
        };
        let (least, most) = (*Self::FOV_Y_DEGREES.start(), *Self::FOV_Y_DEGREES.end());
        // In this form, a NaN field of view becomes the smallest.
        let fov = fov_y_degrees.max(least).min(most);
        let tan = libm::tan((0.5 * fov).to_radians());
        DVec2::new(tan * viewport.aspect_f64(), tan)
    }
}

impl Default for Projection {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The range of distances that is drawn, from the viewer, in the asset's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DepthRange {
    pub(super) near: f64,
    pub(super) far: f64,
}

/// `clip_from_view` whose image is `2 * half_extent` wide and high at distance 1.
///
/// # Reference
///
/// OpenGL 2.1 specification §2.11.2, `Frustum`, for a symmetric frustum.
pub(super) fn perspective(half_extent: DVec2, depth: DepthRange) -> DMat4 {
    let DepthRange { near, far } = depth;
    DMat4::from_cols(
        DVec4::new(1.0 / half_extent.x, 0.0, 0.0, 0.0),
        DVec4::new(0.0, 1.0 / half_extent.y, 0.0, 0.0),
        DVec4::new(0.0, 0.0, -(far + near) / (far - near), -1.0),
        DVec4::new(0.0, 0.0, -2.0 * near * (far / (far - near)), 0.0),
    )
}

/// `clip_from_view` whose image is `2 * half_extent` wide and high at any distance.
///
/// # Reference
///
/// OpenGL 2.1 specification §2.11.2, `Ortho`, for a centred box.
pub(super) fn orthographic(half_extent: DVec2, depth: DepthRange) -> DMat4 {
    let DepthRange { near, far } = depth;
    DMat4::from_cols(
        DVec4::new(1.0 / half_extent.x, 0.0, 0.0, 0.0),
        DVec4::new(0.0, 1.0 / half_extent.y, 0.0, 0.0),
        DVec4::new(0.0, 0.0, -2.0 / (far - near), 0.0),
        DVec4::new(0.0, 0.0, -(far + near) / (far - near), 1.0),
    )
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    const DEPTH: DepthRange = DepthRange {
        near: 2.0,
        far: 10.0,
    };

    /// The corners of the viewed volume and the corners of clip space.
    fn maps_corners(clip_from_view: DMat4, near_corner: DVec3, far_corner: DVec3) {
        let near = clip_from_view.project_point3(near_corner);
        assert!(
            near.abs_diff_eq(DVec3::new(1.0, 1.0, -1.0), 1e-12),
            "{near}"
        );
        let far = clip_from_view.project_point3(far_corner);
        assert!(far.abs_diff_eq(DVec3::ONE, 1e-12), "{far}");
    }

    #[test]
    fn a_perspective_takes_its_frustum_to_the_cube() {
        let near = DVec3::new(1.0, 0.5, -2.0);
        maps_corners(perspective(DVec2::new(0.5, 0.25), DEPTH), near, 5.0 * near);
    }

    #[test]
    fn a_parallel_projection_takes_its_box_to_the_cube() {
        let near = DVec3::new(0.5, 0.25, -2.0);
        let far = near.with_z(-10.0);
        maps_corners(orthographic(DVec2::new(0.5, 0.25), DEPTH), near, far);
    }

    #[test]
    fn an_absurd_field_of_view_is_brought_in_range() {
        let viewport = Viewport {
            width: 1,
            height: 1,
        };
        let extent = |fov_y_degrees| {
            Projection::Perspective { fov_y_degrees }.half_extent_per_distance(viewport)
        };
        assert_eq!(extent(f64::NAN), extent(1.0));
        assert_eq!(extent(-40.0), extent(1.0));
        assert_eq!(extent(1e300), extent(170.0));
        assert!((extent(90.0).y - 1.0).abs() < 1e-12);
    }
}
