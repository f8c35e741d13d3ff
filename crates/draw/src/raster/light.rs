//! Lights attached to the camera, so that a character is well lit from any side.

use glam::{Mat3, Vec3};

use super::lanes::{Real, V3, dot, unit};
use crate::look::colors::{
    DIELECTRIC, FILL, FILL_WRAP, FORM, GLOSS, GROUND, HIGHLIGHT, KEY, KEY_WRAP, LEAST_ROUGHNESS,
    RIM, SHOULDER, SKY,
};
use crate::view::Camera;

/// The lights in world space.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lights {
    key: Vec3,
    fill: Vec3,
    up: Vec3,
    /// Towards the viewer, at the middle of the image.
    back: Vec3,
    eye: Vec3,
    is_orthographic: bool,
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
    #[inline(always)]
    pub(super) fn lit<R: Real>(&self, albedo: V3<R>, normal: V3<R>, position: V3<R>) -> V3<R> {
        let viewer = self.towards_viewer(position);
        let to_key = along(normal, self.key);
        let key = wrapped(to_key, KEY_WRAP);
        let fill = wrapped(along(normal, self.fill), FILL_WRAP);
        let sky = along(normal, self.up) * 0.5 + 0.5;
        // The highlight: the brighter, the closer the viewer is to the mirrored direction of the light.
        let twice = to_key * 2.0;
        let mirrored = [
            normal[0] * twice - self.key.x,
            normal[1] * twice - self.key.y,
            normal[2] * twice - self.key.z,
        ];
        let shine = to_the_8th(dot(mirrored, viewer).at_least(0.0)) * GLOSS;
        // The rim: the more the surface turns away from the viewer, the brighter, and from the sky.
        let facing = dot(normal, viewer).at_least(0.0).at_most(1.0);
        let grazing = facing.all(1.0) - facing;
        let edge = grazing * grazing * grazing * (sky * 0.6 + 0.4);
        let mut light = albedo;
        for (channel, light) in light.iter_mut().enumerate() {
            let direct = key * KEY.1[channel] + fill * FILL.1[channel];
            let diffuse = direct + GROUND[channel] + sky * (SKY[channel] - GROUND[channel]);
            let rim = edge * RIM[channel] * (*light * 0.7 + 0.3);
            *light = shoulder(*light * diffuse + rim + shine);
        }
        light
    }

    /// As [`lit`](Self::lit), of a surface that states how it reflects: what is no metal has a sharper or broader
    /// highlight, and metal mirrors the lights in its own colour, the blurrier the rougher it is.
    ///
    /// # Reference
    ///
    /// B. Walter et al., "Microfacet Models for Refraction through Rough Surfaces" (EGSR 2007): the highlight's lobe. C. Schlick,
    /// "An Inexpensive BRDF Model for Physically-based Rendering" (1994): more reflection at grazing angles.
    #[inline(always)]
    pub(super) fn reflected<R: Real>(
        &self,
        albedo: V3<R>,
        [roughness, metallic]: [R; 2],
        normal: V3<R>,
        position: V3<R>,
    ) -> V3<R> {
        let viewer = self.towards_viewer(position);
        let roughness = roughness.at_least(LEAST_ROUGHNESS).at_most(1.0);
        let metallic = metallic.at_least(0.0).at_most(1.0);
        let facing = dot(normal, viewer).at_least(0.0).at_most(1.0);
        let grazing = facing.all(1.0) - facing;
        let cubed = grazing * grazing * grazing;

        let halfway = unit([
            viewer[0] + self.key.x,
            viewer[1] + self.key.y,
            viewer[2] + self.key.z,
        ]);
        let peak = dot(normal, halfway.0).at_least(0.0);
        let width = roughness * roughness * (roughness * roughness);
        let spread = peak * peak * (width - 1.0) + 1.0;
        let key = wrapped(along(normal, self.key), KEY_WRAP);
        let highlight = width / (spread * spread) * key * HIGHLIGHT;

        // What the surface mirrors: the lights in the mirrored direction, or all around the normal if it is rough.
        let twice = dot(normal, viewer) * 2.0;
        let mut towards = normal;
        for ((towards, normal), viewer) in towards.iter_mut().zip(normal).zip(viewer) {
            let mirrored = normal * twice - viewer;
            *towards = mirrored + (normal - mirrored) * roughness;
        }
        let (around, mirrored) = (self.studio(normal), self.studio(unit(towards).0));
        let sky = along(normal, self.up) * 0.5 + 0.5;
        let edge = cubed * (sky * 0.6 + 0.4);
        let smooth = roughness.all(1.0) - roughness;
        let fresnel = cubed * (grazing * grazing) * smooth;
        let mut light = albedo;
        for (channel, light) in light.iter_mut().enumerate() {
            let color = *light;
            let ahead = (color - DIELECTRIC) * metallic + DIELECTRIC;
            let diffuse = color * around[channel];
            let diffuse = diffuse - diffuse * metallic;
            let mirror = (ahead + fresnel) * mirrored[channel];
            let shine = ahead * highlight * KEY.1[channel];
            let rim = edge * RIM[channel] * (color * 0.7 + 0.3);
            *light = shoulder(diffuse + mirror + shine + rim);
        }
        light
    }

    /// The light that comes from `direction` and around it.
    #[inline(always)]
    fn studio<R: Real>(&self, direction: V3<R>) -> V3<R> {
        let key = wrapped(along(direction, self.key), KEY_WRAP);
        let fill = wrapped(along(direction, self.fill), FILL_WRAP);
        let sky = along(direction, self.up) * 0.5 + 0.5;
        let mut light = direction;
        for (channel, light) in light.iter_mut().enumerate() {
            let direct = key * KEY.1[channel] + fill * FILL.1[channel];
            *light = direct + GROUND[channel] + sky * (SKY[channel] - GROUND[channel]);
        }
        light
    }

    /// A factor that shows the form of a surface without hiding its colour: 1 where it faces the viewer.
    #[inline(always)]
    pub(super) fn form<R: Real>(&self, normal: V3<R>, position: V3<R>) -> R {
        let facing = dot(normal, self.towards_viewer(position))
            .abs()
            .at_most(1.0);
        let from_above = along(normal, self.key) * 0.5 + 0.5;
        facing * FORM.y + FORM.x + from_above * FORM.z
    }

    #[inline(always)]
    fn towards_viewer<R: Real>(&self, [x, y, z]: V3<R>) -> V3<R> {
        if self.is_orthographic {
            return [x.all(self.back.x), y.all(self.back.y), z.all(self.back.z)];
        }
        let eye = [x.all(self.eye.x), y.all(self.eye.y), z.all(self.eye.z)];
        unit([eye[0] - x, eye[1] - y, eye[2] - z]).0
    }
}

#[inline(always)]
fn along<R: Real>(vector: V3<R>, direction: Vec3) -> R {
    vector[0] * direction.x + vector[1] * direction.y + vector[2] * direction.z
}

/// Diffuse light of a large source, which reaches past the terminator by `wrap`.
#[inline(always)]
fn wrapped<R: Real>(cosine: R, wrap: f32) -> R {
    ((cosine + wrap) * (1.0 / (1.0 + wrap))).at_least(0.0)
}

#[inline(always)]
fn to_the_8th<R: Real>(value: R) -> R {
    let squared = value * value;
    let to_the_4th = squared * squared;
    to_the_4th * to_the_4th
}

/// Compresses light above 0.7 so that it never reaches 1, and keeps the rest.
#[inline(always)]
fn shoulder<R: Real>(light: R) -> R {
    let over = (light - SHOULDER) / (1.0 - SHOULDER);
    let bent = over * (1.0 - SHOULDER) / (over + 1.0) + SHOULDER;
    R::either(light.is_above(SHOULDER), bent, light)
}

#[cfg(test)]
mod tests {
    use glam::Mat4;

    use super::*;
    use crate::look::srgb;

    /// The codes of a white surface whose normals lean from the viewer towards the key light by this many degrees.
    fn white(degrees: [f32; 3]) -> [u8; 3] {
        let lights = Lights::new(&Camera {
            view_from_world: Mat4::IDENTITY,
            clip_from_view: Mat4::IDENTITY,
        });
        let towards = (lights.key - lights.back * lights.key.dot(lights.back)).normalize();
        degrees.map(|degrees| {
            let (sin, cos) = libm::sincosf(degrees.to_radians());
            let normal = lights.back * cos + towards * sin;
            let [_, green, _] = lights.lit([1.0; 3], normal.to_array(), [0.0; 3]);
            srgb::tables().encode(green)
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
