//! From the world to the screen, and the lamps attached to the camera.

use glam::{DMat4, DVec3, Mat4, Vec2, Vec3, Vec4};

use crate::gl::program::Inputs;
use crate::look::lamps;
use crate::view::{Camera, Viewport};

/// A camera as shaders read it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Projector {
    /// For positions relative to `centre`. y points down, so that row 0 is the top.
    clip_from_world: Mat4,
    /// A position in front of the viewer. Subtracting it first keeps precision for positions far from the origin.
    centre: Vec3,
    half_size: Vec2,
}

impl Projector {
    pub(super) fn new(camera: &Camera, viewport: Viewport) -> Self {
        let clip_from_world = camera.clip_from_view.as_dmat4() * camera.view_from_world.as_dmat4();
        let in_world = clip_from_world
            .inverse()
            .project_point3(DVec3::ZERO)
            .as_vec3();
        let centre = if in_world.is_finite() {
            in_world
        } else {
            Vec3::ZERO
        };
        let downwards = DMat4::from_scale(DVec3::new(1.0, -1.0, 1.0));
        let moved = downwards * clip_from_world * DMat4::from_translation(centre.as_dvec3());
        Self {
            clip_from_world: moved.as_mat4(),
            centre,
            half_size: size(viewport) * 0.5,
        }
    }

    /// Sets the inputs of programs that locate triangles.
    pub(super) fn give(&self, inputs: &Inputs<'_, '_>) {
        inputs.mat4(c"u_clip_from_world", &self.clip_from_world);
        inputs.vec3(c"u_centre", self.centre);
    }

    /// Sets the inputs of programs that colour triangles.
    pub(super) fn give_size(&self, inputs: &Inputs<'_, '_>) {
        inputs.vec2(c"u_half_size", self.half_size);
    }

    /// The offset in clip space that moves the sample position `[x, y]` of each pixel to the pixel's centre.
    pub(super) fn shift(&self, [x, y]: [f32; 2]) -> Vec2 {
        (Vec2::splat(0.5) - Vec2::new(x, y)) / self.half_size
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^24")]
fn size(viewport: Viewport) -> Vec2 {
    Vec2::new(viewport.width as f32, viewport.height as f32)
}

/// The camera's own directions in the world.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stand {
    right: Vec3,
    up: Vec3,
    /// Towards the viewer, at the centre of the image.
    back: Vec3,
    eye: Vec3,
    is_orthographic: bool,
    /// The row that yields the distance in front of the viewer.
    ahead: Vec4,
}

impl Stand {
    pub(super) fn new(camera: &Camera) -> Self {
        let view = camera.view_from_world;
        let axis = |row: Vec4| row.truncate().normalize_or_zero();
        Self {
            right: axis(view.row(0)),
            up: axis(view.row(1)),
            back: axis(view.row(2)),
            eye: view
                .as_dmat4()
                .inverse()
                .transform_point3(DVec3::ZERO)
                .as_vec3(),
            is_orthographic: camera.is_orthographic(),
            ahead: -view.row(2),
        }
    }

    /// Distance of `position` in front of the viewer, along the view direction.
    pub(super) fn distance(&self, position: Vec3) -> f32 {
        self.ahead.truncate().dot(position) + self.ahead.w
    }

    /// Sets the inputs of programs that light.
    pub(super) fn give(&self, inputs: &Inputs<'_, '_>) {
        inputs.vec3(c"u_key", self.direction(lamps::KEY.0));
        inputs.vec3(c"u_fill", self.direction(lamps::FILL.0));
        inputs.vec3(c"u_up", self.up);
        inputs.vec3(c"u_back", self.back);
        inputs.vec3(c"u_eye", self.eye);
        inputs.flag(c"u_orthographic", self.is_orthographic);
        inputs.vec4(c"u_ahead", self.ahead);
    }

    fn direction(&self, in_view: Vec3) -> Vec3 {
        let Vec3 { x, y, z } = in_view.normalize();
        self.right * x + self.up * y + self.back * z
    }
}
