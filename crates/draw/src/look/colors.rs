//! Colours for data and for surfaces without a material, and the lights attached to the camera.

use glam::{Vec3, Vec4};

use super::srgb;

/// Linear grey of a mesh without material.
pub const UNPAINTED: Vec4 = Vec4::new(0.5, 0.5, 0.5, 1.0);

/// Linear colours of a wireframe: its lines, and the surface between them before [`form`](FORM) shades
/// it.
pub const WIRE: Vec3 = Vec3::new(0.42, 0.62, 0.85);
/// See [`WIRE`].
pub const BETWEEN_WIRES: Vec3 = Vec3::splat(0.035);

/// Brightness of the nearest and the farthest vertex in a depth image, as fractions of 255.
pub const DEPTH: [f32; 2] = [1.0, 0.1];

/// Linear colours of a joint's share of 0, ¼, ½, ¾ and 1, interpolated in between: the upper four fifths of viridis, whose lightness
/// rises all along, so that it can be read without telling red from green.
///
/// # Reference
///
/// Smith & van der Walt, *A Better Default Colormap for Matplotlib*, SciPy 2015.
pub const HEAT: [Vec3; 5] = [
    Vec3::new(0.053, 0.058, 0.242),
    Vec3::new(0.023, 0.188, 0.27),
    Vec3::new(0.016, 0.392, 0.231),
    Vec3::new(0.195, 0.638, 0.082),
    Vec3::new(0.982, 0.799, 0.019),
];

/// sRGB colours of a measured number, evenly spaced from the harmless end to the other: ColorBrewer's YlOrRd, whose steps
/// look equally large, whose lightness falls all along, and whose light end leaves a sound surface its shading.
///
/// # Reference
///
/// C. Brewer, M. Harrower, "ColorBrewer.org: An Online Tool for Selecting Colour Schemes for Maps", The Cartographic
/// Journal 40 (2003).
const SCALE: [[u8; 3]; 8] = [
    [255, 255, 204],
    [255, 237, 160],
    [254, 217, 118],
    [254, 178, 76],
    [253, 141, 60],
    [252, 78, 42],
    [227, 26, 28],
    [189, 0, 38],
];

/// Linear colour of a vertex without weight, or without the number that is shown: a grey that no scale contains, and whose
/// shades, from 0.3 to 1 times as bright, stand out from any background.
pub const UNWEIGHTED: Vec3 = Vec3::new(0.37, 0.39, 0.42);

/// sRGB colours for 1, 2, … influences; more than the last counts as the last.
const INFLUENCE_COLORS: [[u8; 3]; 8] = [
    [52, 92, 200],
    [44, 162, 190],
    [70, 180, 90],
    [200, 205, 70],
    [235, 150, 50],
    [222, 80, 50],
    [190, 45, 90],
    [225, 70, 225],
];

/// Linear colour of a vertex with `count` influences.
#[must_use]
pub fn influence_color(count: usize) -> Vec3 {
    match count.min(INFLUENCE_COLORS.len()).checked_sub(1) {
        None => UNWEIGHTED,
        Some(index) => linear(INFLUENCE_COLORS[index]),
    }
}

fn linear(code: [u8; 3]) -> Vec3 {
    let tables = srgb::tables();
    Vec3::from(code.map(|channel| tables.decode(channel)))
}

/// Linear colour of a measured number between the harmless end (0) and the other (1): pale yellow, orange, dark red.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a small index"
)]
pub fn scale_color(share: f32) -> Vec3 {
    let last = SCALE.len() - 1;
    let position = share.clamp(0.0, 1.0) * last as f32;
    let below = (position as usize).min(last - 1);
    let [low, high] = [below, below + 1].map(|index| linear(SCALE[index]));
    low.lerp(high, position - below as f32)
}

/// Linear colour of a joint's share (0..1): from blue over green to yellow; grey at 0.
#[must_use]
pub fn heat(share: f32) -> Vec3 {
    if share.is_nan() || share <= 0.0 {
        return UNWEIGHTED;
    }
    let position = share.min(1.0) * 4.0;
    let pairs = [1.0, 2.0, 3.0, 4.0].iter().zip(HEAT.windows(2));
    let between = |(end, pair): (&f32, &[Vec3])| pair[1] + (pair[1] - pair[0]) * (position - end);
    let mut found = pairs.filter(|(end, _)| position <= **end).map(between);
    found.next().unwrap_or(HEAT[4])
}

/// Direction (right, up, towards the viewer; not of unit length) to the light, and its linear colour.
pub const KEY: (Vec3, Vec3) = (Vec3::new(-0.5, 0.62, 0.6), Vec3::new(0.64, 0.615, 0.575));
/// As [`KEY`].
pub const FILL: (Vec3, Vec3) = (Vec3::new(0.8, 0.05, 0.6), Vec3::new(0.11, 0.125, 0.15));
/// Light from everywhere, from above and from below.
pub const SKY: Vec3 = Vec3::new(0.17, 0.185, 0.215);
/// As [`SKY`].
pub const GROUND: Vec3 = Vec3::new(0.075, 0.072, 0.068);
/// Light along outlines, to separate a character from the background.
pub const RIM: Vec3 = Vec3::new(0.26, 0.29, 0.335);
/// How shiny everything is.
pub const GLOSS: f32 = 0.045;
/// How far the key light wraps around a form, as the cosine at which it ends.
pub const KEY_WRAP: f32 = 0.2;
/// As [`KEY_WRAP`].
pub const FILL_WRAP: f32 = 0.5;
/// Brighter light is compressed.
pub const SHOULDER: f32 = 0.7;
/// The share of light that a surface which is no metal reflects straight ahead (glTF 2.0 §B.2.1).
pub const DIELECTRIC: f32 = 0.04;
/// Smoother surfaces are drawn as this smooth: the lights are broad.
pub const LEAST_ROUGHNESS: f32 = 0.2;
/// The share of the key light in a highlight: its geometry term, at the angle between the key light and the viewer.
pub const HIGHLIGHT: f32 = 0.3;
/// Terms of a factor that shows a surface's form without hiding its colour: constant, facing the viewer, and facing the
/// key light.
pub const FORM: Vec3 = Vec3::new(0.3, 0.5, 0.2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_lighter_the_larger_they_are() {
        let lightness = |share: f32| heat(share).dot(Vec3::new(0.2126, 0.7152, 0.0722));
        let shares: Vec<f32> = (1..=100u8).map(|share| f32::from(share) / 100.0).collect();
        for pair in shares.windows(2) {
            let [less, more] = [lightness(pair[0]), lightness(pair[1])];
            assert!(less < more, "{pair:?}: {less} {more}");
        }
    }
}
