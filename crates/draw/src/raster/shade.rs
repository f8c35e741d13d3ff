//! The colour of a surface at a position on the screen.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd};
use glam::{Vec2, Vec3, Vec4};
use skincheck_rig::dispatch;

use super::DrawInput;
use super::batch::{
    Batch, Channels, Each, NORMAL, Numbers, One, POSITION, Single, Source, UV, WIDTH,
};
use super::interpolate::{Barycentric, Interpolator, ScreenPosition, distance_to_side};
use super::lanes::{Arithmetic, D, Double, F, I, Real, V3, dot, unit};
use super::light::Lights;
use super::sample::texels;
use super::scene::{Scene, Triangle};
use super::texture::{Finish, Sampler, Surface};
use crate::look::colors;
use crate::look::srgb::{self, BUCKETS, Tables};
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
    /// The instruction set that computes samples and colours together; `None` computes them one by one.
    pub(super) level: Option<Level>,
}

impl<'a> Shader<'a> {
    /// * `scene` – made from the same `input`.
    pub(super) fn new(input: &DrawInput<'a>, scene: &'a Scene<'a>, level: Option<Level>) -> Self {
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
            level,
        }
    }

    /// Prepares to colour positions on triangle `id`.
    pub(super) fn brush(&'a self, id: u32) -> Brush<'a> {
        let triangle = self.scene.triangle(id);
        Brush {
            shader: self,
            numbers: Numbers::of(&triangle),
            surface: self.scene.surface(id),
            triangle,
        }
    }

    /// The linear colours of a batch, each in 0..1; `None` where they must be computed one by one, by [`Brush::color`]:
    /// images that show data, and texture coordinates that are huge or NaN.
    ///
    /// * `level` – which instruction set to use.
    /// * `surface` – of the batch.
    pub(super) fn colors(
        &self,
        level: Level,
        surface: &Surface<'_>,
        batch: &Batch,
    ) -> Option<Channels> {
        if !self.shows_material() {
            return None;
        }
        let texture = surface.texture.as_ref();
        // Compiled twice, so that most surfaces pay nothing for a finish.
        match &surface.finish {
            None => dispatch!(level, simd => self.colors_at_once(simd, texture, None, batch)),
            Some(finish) => {
                dispatch!(level, simd => self.colors_at_once(simd, texture, Some(finish), batch))
            }
        }
    }

    /// Whether colours come from materials, vertices or the checker, which are the fast images.
    fn shows_material(&self) -> bool {
        match self.source {
            ColorSource::Material { .. }
            | ColorSource::Clay
            | ColorSource::VertexColors(_)
            | ColorSource::Checker => true,
            ColorSource::VertexValues(_)
            | ColorSource::Normals
            | ColorSource::Depth
            | ColorSource::Edges => false,
        }
    }

    #[inline(always)]
    fn colors_at_once<S: Simd>(
        &self,
        simd: S,
        texture: Option<&Sampler<'_>>,
        finish: Option<&Finish<'_>>,
        batch: &Batch,
    ) -> Option<Channels> {
        let positions = batch.positions(simd);
        let bent = finish.map(|finish| (finish, |index| batch.frame(simd, index)));
        let light = match batch.only() {
            Some(one) => self.light_at_once(texture, bent, &One(simd, one), positions),
            None => self.light_at_once(texture, bent, &Each::new(simd, batch), positions),
        };
        let mut channels = Channels::default();
        for (lanes, value) in channels.iter_mut().zip(light?) {
            *lanes = tame(value).to_array();
        }
        Some(channels)
    }

    #[inline(always)]
    fn light_at_once<S: Simd>(
        &self,
        texture: Option<&Sampler<'_>>,
        finish: Option<(&Finish<'_>, impl Fn(usize) -> F<S>)>,
        source: &impl Source<Double = D<S>>,
        positions: ScreenPosition<D<S>>,
    ) -> Option<V3<F<S>>> {
        let attributes = Attributes::new(source, positions);
        let mut color = [
            attributes.color(0),
            attributes.color(1),
            attributes.color(2),
        ];
        if let Some(texture) = texture {
            let texels = texels(texture, attributes.uv(), attributes.footprint())?;
            for (color, texel) in color.iter_mut().zip(texels) {
                *color *= texel;
            }
        }
        let Some((finish, frame)) = finish else {
            return Some(self.material(color, &attributes));
        };
        let read = |map: &Sampler<'_>| texels(map, attributes.uv(), attributes.footprint());
        self.finished(color, &attributes, finish, frame, read)
    }

    /// The light of a surface of colour `color`, whose material says how it reflects.
    ///
    /// * `frame` – a number of the frames of a normal map.
    /// * `read` – what a map says; `None` where texels must be looked up one by one.
    #[inline(always)]
    fn finished<N: Source>(
        &self,
        color: V3<Single<N>>,
        attributes: &Attributes<'_, N>,
        finish: &Finish<'_>,
        frame: impl Fn(usize) -> Single<N>,
        read: impl Fn(&Sampler<'_>) -> Option<V3<Single<N>>>,
    ) -> Option<V3<Single<N>>> {
        let normal = match &finish.bumps {
            Some(bumps) => attributes.bent_normal(frame, read(&bumps.map)?, bumps.scale),
            None => attributes.normal(),
        };
        let position = attributes.vector(POSITION);
        let Some(reflection) = &finish.reflection else {
            return Some(self.lights.lit(color, normal, position));
        };
        let mut stated = [
            position[0].all(reflection.roughness),
            position[0].all(reflection.metallic),
        ];
        if let Some(map) = &reflection.map {
            let [_, green, blue] = read(map)?;
            stated = [stated[0] * green, stated[1] * blue];
        }
        Some(self.lights.reflected(color, stated, normal, position))
    }

    /// The light of a surface of colour `color`, where colours are those of materials, vertices or the checker.
    #[inline(always)]
    fn material<N: Source>(
        &self,
        color: V3<Single<N>>,
        attributes: &Attributes<'_, N>,
    ) -> V3<Single<N>> {
        if let ColorSource::Material { lit: false } = self.source {
            return color;
        }
        let (normal, position) = (attributes.normal(), attributes.vector(POSITION));
        if let ColorSource::Material { .. } | ColorSource::Clay = self.source {
            return self.lights.lit(color, normal, position);
        }
        let form = self.lights.form(normal, position);
        [color[0] * form, color[1] * form, color[2] * form]
    }

    fn light(&self, color: [f32; 3], attributes: &Attributes<'_, Numbers>) -> Vec3 {
        let position = || attributes.vector(POSITION);
        let form = || self.lights.form(attributes.normal(), position());
        match self.source {
            ColorSource::Material { .. }
            | ColorSource::Clay
            | ColorSource::VertexColors(_)
            | ColorSource::Checker => Vec3::from(self.material(color, attributes)),
            ColorSource::VertexValues(_) => colors::heat(color[0]) * form(),
            ColorSource::Normals => self.normal_color(attributes),
            ColorSource::Depth => self.depth_color(Vec3::from(position())),
            ColorSource::Edges => colors::BETWEEN_WIRES * form(),
        }
    }

    /// The normal of the file, not the one that faces the viewer: this mode shows data.
    fn normal_color(&self, attributes: &Attributes<'_, Numbers>) -> Vec3 {
        let (own, is_sound) = unit(attributes.vector(NORMAL));
        let normal = if is_sound { own } else { attributes.normal() };
        self.codes(normal.map(|axis| axis * 0.5 + 0.5))
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
}

/// Lines that fade within one pixel on this side of each edge. The neighbouring triangles draw the other half.
fn wireframe(triangle: &Triangle, position: ScreenPosition, fill: Vec3) -> Vec3 {
    let corners = triangle.corners.map(|corner| corner.at);
    let distance = |k: usize| distance_to_side(corners[k], corners[(k + 1) % 3], position);
    let sides = (0..3).filter(|k| triangle.original_sides[*k]);
    let nearest = sides.map(distance).fold(f64::INFINITY, f64::min);
    let line = (1.0 - nearest).narrow().clamp(0.0, 1.0);
    fill + (colors::WIRE - fill) * line
}

/// Colours one triangle, one position at a time: for surfaces that are mixed at each sample, and where a batch cannot.
#[derive(Debug, Clone)]
pub(super) struct Brush<'a> {
    shader: &'a Shader<'a>,
    triangle: Triangle,
    numbers: Numbers,
    surface: &'a Surface<'a>,
}

impl Brush<'_> {
    /// Linear colour and straight alpha at `position`; every value in 0..1.
    pub(super) fn color(&self, position: ScreenPosition) -> Vec4 {
        let attributes = Attributes::new(&self.numbers, position);
        let color = attributes.rgba() * self.texel(&attributes);
        let light = self.light(color.truncate().to_array(), &attributes);
        let light = match self.shader.source {
            ColorSource::Edges => wireframe(&self.triangle, position, light),
            _ => light,
        };
        let [red, green, blue] = light.to_array();
        Vec4::from([red, green, blue, color.w].map(tame))
    }

    fn light(&self, color: [f32; 3], attributes: &Attributes<'_, Numbers>) -> Vec3 {
        let Some(finish) = &self.surface.finish else {
            return self.shader.light(color, attributes);
        };
        let frame = |index: usize| self.triangle.frames.map_or(0.0, |frames| frames[index]);
        let read = |map: &Sampler<'_>| Some(sampled(map, attributes).truncate().to_array());
        let light = self.shader.finished(color, attributes, finish, frame, read);
        Vec3::from(light.expect("every map is read"))
    }

    /// Alpha at `position`.
    pub(super) fn alpha(&self, position: ScreenPosition) -> f32 {
        let attributes = Attributes::new(&self.numbers, position);
        attributes.color(3) * self.texel(&attributes).w
    }

    /// White where there is no texture.
    fn texel(&self, attributes: &Attributes<'_, Numbers>) -> Vec4 {
        let texture = self.surface.texture.as_ref();
        texture.map_or(Vec4::ONE, |texture| sampled(texture, attributes))
    }
}

fn sampled(texture: &Sampler<'_>, attributes: &Attributes<'_, Numbers>) -> Vec4 {
    let footprint = attributes.footprint().map(Vec2::from);
    texture.sample(Vec2::from(attributes.uv()), footprint)
}

/// The attributes of triangles, interpolated.
struct Attributes<'a, N: Source> {
    source: &'a N,
    interpolator: Interpolator<N::Double>,
    at: Barycentric<N::Double>,
    /// The weights of the three corners.
    weights: [Single<N>; 3],
}

impl<'a, N: Source> Attributes<'a, N> {
    #[inline(always)]
    fn new(source: &'a N, position: ScreenPosition<N::Double>) -> Self {
        let interpolator = source.interpolator();
        let at = interpolator.at(position);
        Self {
            source,
            interpolator,
            at,
            weights: narrow(at.weights),
        }
    }

    /// The weighted sum of attribute `index` of the corners.
    #[inline(always)]
    fn sum(&self, index: usize, weights: [Single<N>; 3]) -> Single<N> {
        let values = [
            self.source.attribute(0, index),
            self.source.attribute(1, index),
            self.source.attribute(2, index),
        ];
        dot(values, weights)
    }

    /// A channel of the colour of the material, or of the data that the image shows; linear.
    #[inline(always)]
    fn color(&self, channel: usize) -> Single<N> {
        let values = [
            self.source.color(0, channel),
            self.source.color(1, channel),
            self.source.color(2, channel),
        ];
        dot(values, self.weights)
    }

    #[inline(always)]
    fn vector(&self, first: usize) -> V3<Single<N>> {
        [
            self.sum(first, self.weights),
            self.sum(first + 1, self.weights),
            self.sum(first + 2, self.weights),
        ]
    }

    #[inline(always)]
    fn uv(&self) -> [Single<N>; 2] {
        [self.sum(UV, self.weights), self.sum(UV + 1, self.weights)]
    }

    /// How texture coordinates change by one pixel to the right and one down.
    #[inline(always)]
    fn footprint(&self) -> [[Single<N>; 2]; 2] {
        let slopes = self.interpolator.slopes(&self.at);
        let (x, y) = (narrow(slopes.x), narrow(slopes.y));
        [
            [self.sum(UV, x), self.sum(UV + 1, x)],
            [self.sum(UV, y), self.sum(UV + 1, y)],
        ]
    }

    /// The unit normal for lighting, towards the viewer where both sides are drawn: the interpolated one, or the triangle's
    /// where there is none.
    #[inline(always)]
    fn normal(&self) -> V3<Single<N>> {
        let (mut normal, is_smooth) = unit(self.vector(NORMAL));
        let sign = self.source.sign();
        for axis in &mut normal {
            *axis = *axis * sign;
        }
        if Single::<N>::is_set_everywhere(is_smooth) {
            return normal;
        }
        let (face, _) = unit(self.source.face_normal());
        for (axis, face) in normal.iter_mut().zip(face) {
            *axis = Single::<N>::either(is_smooth, *axis, face);
        }
        normal
    }
}

impl<N: Source> Attributes<'_, N> {
    /// As [`normal`](Self::normal), bent by a normal map where vertices have normals.
    ///
    /// * `frame` – a number of the frames of the corners.
    /// * `texel` – of the map.
    /// * `scale` – multiplies what lies along the surface.
    #[inline(always)]
    fn bent_normal(
        &self,
        frame: impl Fn(usize) -> Single<N>,
        texel: V3<Single<N>>,
        scale: f32,
    ) -> V3<Single<N>> {
        let axis = |first: usize| {
            let at = |axis: usize| {
                let corners = [
                    frame(first + axis),
                    frame(first + axis + 6),
                    frame(first + axis + 12),
                ];
                dot(corners, self.weights)
            };
            unit([at(0), at(1), at(2)]).0
        };
        let (right, up) = (axis(0), axis(3));
        let (own, is_smooth) = unit(self.vector(NORMAL));
        let [x, y] = [
            (texel[0] * 2.0 - 1.0) * scale,
            (texel[1] * 2.0 - 1.0) * scale,
        ];
        let z = texel[2] * 2.0 - 1.0;
        let mut bent = own;
        for (k, bent) in bent.iter_mut().enumerate() {
            *bent = right[k] * x + up[k] * y + own[k] * z;
        }
        let (bent, is_sound) = unit(bent);
        let (sign, mut normal) = (self.source.sign(), self.normal());
        for (normal, bent) in normal.iter_mut().zip(bent) {
            *normal = Single::<N>::either(is_smooth & is_sound, bent * sign, *normal);
        }
        normal
    }
}

impl Attributes<'_, Numbers> {
    fn rgba(&self) -> Vec4 {
        Vec4::from([0, 1, 2, 3].map(|channel| self.color(channel)))
    }
}

#[inline(always)]
fn narrow<D: Double>([a, b, c]: [D; 3]) -> [D::Single; 3] {
    [a.narrow(), b.narrow(), c.narrow()]
}

/// Clamped to 0..1, whatever the file says; NaN becomes 0.
#[inline(always)]
fn tame<R: Real>(value: R) -> R {
    value.at_least(0.0).at_most(1.0)
}

/// As [`Tables::pixel`] of opaque colours in 0..1.
///
/// * `level` – which instruction set to use.
pub(super) fn bytes(level: Level, tables: &Tables, colors: &Channels) -> [[u8; 4]; WIDTH] {
    dispatch!(level, simd => encode(simd, tables, colors))
}

#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "counts of channels and of parts of 0..1"
)]
fn encode<S: Simd>(simd: S, tables: &Tables, colors: &Channels) -> [[u8; 4]; WIDTH] {
    // `first` gives the code for the start of the bucket, which is right or one too low. One comparison decides.
    let (first, thresholds) = tables.codes();
    let mut pixels = I::splat(simd, 0xff << 24);
    for (channel, light) in colors.iter().enumerate() {
        let light = F::load_array_ref(simd, light);
        let bucket: I<S> = (light * BUCKETS as f32).to_int();
        let buckets = bucket.max(0).min(BUCKETS as i32).to_array();
        let (mut codes, mut limits) = ([0; WIDTH], [0.0; WIDTH]);
        for ((code, limit), bucket) in codes.iter_mut().zip(&mut limits).zip(buckets) {
            let start = first[bucket as usize];
            (*code, *limit) = (i32::from(start), thresholds[usize::from(start)]);
        }
        // A true comparison is -1, so subtracting it advances to the next code.
        let is_next = light.simd_ge(F::load_array(simd, limits)).to_vector();
        let code = I::load_array(simd, codes) - is_next;
        pixels |= code << (8 * channel as u32);
    }
    pixels.to_array().map(i32::to_le_bytes)
}
