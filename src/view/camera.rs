//! The camera.

use glam::Mat4;

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

    /// Whether view rays are parallel.
    #[must_use]
    pub fn is_orthographic(&self) -> bool {
        self.clip_from_view.w_axis.w != 0.0
    }
}
