//! The camera: from the world to view space, to clip space and to pixels.

use std::fmt;
use std::str::FromStr;

use glam::{DMat4, DVec2, DVec3, DVec4, Mat4, Vec3};

use super::ViewError;

/// A camera: view and projection.
///
/// View space looks down -Z with +Y up. Clip space is OpenGL's: x, y and z in -w..w, z growing away from the viewer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// From the asset's world space (its own axes and units) to view space.
    pub view_from_world: Mat4,
    /// The projection.
    pub clip_from_view: Mat4,
}

impl Camera {
    /// `clip_from_view * view_from_world`.
    #[must_use]
    pub fn clip_from_world(&self) -> Mat4 {
        self.clip_from_view * self.view_from_world
    }

    /// The same camera, moved sideways so that `position` is in the middle of the image. Its distance does not change.
    ///
    /// * `position` – in world space.
    #[must_use]
    pub fn looking_at(&self, position: Vec3) -> Self {
        let seen = self.view_from_world.transform_point3(position);
        let shift = Mat4::from_translation(-seen.with_z(0.0));
        Self {
            view_from_world: shift * self.view_from_world,
            ..*self
        }
    }

    /// The same camera with a longer lens: everything is `factor` times as large in the image, around its centre.
    #[must_use]
    pub fn zoomed(&self, factor: f32) -> Self {
        let scale = Mat4::from_scale(Vec3::new(factor, factor, 1.0));
        Self {
            clip_from_view: scale * self.clip_from_view,
            ..*self
        }
    }

    /// The position of the camera in world space.
    #[doc(hidden)]
    #[must_use]
    pub fn eye(&self) -> DVec3 {
        let world_from_view = self.view_from_world.as_dmat4().inverse();
        world_from_view.w_axis.truncate()
    }

    /// Whether view rays are parallel.
    #[must_use]
    pub fn is_orthographic(&self) -> bool {
        self.clip_from_view.w_axis.w != 0.0
    }
}

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
    /// The supported fields of view, in degrees. Below, the view is hardly distinguishable from a parallel projection;
    /// above, it approaches a half space.
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
        DVec2::new(tan * viewport.aspect(), tan)
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

/// Size of an image in pixels; never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Viewport {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

impl Viewport {
    /// The longest side supported.
    pub const MAX_SIDE: u32 = 16_384;

    /// The most pixels that are drawn: half a gigabyte of colours and depths.
    pub const MAX_PIXELS: u64 = 1 << 26;

    /// A viewport of `width` by `height` pixels.
    ///
    /// # Errors
    ///
    /// [`ViewError::SizeOutOfRange`] if a side is 0 or longer than [`Viewport::MAX_SIDE`], and
    /// [`ViewError::TooManyPixels`] if there are more than [`Viewport::MAX_PIXELS`].
    pub fn new(width: u64, height: u64) -> Result<Self, ViewError> {
        let side = |side: u64| {
            u32::try_from(side)
                .ok()
                .filter(|side| (1..=Self::MAX_SIDE).contains(side))
        };
        let (Some(columns), Some(rows)) = (side(width), side(height)) else {
            let max = Self::MAX_SIDE;
            return Err(ViewError::SizeOutOfRange { width, height, max });
        };
        let pixels = width * height;
        if pixels > Self::MAX_PIXELS {
            return Err(ViewError::TooManyPixels {
                width,
                height,
                pixels,
                max: Self::MAX_PIXELS,
            });
        }
        Ok(Self {
            width: columns,
            height: rows,
        })
    }

    /// Width over height.
    pub(super) fn aspect(self) -> f64 {
        f64::from(self.width) / f64::from(self.height)
    }
}

impl FromStr for Viewport {
    type Err = ViewError;

    /// Reads `WIDTHxHEIGHT`, such as `1024x768`.
    fn from_str(text: &str) -> Result<Self, ViewError> {
        let (width, height) = text
            .split_once(['x', 'X'])
            .and_then(|(width, height)| Some((whole_number(width)?, whole_number(height)?)))
            .ok_or_else(|| ViewError::Size {
                text: text.to_owned(),
            })?;
        Self::new(width, height)
    }
}

/// Digits only; a number beyond 2^64 saturates.
fn whole_number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

impl fmt::Display for Viewport {
    /// As [`Viewport::from_str`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::units::Space;
    use crate::view::{Framing, Projection, ViewDirection, Viewport};

    #[test]
    fn look_at_centres_a_position_and_zoom_enlarges_around_it() {
        let viewport = Viewport {
            width: 300,
            height: 200,
        };
        for projection in [Projection::default(), Projection::Orthographic] {
            let direction = ViewDirection::ThreeQuarter;
            let mut framing = Framing::new(&Space::Y_UP, direction, projection, viewport);
            framing.include(&[Vec3::splat(-1.0), Vec3::ONE]);
            let (position, beside) = (Vec3::new(0.7, -0.4, 0.2), Vec3::new(0.8, -0.4, 0.2));
            let camera = framing.camera().looking_at(position);
            let middle = camera.clip_from_world().project_point3(position);
            assert!(middle.truncate().length() < 1e-5, "{middle}");
            let seen = |camera: &Camera| camera.clip_from_world().project_point3(beside);
            let (before, after) = (seen(&camera), seen(&camera.zoomed(4.0)));
            assert!(after.truncate().abs_diff_eq(4.0 * before.truncate(), 1e-4));
            assert!((after.z - before.z).abs() < 1e-6, "depths stay");
        }
    }

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

    #[test]
    fn a_size_is_read_and_written_alike() {
        for text in ["1x1", "1024x768", "16384x4096"] {
            assert_eq!(text.parse::<Viewport>().unwrap().to_string(), text);
        }
        let upper = "7X5".parse::<Viewport>();
        assert_eq!(
            upper,
            Ok(Viewport {
                width: 7,
                height: 5
            })
        );
    }

    #[test]
    fn a_side_of_zero_or_beyond_the_limit_is_refused() {
        let huge = "99999999999999999999999x1";
        for text in ["0x10", "10x0", "16385x1", "1x16385", huge] {
            let error = text.parse::<Viewport>().unwrap_err();
            assert!(
                matches!(error, ViewError::SizeOutOfRange { .. }),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn a_malformed_size_is_refused() {
        for text in [
            "", "x", "10", "10x", "x10", "-1x5", "+1x5", "1x2x3", "1.5x2", "1 x 2", "axb",
        ] {
            let error = text.parse::<Viewport>().unwrap_err();
            assert!(matches!(error, ViewError::Size { .. }), "{text}: {error}");
        }
    }
}
