//! Lamps attached to the camera, so that a character is well lit from any side.

use glam::{Mat3, Vec3};

use crate::look::lamps::{FILL, FILL_WRAP, FORM, GLOSS, GROUND, KEY, KEY_WRAP, RIM, SHOULDER, SKY};
use crate::view::Camera;

/// The lamps in world space.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lights {
    pub(super) key: Vec3,
    pub(super) fill: Vec3,
    pub(super) up: Vec3,
    /// Towards the viewer, at the middle of the image.
    pub(super) back: Vec3,
    pub(super) eye: Vec3,
    pub(super) is_orthographic: bool,
    /// The third row of `view_from_world`, negated. It gives the distance in front of the viewer.
    ahead: (Vec3, f32),
}

impl Lights {
    /// Lamps for an image taken by `camera`.
    pub(super) fn new(camera: &Camera) -> Self {
        let view = &camera.view_from_world;
        let rows = Mat3::from_mat4(*view).transpose();
        // The camera's axes in the world are the rows of its rotation.
        let axes = Mat3::from_cols(
            rows.x_axis.normalize_or_zero(),
            rows.y_axis.normalize_or_zero(),
            rows.z_axis.normalize_or_zero(),
        );
        Self {
            key: axes * KEY.0.normalize(),
            fill: axes * FILL.0.normalize(),
            up: axes.y_axis,
            back: axes.z_axis,
            eye: view.as_dmat4().inverse().w_axis.truncate().as_vec3(),
            is_orthographic: camera.is_orthographic(),
            ahead: (-rows.z_axis, -view.w_axis.z),
        }
    }

    /// Distance of `position` in front of the viewer, along the direction of view.
    pub(super) fn distance(&self, position: Vec3) -> f32 {
        self.ahead.0.dot(position) + self.ahead.1
    }

    /// The light that a surface of colour `albedo` sends to the viewer; linear, and below 1 for any albedo below 1.
    pub(super) fn lit(&self, albedo: Vec3, normal: Vec3, position: Vec3) -> Vec3 {
        let viewer = self.towards_viewer(position);
        let key = wrapped(normal.dot(self.key), KEY_WRAP);
        let fill = wrapped(normal.dot(self.fill), FILL_WRAP);
        let sky = normal.dot(self.up) * 0.5 + 0.5;
        let diffuse = KEY.1 * key + FILL.1 * fill + GROUND + (SKY - GROUND) * sky;
        // The highlight: the brighter, the closer the viewer is to the mirrored direction of the lamp.
        let mirrored = normal * (2.0 * normal.dot(self.key)) - self.key;
        let shine = GLOSS * to_the_8th(mirrored.dot(viewer).max(0.0));
        let grazing = 1.0 - normal.dot(viewer).clamp(0.0, 1.0);
        let rim = RIM * (grazing * grazing * grazing * (0.4 + 0.6 * sky));
        shoulder(albedo * diffuse + rim * (albedo * 0.7 + 0.3) + shine)
    }

    /// A factor that shows the form of a surface without hiding its colour: 1 where it faces the viewer.
    pub(super) fn form(&self, normal: Vec3, position: Vec3) -> f32 {
        let facing = normal.dot(self.towards_viewer(position)).abs().min(1.0);
        let from_above = normal.dot(self.key) * 0.5 + 0.5;
        FORM.x + FORM.y * facing + FORM.z * from_above
    }

    fn towards_viewer(&self, position: Vec3) -> Vec3 {
        if self.is_orthographic {
            self.back
        } else {
            (self.eye - position).normalize_or_zero()
        }
    }
}

/// Diffuse light of a large lamp, which reaches past the terminator by `wrap`.
#[inline]
fn wrapped(cosine: f32, wrap: f32) -> f32 {
    ((cosine + wrap) * (1.0 / (1.0 + wrap))).max(0.0)
}

fn to_the_8th(value: f32) -> f32 {
    let squared = value * value;
    let to_the_4th = squared * squared;
    to_the_4th * to_the_4th
}

/// Compresses light above 0.7 so that it never reaches 1, and keeps the rest.
fn shoulder(light: Vec3) -> Vec3 {
    let bend = |value: f32| {
        if value <= SHOULDER {
            return value;
        }
        let over = (value - SHOULDER) / (1.0 - SHOULDER);
        SHOULDER + (1.0 - SHOULDER) * over / (1.0 + over)
    };
    Vec3::new(bend(light.x), bend(light.y), bend(light.z))
}

#[cfg(test)]
mod tests {
    use glam::Mat4;

    use super::*;
    use crate::look::srgb;

    /// The codes of a white surface whose normals lean from the viewer towards the key lamp by this many degrees.
    fn white(degrees: [f32; 3]) -> [u8; 3] {
        let lights = Lights::new(&Camera {
            view_from_world: Mat4::IDENTITY,
            clip_from_view: Mat4::IDENTITY,
        });
        let towards = (lights.key - lights.back * lights.key.dot(lights.back)).normalize();
        degrees.map(|degrees| {
            let (sin, cos) = libm::sincosf(degrees.to_radians());
            let light = lights.lit(Vec3::ONE, lights.back * cos + towards * sin, Vec3::ZERO);
            srgb::tables().encode(light.y)
        })
    }

    #[test]
    fn the_brightest_white_keeps_its_shading() {
        let [facing, lit, unlit] = white([0.0, 45.0, -60.0]);
        assert!(lit < 240, "{lit}");
        assert!(lit - facing >= 12, "{facing} to {lit}");
        assert!(facing - unlit >= 50, "{unlit} to {facing}");
    }
}
