//! The colours of one triangle at eight places at a time, with AVX2.
//!
//! The same as [`Brush::color`] finds one by one, bit by bit: every lane goes through the same operations in the same order,
//! none of them fused. Lanes in which something is out of the ordinary (a normal without length, a number that is none) and
//! pictures that show data go the plain way.

#![cfg(target_arch = "x86_64")]
#![expect(unsafe_code, reason = "registers are stored through pointers")]
#![allow(
    clippy::wildcard_imports,
    reason = "the names of intrinsics are long and many"
)]
#![expect(
    clippy::many_single_char_names,
    reason = "corners, texels, and the terms of a known formula"
)]

use std::arch::x86_64::*;

use glam::{Vec3, Vec4};

use super::interpolate::Place;
use super::lanes_avx2::{
    D, F, V3, WIDTH, add, all, dadd, dmul, dot, dot_all, doubles, dsub, mul, narrow, put, splat,
    sub, wide,
};
use super::light::Lights;
use super::mipmap::Level;
use super::shade::{Brush, Weighing};
use super::texture::Sampler;
use crate::look::lamps::{FILL, FILL_WRAP, FORM, GLOSS, GROUND, KEY, KEY_WRAP, RIM, SHOULDER, SKY};
use crate::view::Show;

/// As [`Brush::color`], for eight places; `None` where they are to be looked at one by one.
pub(super) fn colors(brush: &Brush<'_>, places: &[Place; WIDTH]) -> Option<[Vec4; WIDTH]> {
    match brush.show() {
        Show::Normals | Show::Weights(_) | Show::Depth | Show::Wireframe => return None,
        Show::Lit | Show::Texture | Show::Influences | Show::Joints | Show::Uv => {}
    }
    // SAFETY: this kernel is chosen only where AVX2 was found.
    unsafe { shade(brush, places) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn shade(brush: &Brush<'_>, places: &[Place; WIDTH]) -> Option<[Vec4; WIDTH]> {
    let weighing = brush.weighing();
    let (weights, w) = weigh(weighing, places);
    let single = [narrow(weights[0]), narrow(weights[1]), narrow(weights[2])];
    let [a, b, c] = &brush.triangle().varyings;
    let vector = |a: Vec3, b: Vec3, c: Vec3| {
        [
            sum([a.x, b.x, c.x], &single),
            sum([a.y, b.y, c.y], &single),
            sum([a.z, b.z, c.z], &single),
        ]
    };
    let [red, green, blue] = vector(a.color.truncate(), b.color.truncate(), c.color.truncate());
    let alpha = sum([a.color.w, b.color.w, c.color.w], &single);
    let mut color = [red, green, blue, alpha];
    if let Some(texture) = brush.texture() {
        let uv = [
            sum([a.uv.x, b.uv.x, c.uv.x], &single),
            sum([a.uv.y, b.uv.y, c.uv.y], &single),
        ];
        let slopes = slopes(weighing, &weights, w);
        let texels = texels(texture, brush, uv, &slopes)?;
        for (color, texel) in color.iter_mut().zip(texels) {
            *color = mul(*color, texel);
        }
    }
    let mut normal = unit(vector(a.normal, b.normal, c.normal))?;
    if brush.triangle().turned {
        let minus = all(-0.0);
        normal = normal.map(|axis| _mm256_xor_ps(axis, minus));
    }
    let position = vector(a.position, b.position, c.position);
    let albedo = [color[0], color[1], color[2]];
    let light = match brush.show() {
        Show::Lit => lit(brush.lights(), albedo, normal, position)?,
        Show::Texture => albedo,
        _ => {
            let form = form(brush.lights(), normal, position)?;
            albedo.map(|channel| mul(channel, form))
        }
    };
    let mut lanes = [[0.0; WIDTH]; 4];
    for (lanes, value) in lanes
        .iter_mut()
        .zip([light[0], light[1], light[2], color[3]])
    {
        // A number that is none becomes 0: the second operand is taken.
        let tame = _mm256_min_ps(_mm256_max_ps(value, all(0.0)), all(1.0));
        put(lanes, tame);
    }
    let mut colors = [Vec4::ZERO; WIDTH];
    for (k, color) in colors.iter_mut().enumerate() {
        *color = Vec4::new(lanes[0][k], lanes[1][k], lanes[2][k], lanes[3][k]);
    }
    Some(colors)
}

/// The sum of the corners' values times their weights.
#[target_feature(enable = "avx2")]
#[inline]
fn sum(values: [f32; 3], weights: &[F; 3]) -> F {
    let product = add(
        mul(all(values[0]), weights[0]),
        mul(all(values[1]), weights[1]),
    );
    add(product, mul(all(values[2]), weights[2]))
}

/// As [`Interpolator::at`](super::interpolate::Interpolator::at).
#[target_feature(enable = "avx2")]
#[inline]
fn weigh(by: &Weighing, places: &[Place; WIDTH]) -> ([D; 3], D) {
    let (mut xs, mut ys) = ([0.0; WIDTH], [0.0; WIDTH]);
    for (k, place) in places.iter().enumerate() {
        (xs[k], ys[k]) = (place.x - by.origin.x, place.y - by.origin.y);
    }
    let (x, y) = (doubles(&xs), doubles(&ys));
    let over_w = |k: usize, start: f64| {
        let grown = dadd(wide(start), dmul(wide(by.per_x[k]), x));
        dmul(
            dadd(grown, dmul(wide(by.per_y[k]), y)),
            wide(by.inverse_w[k]),
        )
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

/// As [`Interpolator::slopes`](super::interpolate::Interpolator::slopes): to the right and down, one a corner.
#[target_feature(enable = "avx2")]
#[inline]
fn slopes(by: &Weighing, weights: &[D; 3], w: D) -> [[F; 3]; 2] {
    let scale = dmul(wide(f64::from(super::coverage::SUBPIXEL)), w);
    let slope = |per_unit: &[f64; 3]| {
        let over_w = [
            per_unit[0] * by.inverse_w[0],
            per_unit[1] * by.inverse_w[1],
            per_unit[2] * by.inverse_w[2],
        ];
        let sum = wide(over_w[0] + over_w[1] + over_w[2]);
        let weight = |k: usize| narrow(dmul(dsub(wide(over_w[k]), dmul(weights[k], sum)), scale));
        [weight(0), weight(1), weight(2)]
    };
    [slope(&by.per_x), slope(&by.per_y)]
}

/// As [`Sampler::sample`], for the coordinates `uv` that change by `slopes` times those of the corners.
#[target_feature(enable = "avx2")]
#[inline]
fn texels(
    texture: &Sampler<'_>,
    brush: &Brush<'_>,
    uv: [F; 2],
    slopes: &[[F; 3]; 2],
) -> Option<[F; 4]> {
    let [a, b, c] = &brush.triangle().varyings;
    let (width, height) = texture.size();
    let along = |slope: &[F; 3]| {
        let x = mul(sum([a.uv.x, b.uv.x, c.uv.x], slope), all(width));
        let y = mul(sum([a.uv.y, b.uv.y, c.uv.y], slope), all(height));
        add(mul(x, x), mul(y, y))
    };
    let (right, down) = (along(&slopes[0]), along(&slopes[1]));
    let (sum, largest) = (add(right, down), _mm256_max_ps(right, down));
    let known = _mm256_cmp_ps::<_CMP_LT_OQ>(sum, all(f32::INFINITY));
    let near = |at: F| _mm256_cmp_ps::<_CMP_LT_OQ>(_mm256_andnot_ps(all(-0.0), at), all(1e4));
    let known = _mm256_and_ps(known, _mm256_and_ps(near(uv[0]), near(uv[1])));
    if _mm256_movemask_ps(known) != 0xff {
        return None;
    }
    let is_small = _mm256_cmp_ps::<_CMP_GT_OQ>(largest, all(1.0));
    let detail = if _mm256_movemask_ps(is_small) == 0 {
        all(0.0)
    } else {
        let level = mul(all(0.5), log2(_mm256_max_ps(largest, all(1.0))));
        _mm256_and_ps(_mm256_min_ps(level, all(texture.coarsest())), is_small)
    };
    let sharp = _mm256_cvttps_epi32(detail);
    let rest = sub(detail, _mm256_cvtepi32_ps(sharp));
    let (mut us, mut vs, mut rests) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
    put(&mut us, uv[0]);
    put(&mut vs, uv[1]);
    put(&mut rests, rest);
    let mut levels = [0_i32; WIDTH];
    // SAFETY: the array has eight places; stores need no alignment.
    unsafe { _mm256_storeu_si256(levels.as_mut_ptr().cast(), sharp) }
    let mut texels = [_mm_setzero_ps(); WIDTH];
    for (k, texel) in texels.iter_mut().enumerate() {
        // Levels are not negative.
        let (sharp, rest) = (usize::try_from(levels[k]).unwrap_or_default(), rests[k]);
        let near = bilinear(texture, &texture.levels()[sharp], us[k], vs[k]);
        *texel = match texture.levels().get(sharp + 1) {
            Some(next) if rest > 0.0 => mix(near, bilinear(texture, next, us[k], vs[k]), rest),
            _ => near,
        };
    }
    Some(by_channel(&texels))
}

/// As [`Sampler::sample`] of one level, all channels at a time.
#[target_feature(enable = "avx2")]
#[inline]
fn bilinear(texture: &Sampler<'_>, level: &Level<'_>, u: f32, v: f32) -> __m128 {
    let taps = texture.taps(level, u, v);
    let ([left, right], [top, bottom]) = (taps.columns, taps.rows);
    let above = mix(
        linear(texture, level.texel(left, top)),
        linear(texture, level.texel(right, top)),
        taps.along_x,
    );
    let below = mix(
        linear(texture, level.texel(left, bottom)),
        linear(texture, level.texel(right, bottom)),
        taps.along_x,
    );
    mix(above, below, taps.along_y)
}

#[target_feature(enable = "avx2")]
#[inline]
fn linear(texture: &Sampler<'_>, [r, g, b, a]: [u8; 4]) -> __m128 {
    let tables = texture.tables();
    let light = |code: u8| tables.decode(code);
    _mm_setr_ps(light(r), light(g), light(b), tables.alpha(a))
}

#[target_feature(enable = "avx2")]
#[inline]
fn mix(a: __m128, b: __m128, t: f32) -> __m128 {
    _mm_add_ps(a, _mm_mul_ps(_mm_sub_ps(b, a), _mm_set1_ps(t)))
}

/// From a register a texel to one a channel.
#[target_feature(enable = "avx2")]
#[inline]
fn by_channel(texels: &[__m128; WIDTH]) -> [F; 4] {
    const FIRST: i32 = 0b01_00_01_00;
    const SECOND: i32 = 0b11_10_11_10;
    let [a, b, c, d, e, f, g, h] = *texels;
    let pairs = |low: __m128, high: __m128| _mm256_set_m128(high, low);
    // Both halves at once: texels 0 to 3 in the lower ones, 4 to 7 in the upper ones.
    let (ae, bf, cg, dh) = (pairs(a, e), pairs(b, f), pairs(c, g), pairs(d, h));
    let (red_green, blue_alpha) = (_mm256_unpacklo_ps(ae, bf), _mm256_unpackhi_ps(ae, bf));
    let (red_green_2, blue_alpha_2) = (_mm256_unpacklo_ps(cg, dh), _mm256_unpackhi_ps(cg, dh));
    [
        _mm256_shuffle_ps::<FIRST>(red_green, red_green_2),
        _mm256_shuffle_ps::<SECOND>(red_green, red_green_2),
        _mm256_shuffle_ps::<FIRST>(blue_alpha, blue_alpha_2),
        _mm256_shuffle_ps::<SECOND>(blue_alpha, blue_alpha_2),
    ]
}

/// As `libm::log2f`, of finite numbers that are not below 1.
///
/// # Reference
///
/// FreeBSD, `e_log2f.c`.
#[target_feature(enable = "avx2")]
#[inline]
fn log2(x: F) -> F {
    const HIGH: f32 = 1.442_871_1;
    const LOW: f32 = -0.000_176_052_85;
    let integers = |value: u32| _mm256_set1_epi32(value.cast_signed());
    // Reduces x into [sqrt(2)/2, sqrt(2)].
    let bits = _mm256_add_epi32(_mm256_castps_si256(x), integers(0x3f80_0000 - 0x3f35_04f3));
    let exponent = _mm256_sub_epi32(_mm256_srli_epi32::<23>(bits), integers(0x7f));
    let mantissa = _mm256_and_si256(bits, integers(0x007f_ffff));
    let x = _mm256_castsi256_ps(_mm256_add_epi32(mantissa, integers(0x3f35_04f3)));
    let f = sub(x, all(1.0));
    let s = _mm256_div_ps(f, add(all(2.0), f));
    let z = mul(s, s);
    let w = mul(z, z);
    let t1 = mul(w, add(all(0.400_009_72), mul(w, all(0.242_790_79))));
    let t2 = mul(z, add(all(0.666_666_6), mul(w, all(0.284_987_87))));
    let r = add(t2, t1);
    let half = mul(mul(all(0.5), f), f);
    let hi = sub(f, half);
    let hi = _mm256_and_ps(hi, _mm256_castsi256_ps(integers(0xffff_f000)));
    let lo = add(sub(sub(f, hi), half), mul(s, add(half, r)));
    let product = add(mul(add(lo, hi), all(LOW)), mul(lo, all(HIGH)));
    add(
        add(product, mul(hi, all(HIGH))),
        _mm256_cvtepi32_ps(exponent),
    )
}

/// As [`Lights::lit`].
#[target_feature(enable = "avx2")]
#[inline]
fn lit(lights: &Lights, albedo: V3, normal: V3, position: V3) -> Option<V3> {
    let viewer = towards_viewer(lights, position)?;
    let to_key = dot_all(normal, lights.key);
    let key = wrapped(to_key, KEY_WRAP);
    let fill = wrapped(dot_all(normal, lights.fill), FILL_WRAP);
    let sky = add(mul(dot_all(normal, lights.up), all(0.5)), all(0.5));
    let twice = mul(all(2.0), to_key);
    let mirrored = [
        sub(mul(normal[0], twice), all(lights.key.x)),
        sub(mul(normal[1], twice), all(lights.key.y)),
        sub(mul(normal[2], twice), all(lights.key.z)),
    ];
    let shine = _mm256_max_ps(dot(mirrored, viewer), all(0.0));
    let shine = mul(shine, shine);
    let shine = mul(shine, shine);
    let shine = mul(all(GLOSS), mul(shine, shine));
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
    Some(light)
}

/// As [`Lights::form`].
#[target_feature(enable = "avx2")]
#[inline]
fn form(lights: &Lights, normal: V3, position: V3) -> Option<F> {
    let viewer = towards_viewer(lights, position)?;
    let facing = _mm256_andnot_ps(all(-0.0), dot(normal, viewer));
    let facing = _mm256_min_ps(facing, all(1.0));
    let from_above = add(mul(dot_all(normal, lights.key), all(0.5)), all(0.5));
    let form = add(all(FORM.x), mul(all(FORM.y), facing));
    Some(add(form, mul(all(FORM.z), from_above)))
}

#[target_feature(enable = "avx2")]
#[inline]
fn towards_viewer(lights: &Lights, position: V3) -> Option<V3> {
    if lights.is_orthographic {
        return Some(splat(lights.back));
    }
    let eye = splat(lights.eye);
    unit([
        sub(eye[0], position[0]),
        sub(eye[1], position[1]),
        sub(eye[2], position[2]),
    ])
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

/// As `normalize_or_zero`; `None` where a vector has no direction.
#[target_feature(enable = "avx2")]
#[inline]
fn unit(vector: V3) -> Option<V3> {
    let inverse = _mm256_div_ps(all(1.0), _mm256_sqrt_ps(dot(vector, vector)));
    let is_finite = _mm256_cmp_ps::<_CMP_LT_OQ>(inverse, all(f32::INFINITY));
    let is_some = _mm256_cmp_ps::<_CMP_GT_OQ>(inverse, all(0.0));
    let sound = _mm256_movemask_ps(_mm256_and_ps(is_finite, is_some)) == 0xff;
    sound.then_some([
        mul(vector[0], inverse),
        mul(vector[1], inverse),
        mul(vector[2], inverse),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_libm() {
        if !std::arch::is_x86_feature_detected!("avx2") {
            return;
        }
        let last = 3e38_f32.to_bits();
        for bits in (1.0_f32.to_bits()..last).step_by(104_729) {
            let mut numbers = [0.0; WIDTH];
            for (number, bits) in numbers.iter_mut().zip(bits..) {
                *number = f32::from_bits(bits);
            }
            let mut found = [0.0; WIDTH];
            // SAFETY: AVX2 was found above.
            unsafe {
                put(
                    &mut found,
                    log2(crate::raster::lanes_avx2::floats(&numbers)),
                );
            }
            let expected = numbers.map(|number| libm::log2f(number).to_bits());
            assert_eq!(found.map(f32::to_bits), expected, "{numbers:?}");
        }
    }
}
