//! The camera.

use glam::{Mat4, Vec3};

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

    /// Whether view rays are parallel.
    #[must_use]
    pub fn is_orthographic(&self) -> bool {
        self.clip_from_view.w_axis.w != 0.0
    }
}

#[cfg(test)]
mod tests {
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
}
