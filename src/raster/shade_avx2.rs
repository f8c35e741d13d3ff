//! Eight colours of a surface at a time, with AVX2.
//!
//! Bit-identical to [`Brush::color`](super::shade::Brush::color): every lane goes through the same
//! operations in the same order, none of them fused. Texture coordinates that are huge or NaN, and images that show
//! data, use the plain path.

#![cfg(target_arch = "x86_64")]
#![expect(unsafe_code, reason = "kernels are called")]
#![allow(
    clippy::wildcard_imports,
    reason = "the names of intrinsics are long and many"
)]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "counts of channels and of parts of 0..1"
)]

use std::arch::x86_64::*;

use super::batch::{
    Batch, Channels, FACE_NORMAL, INVERSE_W, NORMAL, ORIGIN, PER_X, PER_Y, POSITION, SIGN, STRIDE,
    UV, WIDTH,
};
use super::lanes_avx2::{
    D, F, V3, add, all, dadd, dmul, dot, dot_all, doubles, dsub, floats, looked_up, mul, narrow,
    put, put_integers, splat, sub, transposed, transposed_doubles, wide,
};
use super::light::Lights;
use super::sample_avx2::texels;
use super::texture::Sampler;
use crate::look::lamps::{FILL, FILL_WRAP, FORM, GLOSS, GROUND, KEY, KEY_WRAP, RIM, SHOULDER, SKY};
use crate::look::srgb::{BUCKETS, Tables};
use crate::view::ColorSource;

/// As [`Brush::color`](super::shade::Brush::color) without alpha, for eight positions; `None` where they must be shaded one
/// by one.
///
/// * `texture` – multiplied with the colour.
pub(super) fn colors(
    source: ColorSource,
    lights: &Lights,
    texture: Option<&Sampler<'_>>,
    batch: &Batch,
) -> Option<Channels> {
    match source {
        ColorSource::VertexValues(_)
        | ColorSource::Normals
        | ColorSource::Depth
        | ColorSource::Edges => return None,
        ColorSource::Material { .. } | ColorSource::VertexColors(_) | ColorSource::Checker => {}
    }
    // SAFETY: this kernel is chosen only where AVX2 was found.
    unsafe { shade(source, lights, texture, batch) }
}

#[target_feature(enable = "avx2")]
fn shade(
    source: ColorSource,
    lights: &Lights,
    texture: Option<&Sampler<'_>>,
    batch: &Batch,
) -> Option<Channels> {
    if let Some(one) = batch.only() {
        let attributes = Attributes::new(
            batch,
            |k| wide(one.weighing[k]),
            |k| all(one.values[k]),
            |k| all(one.rest[k]),
        );
        shade_all(source, lights, texture, &attributes)
    } else {
        let (weighing, values) = gathered(batch);
        // Most batches have one colour, and few have reversed normals or faces without normals: these numbers are
        // gathered on demand.
        let rest = |k: usize| transposed_numbers(batch, k);
        let attributes = Attributes::new(batch, |k| weighing[k], |k| values[k], rest);
        shade_all(source, lights, texture, &attributes)
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn shade_all(
    source: ColorSource,
    lights: &Lights,
    texture: Option<&Sampler<'_>>,
    attributes: &Attributes<impl Fn(usize) -> D, impl Fn(usize) -> F, impl Fn(usize) -> F>,
) -> Option<Channels> {
    let mut color = attributes.color();
    if let Some(texture) = texture {
        let texels = texels(texture, attributes.pair(UV), attributes.slopes())?;
        for (color, texel) in color.iter_mut().zip(texels) {
            *color = mul(*color, texel);
        }
    }
    let normal = attributes.normal();
    let position = attributes.vector(POSITION);
    let light = match source {
        ColorSource::Material { lit: true } => lit(lights, color, normal, position),
        ColorSource::Material { lit: false } => color,
        _ => {
            let form = form(lights, normal, position);
            color.map(|channel| mul(channel, form))
        }
    };
    let mut channels = [[0.0; WIDTH]; 3];
    for (lanes, value) in channels.iter_mut().zip(light) {
        // NaN becomes 0: `max` returns its second operand.
        put(
            lanes,
            _mm256_min_ps(_mm256_max_ps(value, all(0.0)), all(1.0)),
        );
    }
    Some(channels)
}

/// As [`Tables::pixel`] of opaque colours in 0..1.
pub(super) fn bytes(tables: &Tables, colors: &Channels) -> [[u8; 4]; WIDTH] {
    // SAFETY: this kernel is chosen only where AVX2 was found.
    unsafe { encode(tables, colors) }
}

#[target_feature(enable = "avx2")]
fn encode(tables: &Tables, colors: &Channels) -> [[u8; 4]; WIDTH] {
    // `first` gives the code for the start of the bucket, which is right or one too low. One comparison decides.
    let (first, thresholds) = tables.codes();
    let mut pixels = _mm256_set1_epi32(0xff << 24);
    for (channel, light) in colors.iter().enumerate() {
        let light = floats(light);
        let bucket = _mm256_cvttps_epi32(mul(light, all(BUCKETS as f32)));
        // NaN converts to the least integer and becomes 0 here, as in the plain kernel.
        let bucket = _mm256_max_epi32(bucket, _mm256_setzero_si256());
        let bucket = _mm256_min_epi32(bucket, _mm256_set1_epi32(BUCKETS as i32));
        let mut buckets = [0; WIDTH];
        put_integers(&mut buckets, bucket);
        let code = |k: usize| first[buckets[k] as usize];
        let code = [
            code(0),
            code(1),
            code(2),
            code(3),
            code(4),
            code(5),
            code(6),
            code(7),
        ];
        // A true comparison is -1, so subtracting it advances to the next code.
        let is_next = _mm256_cmp_ps::<_CMP_GE_OQ>(light, looked_up(thresholds, code));
        let code = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(code)));
        let code = _mm256_sub_epi32(code, _mm256_castps_si256(is_next));
        let shift = _mm_cvtsi32_si128(8 * channel as i32);
        pixels = _mm256_or_si256(pixels, _mm256_sll_epi32(code, shift));
    }
    let mut lanes = [0; WIDTH];
    put_integers(&mut lanes, pixels);
    lanes.map(i32::to_le_bytes)
}

/// A batch in registers, and closures that read its [`Numbers`](super::batch::Numbers).
struct Attributes<'a, W, V, R> {
    batch: &'a Batch,
    weighing: W,
    values: V,
    rest: R,
    /// The weights of the three corners, in f64 and rounded to f32.
    weights: [D; 3],
    single: [F; 3],
    w: D,
}

impl<'a, W: Fn(usize) -> D, V: Fn(usize) -> F, R: Fn(usize) -> F> Attributes<'a, W, V, R> {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn new(batch: &'a Batch, weighing: W, values: V, rest: R) -> Self {
        let (weights, w) = weigh(&weighing, batch);
        Self {
            batch,
            weighing,
            values,
            rest,
            weights,
            single: [narrow(weights[0]), narrow(weights[1]), narrow(weights[2])],
            w,
        }
    }

    /// The weighted sum of number `index` of the corners.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn sum(&self, index: usize, weights: &[F; 3]) -> F {
        let value = |corner: usize| (self.values)(corner * STRIDE + index);
        blended([value(0), value(1), value(2)], weights)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn color(&self) -> V3 {
        let at = |channel: usize| {
            if let Some(color) = self.batch.color() {
                [all(color.to_array()[channel]); 3]
            } else {
                let value = |corner: usize| (self.rest)(corner * 4 + channel);
                [value(0), value(1), value(2)]
            }
        };
        [
            blended(at(0), &self.single),
            blended(at(1), &self.single),
            blended(at(2), &self.single),
        ]
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn vector(&self, first: usize) -> V3 {
        let [x, y] = self.pair(first);
        [x, y, self.sum(first + 2, &self.single)]
    }

    /// The normal for lighting, as in [`Brush::color`](super::shade::Brush::color).
    #[target_feature(enable = "avx2")]
    #[inline]
    fn normal(&self) -> V3 {
        let (mut normal, is_smooth) = unit(self.vector(NORMAL));
        let sign = (self.rest)(SIGN);
        for axis in &mut normal {
            *axis = _mm256_xor_ps(*axis, sign);
        }
        if _mm256_movemask_ps(is_smooth) == 0xff {
            return normal;
        }
        let face = |axis: usize| (self.rest)(FACE_NORMAL + axis);
        let (face, _) = unit([face(0), face(1), face(2)]);
        let either = |axis: usize| _mm256_blendv_ps(face[axis], normal[axis], is_smooth);
        [either(0), either(1), either(2)]
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn pair(&self, first: usize) -> [F; 2] {
        [
            self.sum(first, &self.single),
            self.sum(first + 1, &self.single),
        ]
    }

    /// How texture coordinates change per pixel to the right and per pixel down, as
    /// [`Interpolator::slopes`](super::interpolate::Interpolator::slopes).
    #[target_feature(enable = "avx2")]
    #[inline]
    fn slopes(&self) -> [[F; 2]; 2] {
        let scale = dmul(wide(f64::from(super::coverage::SUBPIXEL)), self.w);
        let slope = |first: usize| {
            let by = &self.weighing;
            let over_w = |k: usize| dmul(by(first + k), by(INVERSE_W + k));
            let over_w = [over_w(0), over_w(1), over_w(2)];
            let sum = dadd(dadd(over_w[0], over_w[1]), over_w[2]);
            let weight =
                |k: usize| narrow(dmul(dsub(over_w[k], dmul(self.weights[k], sum)), scale));
            let weights = [weight(0), weight(1), weight(2)];
            [self.sum(UV, &weights), self.sum(UV + 1, &weights)]
        };
        [slope(PER_X), slope(PER_Y)]
    }
}

/// The weighted sum of the corners' values.
#[target_feature(enable = "avx2")]
#[inline]
fn blended(values: [F; 3], weights: &[F; 3]) -> F {
    let product = |corner: usize| mul(values[corner], weights[corner]);
    add(add(product(0), product(1)), product(2))
}

/// The attributes that every image needs, of one triangle per position.
#[target_feature(enable = "avx2")]
#[inline]
fn gathered(batch: &Batch) -> ([D; 12], [F; 24]) {
    let (mut weighing, mut values) = ([wide(0.0); 12], [all(0.0); 24]);
    for (part, to) in weighing.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let list = |k: usize| &batch.at(k).weighing.as_chunks().0[part];
        let low = [list(0), list(1), list(2), list(3)];
        *to = transposed_doubles([low, [list(4), list(5), list(6), list(7)]]);
    }
    for (part, to) in values.as_chunks_mut::<WIDTH>().0.iter_mut().enumerate() {
        let list = |k: usize| &batch.at(k).values.as_chunks().0[part];
        let low = [list(0), list(1), list(2), list(3)];
        *to = transposed([low, [list(4), list(5), list(6), list(7)]]);
    }
    (weighing, values)
}

/// Element `index` of `rest`, of the triangle of each position.
#[target_feature(enable = "avx2")]
#[inline]
fn transposed_numbers(batch: &Batch, index: usize) -> F {
    let at = |lane: usize| batch.at(lane).rest[index];
    _mm256_setr_ps(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7))
}

/// As [`Interpolator::at`](super::interpolate::Interpolator::at).
#[target_feature(enable = "avx2")]
#[inline]
fn weigh(by: &impl Fn(usize) -> D, batch: &Batch) -> ([D; 3], D) {
    let x = dsub(doubles(&batch.x), by(ORIGIN));
    let y = dsub(doubles(&batch.y), by(ORIGIN + 1));
    let over_w = |k: usize, start: f64| {
        let grown = dadd(wide(start), dmul(by(PER_X + k), x));
        dmul(dadd(grown, dmul(by(PER_Y + k), y)), by(INVERSE_W + k))
    };
    let over_w = [over_w(0, 1.0), over_w(1, 0.0), over_w(2, 0.0)];
    let inverse_w = dadd(dadd(over_w[0], over_w[1]), over_w[2]);
    let one = wide(1.0);
    let w = [
        _mm256_div_pd(one[0], inverse_w[0]),
        _mm256_div_pd(one[1], inverse_w[1]),
    ];
    (
        [dmul(over_w[0], w), dmul(over_w[1], w), dmul(over_w[2], w)],
        w,
    )
}

/// As [`Lights::lit`].
#[target_feature(enable = "avx2")]
#[inline]
fn lit(lights: &Lights, albedo: V3, normal: V3, position: V3) -> V3 {
    // Products and sums follow the order of the plain kernel, so that the bits are the same.
    let viewer = towards_viewer(lights, position);
    let to_key = dot_all(normal, lights.key);
    let key = wrapped(to_key, KEY_WRAP);
    let fill = wrapped(dot_all(normal, lights.fill), FILL_WRAP);
    let sky = add(mul(dot_all(normal, lights.up), all(0.5)), all(0.5));
    let twice = mul(all(2.0), to_key);
    // Gloss: the cosine between the mirrored key light and the viewer, to the 8th power.
    let mirrored = [
        sub(mul(normal[0], twice), all(lights.key.x)),
        sub(mul(normal[1], twice), all(lights.key.y)),
        sub(mul(normal[2], twice), all(lights.key.z)),
    ];
    let shine = _mm256_max_ps(dot(mirrored, viewer), all(0.0));
    let shine = mul(shine, shine);
    let shine = mul(shine, shine);
    let shine = mul(all(GLOSS), mul(shine, shine));
    // Rim light: it grows as the surface turns away from the viewer, and with the light of the sky.
    let facing = _mm256_min_ps(_mm256_max_ps(dot(normal, viewer), all(0.0)), all(1.0));
    let grazing = sub(all(1.0), facing);
    let edge = mul(mul(grazing, grazing), grazing);
    let edge = mul(edge, add(all(0.4), mul(all(0.6), sky)));
    let (sky_colors, ground) = ((SKY - GROUND).to_array(), GROUND.to_array());
    let (key_colors, fill_colors) = (KEY.1.to_array(), FILL.1.to_array());
    let rim_colors = RIM.to_array();
    let mut light = albedo;
    for c in 0..3 {
        let lamps = add(mul(all(key_colors[c]), key), mul(all(fill_colors[c]), fill));
        let diffuse = add(add(lamps, all(ground[c])), mul(all(sky_colors[c]), sky));
        let rim = mul(all(rim_colors[c]), edge);
        let rim = mul(rim, add(mul(albedo[c], all(0.7)), all(0.3)));
        light[c] = shoulder(add(add(mul(albedo[c], diffuse), rim), shine));
    }
    light
}

/// As [`Lights::form`].
#[target_feature(enable = "avx2")]
#[inline]
fn form(lights: &Lights, normal: V3, position: V3) -> F {
    let viewer = towards_viewer(lights, position);
    let facing = _mm256_andnot_ps(all(-0.0), dot(normal, viewer));
    let facing = _mm256_min_ps(facing, all(1.0));
    let from_above = add(mul(dot_all(normal, lights.key), all(0.5)), all(0.5));
    let form = add(all(FORM.x), mul(all(FORM.y), facing));
    add(form, mul(all(FORM.z), from_above))
}

#[target_feature(enable = "avx2")]
#[inline]
fn towards_viewer(lights: &Lights, position: V3) -> V3 {
    if lights.is_orthographic {
        return splat(lights.back);
    }
    let eye = splat(lights.eye);
    let (direction, _) = unit([
        sub(eye[0], position[0]),
        sub(eye[1], position[1]),
        sub(eye[2], position[2]),
    ]);
    direction
}

#[target_feature(enable = "avx2")]
#[inline]
fn wrapped(cosine: F, wrap: f32) -> F {
    let light = mul(add(cosine, all(wrap)), all(1.0 / (1.0 + wrap)));
    _mm256_max_ps(light, all(0.0))
}

#[target_feature(enable = "avx2")]
#[inline]
fn shoulder(value: F) -> F {
    let over = _mm256_div_ps(sub(value, all(SHOULDER)), all(1.0 - SHOULDER));
    let bent = _mm256_div_ps(mul(all(1.0 - SHOULDER), over), add(all(1.0), over));
    let bent = add(all(SHOULDER), bent);
    let is_kept = _mm256_cmp_ps::<_CMP_LE_OQ>(value, all(SHOULDER));
    _mm256_blendv_ps(bent, value, is_kept)
}

/// As `normalize_or_zero`, with a mask of the lanes that have a direction.
#[target_feature(enable = "avx2")]
#[inline]
fn unit(vector: V3) -> (V3, F) {
    let inverse = _mm256_div_ps(all(1.0), _mm256_sqrt_ps(dot(vector, vector)));
    let is_finite = _mm256_cmp_ps::<_CMP_LT_OQ>(inverse, all(f32::INFINITY));
    let is_some = _mm256_cmp_ps::<_CMP_GT_OQ>(inverse, all(0.0));
    let sound = _mm256_and_ps(is_finite, is_some);
    let scaled = |axis: usize| _mm256_and_ps(mul(vector[axis], inverse), sound);
    ([scaled(0), scaled(1), scaled(2)], sound)
}
