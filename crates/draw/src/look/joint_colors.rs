//! Colours to tell joints apart.

use std::sync::LazyLock;

use glam::{DMat3, DVec3, Vec3};

use super::colors::UNWEIGHTED;
use super::srgb;
use crate::rig::NodeId;

/// How many there are.
const COUNT: usize = 256;

/// The step between the sRGB bytes of the colours to choose from.
const STEP: usize = 17;

/// Least and most lightness in Oklab: shading is seen on each colour.
const LIGHTNESS: [f64; 2] = [0.35, 0.95];

/// The least chroma in Oklab: a grey is a vertex without weight.
const CHROMA: f64 = 0.07;

/// How much of a difference in lightness counts: a shaded surface has several itself.
const COUNTING_LIGHTNESS: f64 = 0.4;

/// How much less a difference counts between more vivid colours, as in CIEDE2000.
const COMPRESSION: f64 = 5.0;

static COLORS: LazyLock<Vec<Vec3>> = LazyLock::new(chosen);

/// A linear colour for each joint, far from those of the others. Joints whose numbers are 256 apart share one.
#[must_use]
pub fn joint_color(joint: NodeId) -> Vec3 {
    COLORS[joint.index() % COUNT]
}

/// Colours, of which each is as far as possible from all earlier ones.
///
/// # Reference
///
/// C. Glasbey, G. van der Heijden, V. F. K. Toh, A. Gray, "Colour displays for categorical images", Color Research &
/// Application 32 (2007).
fn chosen() -> Vec<Vec3> {
    let none = place(UNWEIGHTED);
    let mut candidates: Vec<Candidate> = grid()
        .filter(|color| is_suitable(*color))
        .map(|color| Candidate {
            color,
            place: place(color),
            distance: place(color).distance_squared(none),
        })
        .collect();
    let mut chosen = Vec::with_capacity(COUNT);
    while chosen.len() < COUNT {
        let farthest = candidates
            .iter()
            .max_by(|a, b| a.distance.total_cmp(&b.distance));
        let Some(Candidate { color, place, .. }) = farthest.copied() else {
            break;
        };
        chosen.push(color);
        for own in &mut candidates {
            own.distance = own.distance.min(own.place.distance_squared(place));
        }
    }
    chosen
}

#[derive(Clone, Copy)]
struct Candidate {
    /// Linear.
    color: Vec3,
    place: DVec3,
    /// The square of that to the nearest colour that is taken.
    distance: f64,
}

/// Linear colours all over sRGB.
fn grid() -> impl Iterator<Item = Vec3> {
    let levels = || {
        (0..=u8::MAX)
            .step_by(STEP)
            .map(|code| srgb::tables().decode(code))
    };
    let across = move |red, green| levels().map(move |blue| Vec3::new(red, green, blue));
    levels().flat_map(move |red| levels().flat_map(move |green| across(red, green)))
}

fn is_suitable(color: Vec3) -> bool {
    let own = oklab(color);
    let [least, most] = LIGHTNESS;
    own.x >= least && own.x <= most && libm::hypot(own.y, own.z) >= CHROMA
}

/// Where distances are differences that are seen.
fn place(color: Vec3) -> DVec3 {
    let DVec3 { x, y, z } = oklab(color);
    let vivid = COMPRESSION * libm::hypot(y, z);
    let factor = libm::log1p(vivid) / vivid.max(f64::MIN_POSITIVE);
    DVec3::new(COUNTING_LIGHTNESS * x, factor * y, factor * z)
}

/// Lightness (0..1) and the two opponent axes of a linear colour.
///
/// # Reference
///
/// B. Ottosson, "A perceptual color space for image processing" (2020).
fn oklab(color: Vec3) -> DVec3 {
    const CONES: DMat3 = DMat3::from_cols_array(&[
        0.412_221_470_8,
        0.211_903_498_2,
        0.088_302_461_9,
        0.536_332_536_3,
        0.680_699_545_1,
        0.281_718_837_6,
        0.051_445_992_9,
        0.107_396_956_6,
        0.629_978_700_5,
    ]);
    const AXES: DMat3 = DMat3::from_cols_array(&[
        0.210_454_255_3,
        1.977_998_495_1,
        0.025_904_037_1,
        0.793_617_785_0,
        -2.428_592_205_0,
        0.782_771_766_2,
        -0.004_072_046_8,
        0.450_593_709_9,
        -0.808_675_766_0,
    ]);
    let cones = CONES * color.as_dvec3();
    AXES * DVec3::from(cones.to_array().map(libm::cbrt))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colours_of_a_hundred_joints_are_told_apart() {
        assert!(oklab(Vec3::ONE).abs_diff_eq(DVec3::X, 1e-6));
        let least = |count: usize| {
            let places: Vec<DVec3> = (0..count).map(|index| place(COLORS[index])).collect();
            let pairs =
                (1..count).flat_map(|later| (0..later).map(move |earlier| [earlier, later]));
            let distances = pairs.map(|[a, b]| places[a].distance(places[b]));
            distances.fold(f64::INFINITY, f64::min)
        };
        let [few, many] = [16, 100].map(least);
        assert!(few > 0.08 && many > 0.035, "{few} {many}");
        assert_eq!(joint_color(NodeId(256)), joint_color(NodeId(0)));
    }
}
