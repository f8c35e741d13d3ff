//! The colour of a surface at a position on the screen.

use glam::{Vec3, Vec4};

use super::DrawInput;
#[cfg(target_arch = "x86_64")]
use super::batch::{Batch, Channels};
use super::geometry::{self, Varying};
use super::interpolate::{Barycentric, Interpolator, ScreenPosition, distance_to_side};
use super::kernel::Kernel;
use super::light::Lights;
use super::scene::{Scene, Triangle};
use super::texture::Sampler;
use crate::look::colors;
use crate::look::srgb::{self, Tables};
use crate::view::{Background, ColorSource};

/// Colours triangles from one [`ColorSource`].
#[derive(Debug)]
pub(super) struct Shader<'a> {
    /// The triangles to colour.
    pub(super) scene: &'a Scene<'a>,
    /// The background.
    pub(super) background: Background,
    source: ColorSource,
    lights: Lights,
    /// The least and the greatest distance of a vertex in front of the viewer.
    range: [f32; 2],
    tables: &'static Tables,
    /// How coverage and colours are computed.
    pub(super) kernel: Kernel,
}

/// The attributes of a surface at a position.
#[derive(Debug)]
struct Fragment {
    varying: Varying,
    /// Unit length, towards the viewer where both sides are drawn.
    normal: Vec3,
    /// Linear RGBA of the material, or of the data that the image shows.
    color: Vec4,
}

impl<'a> Shader<'a> {
    /// * `scene` – made from the same `input`.
    pub(super) fn new(input: &DrawInput<'a>, scene: &'a Scene<'a>, kernel: Kernel) -> Self {
        let lights = Lights::new(input.camera);
        // Includes the vertices that clipping made and those that it removed. The latter only widen the range.
        let distances = || {
            let positions = scene.bodies.iter().flat_map(|body| {
                let cut = body.cut_varyings.iter().map(|varying| varying.position);
                body.source.positions.iter().copied().chain(cut)
            });
            positions.map(|position| lights.distance(position))
        };
        let source = input.style.show.source();
        let range = match source {
            ColorSource::Depth => [
                distances().fold(f32::INFINITY, f32::min).max(0.0),
                distances().fold(0.0, f32::max),
            ],
            _ => [0.0, 1.0],
        };
        Self {
            scene,
            background: input.style.background,
            source,
            lights,
            range,
            tables: srgb::tables(),
            kernel,
        }
    }

    /// Prepares to colour positions on triangle `id`.
    pub(super) fn brush(&'a self, id: u32) -> Brush<'a> {
        let triangle = self.scene.triangle(id);
        Brush {
            shader: self,
            interpolator: Interpolator::new(&triangle.corners),
            texture: self.scene.surface(id).texture,
            triangle,
        }
    }

    /// The linear colours of a batch; `None` where they must be computed one by one, by [`Brush::color`].
    ///
    /// * `texture` – of the batch's surface.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn colors(&self, texture: Option<&Sampler<'_>>, batch: &Batch) -> Option<Channels> {
        super::shade_avx2::colors(self.source, &self.lights, texture, batch)
    }

    fn light(&self, fragment: &Fragment) -> Vec3 {
        let color = fragment.color.truncate();
        let Fragment {
            varying, normal, ..
        } = fragment;
        let form = || self.lights.form(*normal, varying.position);
        match self.source {
            ColorSource::Material { lit: true } => {
                self.lights.lit(color, *normal, varying.position)
            }
            ColorSource::Material { lit: false } => color,
            ColorSource::VertexColors(_) | ColorSource::Checker => color * form(),
            ColorSource::VertexValues(_) => colors::heat(color.x) * form(),
            ColorSource::Normals => self.normal_color(fragment),
            ColorSource::Depth => self.depth_color(varying.position),
            ColorSource::Edges => colors::BETWEEN_WIRES * form(),
        }
    }

    /// The normal of the file, not the one that faces the viewer: this mode shows data.
    fn normal_color(&self, fragment: &Fragment) -> Vec3 {
        let own = fragment.varying.normal.normalize_or_zero();
        let normal = if own == Vec3::ZERO {
            fragment.normal
        } else {
            own
        };
        self.codes((normal * 0.5 + 0.5).to_array())
    }

    fn depth_color(&self, position: Vec3) -> Vec3 {
        let [near, far] = self.range;
        let depth = (self.lights.distance(position) - near) / (far - near).max(f32::MIN_POSITIVE);
        let [first, last] = colors::DEPTH;
        self.codes([first + (last - first) * depth.clamp(0.0, 1.0); 3])
    }

    /// Linear light whose sRGB codes are the `values` (0..1), so that they can be read from the PNG.
    fn codes(&self, values: [f32; 3]) -> Vec3 {
        Vec3::from(values.map(|value| self.tables.decode(srgb::unorm(value))))
    }

    /// Lines that fade within one pixel on this side of each edge. The neighbouring triangles draw the other half.
    fn wireframe(
        &self,
        triangle: &Triangle,
        position: ScreenPosition,
        fragment: &Fragment,
    ) -> Vec3 {
        let corners = triangle.corners.map(|corner| corner.at);
        let distance = |k: usize| distance_to_side(corners[k], corners[(k + 1) % 3], position);
        let sides = (0..3).filter(|k| triangle.original_sides[*k]);
        let nearest = sides.map(distance).fold(f64::INFINITY, f64::min);
        let line = to_f32([1.0 - nearest; 3])[0].clamp(0.0, 1.0);
        let fill = self.light(fragment);
        fill + (colors::WIRE - fill) * line
    }
}

/// Colours one triangle.
#[derive(Debug, Clone)]
pub(super) struct Brush<'a> {
    shader: &'a Shader<'a>,
    triangle: Triangle,
    texture: Option<Sampler<'a>>,
    interpolator: Interpolator,
}

impl Brush<'_> {
    /// Linear colour and straight alpha at `position`; every value in 0..1.
    pub(super) fn color(&self, position: ScreenPosition) -> Vec4 {
        let fragment = self.fragment(position);
        let light = match self.shader.source {
            ColorSource::Edges => self.shader.wireframe(&self.triangle, position, &fragment),
            _ => self.shader.light(&fragment),
        };
        tame(light.extend(fragment.color.w))
    }

    /// Alpha at `position`.
    pub(super) fn alpha(&self, position: ScreenPosition) -> f32 {
        let at = self.interpolator.at(position);
        let varying = Varying::blend(self.triangle.varyings.each_ref(), to_f32(at.weights));
        varying.color.w * self.texel(&varying, &at).w
    }

    fn fragment(&self, position: ScreenPosition) -> Fragment {
        let at = self.interpolator.at(position);
        let varying = Varying::blend(self.triangle.varyings.each_ref(), to_f32(at.weights));
        Fragment {
            normal: normal(&self.triangle, &varying),
            color: varying.color * self.texel(&varying, &at),
            varying,
        }
    }

    /// White where there is no texture.
    fn texel(&self, varying: &Varying, at: &Barycentric) -> Vec4 {
        let Some(texture) = &self.texture else {
            return Vec4::ONE;
        };
        let slopes = self.interpolator.slopes(at);
        let [a, b, c] = &self.triangle.varyings;
        let uvs = [a.uv, b.uv, c.uv];
        let along = |slopes: [f64; 3]| geometry::sum(uvs, to_f32(slopes));
        texture.sample(varying.uv, [along(slopes.x), along(slopes.y)])
    }
}

/// The normal for lighting: the interpolated one, or the triangle's where there is none.
fn normal(triangle: &Triangle, varying: &Varying) -> Vec3 {
    let smooth = varying.normal.normalize_or_zero();
    if smooth == Vec3::ZERO {
        triangle.face_normal.normalize_or_zero()
    } else if triangle.turned {
        -smooth
    } else {
        smooth
    }
}

/// Clamped to 0..1, whatever the file says; NaN becomes 0.
fn tame(color: Vec4) -> Vec4 {
    #[expect(clippy::manual_clamp, reason = "clamp keeps NaN")]
    let tame = |value: f32| value.max(0.0).min(1.0);
    Vec4::new(tame(color.x), tame(color.y), tame(color.z), tame(color.w))
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "attributes are f32")]
fn to_f32(weights: [f64; 3]) -> [f32; 3] {
    let [a, b, c] = weights;
    [a as f32, b as f32, c as f32]
}
