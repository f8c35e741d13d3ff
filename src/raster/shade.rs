//! The colour of a surface at a place on the screen.

use glam::{Vec3, Vec4};

use super::DrawInput;
#[cfg(target_arch = "x86_64")]
use super::batch::{Batch, Channels};
use super::geometry::{self, Varying};
use super::interpolate::{Barycentric, Interpolator, Place, distance_to_side};
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
    /// What is drawn.
    pub(super) scene: &'a Scene<'a>,
    /// The background.
    pub(super) background: Background,
    source: ColorSource,
    lights: Lights,
    /// Distances of the nearest and the farthest vertex before the viewer.
    range: [f32; 2],
    tables: &'static Tables,
    /// How pixels are found and coloured.
    pub(super) kernel: Kernel,
}

/// What is known of a surface at a place.
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
        // Vertices that clipping made count too; those that it cut off still do, which only widens the range.
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

    /// Prepares for the places of triangle `id`.
    pub(super) fn brush(&'a self, id: u32) -> Brush<'a> {
        let triangle = self.scene.triangle(id);
        Brush {
            shader: self,
            interpolator: Interpolator::new(&triangle.corners),
            texture: self.scene.surface(id).texture,
            triangle,
        }
    }

    /// The linear colours of a batch; `None` where they are to be found one by one, as [`Brush::color`].
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

    /// The file's normal, not the one turned to the viewer: this mode shows data.
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

    /// Linear light of values (0..1) that are meant as they are read from the PNG.
    fn codes(&self, values: [f32; 3]) -> Vec3 {
        Vec3::from(values.map(|value| self.tables.decode(srgb::unorm(value))))
    }

    /// Lines that fade over one pixel on this side of each edge; those of the neighbours make up the other half.
    fn wireframe(&self, triangle: &Triangle, place: Place, fragment: &Fragment) -> Vec3 {
        let corners = triangle.corners.map(|corner| corner.at);
        let distance = |k: usize| distance_to_side(corners[k], corners[(k + 1) % 3], place);
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
    /// Linear colour and straight alpha at `place`; every value in 0..1.
    pub(super) fn color(&self, place: Place) -> Vec4 {
        let fragment = self.fragment(place);
        let light = match self.shader.source {
            ColorSource::Edges => self.shader.wireframe(&self.triangle, place, &fragment),
            _ => self.shader.light(&fragment),
        };
        tame(light.extend(fragment.color.w))
    }

    /// Alpha at `place`.
    pub(super) fn alpha(&self, place: Place) -> f32 {
        let at = self.interpolator.at(place);
        let varying = Varying::blend(self.triangle.varyings.each_ref(), to_f32(at.weights));
        varying.color.w * self.texel(&varying, &at).w
    }

    fn fragment(&self, place: Place) -> Fragment {
        let at = self.interpolator.at(place);
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

/// The normal to light by: the interpolated one, or the triangle's where there is none.
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

/// In 0..1, whatever the file says; NaN is 0.
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
