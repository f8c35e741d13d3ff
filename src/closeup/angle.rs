//! The view of a close-up: the one that shows the most of what is marked.

use glam::Vec3;

use super::marked::{Triangle, area};
use crate::frame::Frame;
use crate::overlay::seen_area;
use crate::units::Space;
use crate::view::{Camera, ViewDirection, Viewport};

/// The images that views are compared by.
pub(super) const TRIAL: Viewport = Viewport {
    width: 96,
    height: 96,
};

/// The camera looks down or up by at most this many degrees: a character is hard to recognize from farther above or below.
const STEEPEST: f64 = 40.0;

/// The usual view is kept if it shows this part of what the best view shows.
const GOOD_ENOUGH: f64 = 0.7;

/// Half of a closed surface faces away, and a round one shows two thirds of the rest. The usual view is not compared with others
/// if it shows this part of half of the surface.
const PLAIN: f64 = 0.55;

/// Directions around the model, in degrees: how far to the left and from above.
const YAWS: [f64; 8] = [0.0, 45.0, -45.0, 90.0, -90.0, 135.0, -135.0, 180.0];
const PITCHES: [f64; 3] = [15.0, -20.0, 40.0];

/// A view of a close-up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Angle {
    pub(super) direction: ViewDirection,
    /// Whether everything in front of what is marked is left out, because it hides that from all directions.
    pub(super) is_cut: bool,
}

/// The camera, without what is in front of all `parts`.
///
/// * `margin` – how far in front of them the cut is, in world space.
pub(super) fn cut(camera: &Camera, parts: &[Vec<Triangle>], margin: f32) -> Camera {
    let corners = parts.iter().flatten().flatten();
    let distances = corners.map(|corner| -camera.view_from_world.transform_point3(*corner).z);
    camera.cut_at(distances.fold(f32::INFINITY, f32::min) - margin)
}

/// The views to try, the usual one first.
///
/// * `normal` – of the surface at the finding, if it has one.
pub(super) fn candidates(space: &Space, normal: Option<Vec3>) -> Vec<ViewDirection> {
    let usual = normal.map_or(ViewDirection::ThreeQuarter, |normal| {
        let (yaw_degrees, pitch) = ViewDirection::towards(space, normal).angles();
        let pitch_degrees = pitch.clamp(-STEEPEST, STEEPEST);
        ViewDirection::Orbit {
            yaw_degrees,
            pitch_degrees,
        }
    });
    let around = PITCHES.into_iter().flat_map(|pitch_degrees| {
        YAWS.map(|yaw_degrees| ViewDirection::Orbit {
            yaw_degrees,
            pitch_degrees,
        })
    });
    std::iter::once(usual).chain(around).collect()
}

/// How much of what is marked an image shows, in pixels: of two limbs, the one that is hidden more.
pub(super) fn shown(parts: &[Vec<Triangle>], camera: &Camera, trial: &Frame) -> f64 {
    let shown = parts.iter().map(|part| seen_area(part, camera, trial));
    shown.reduce(f64::min).unwrap_or(0.0)
}

/// Whether a view that shows so many pixels of `parts` need not be compared with others.
///
/// * `pixels_per_unit` – the scale of the image at what is marked.
pub(super) fn is_plain(parts: &[Vec<Triangle>], shown: f64, pixels_per_unit: f64) -> bool {
    let areas = parts.iter().map(|part| area(part));
    let smallest = areas.reduce(f64::min).unwrap_or(0.0);
    shown >= PLAIN * smallest / 2.0 * pixels_per_unit * pixels_per_unit
}

/// The position of the best view: the first that shows the most, or the usual one if it shows nearly as much.
///
/// * `shown` – by each view, the usual one first.
pub(super) fn best(shown: &[f64]) -> usize {
    let most = shown.iter().copied().fold(0.0, f64::max);
    if shown
        .first()
        .is_none_or(|usual| *usual >= GOOD_ENOUGH * most)
    {
        return 0;
    }
    let first = shown.iter().position(|shown| *shown >= most);
    first.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_view_is_kept_unless_another_shows_much_more() {
        assert_eq!(best(&[80.0, 100.0, 90.0]), 0);
        assert_eq!(best(&[60.0, 90.0, 100.0, 100.0]), 2);
        assert_eq!(best(&[0.0, 0.0]), 0);
        assert_eq!(best(&[]), 0);
    }

    #[test]
    fn a_surface_that_faces_the_camera_needs_no_other_view() {
        let square = [
            [Vec3::ZERO, Vec3::X, Vec3::Y],
            [Vec3::Y, Vec3::X, Vec3::X + Vec3::Y],
        ];
        let parts = [square.to_vec()];
        assert!(is_plain(&parts, 90.0, 10.0), "seen from the front");
        assert!(!is_plain(&parts, 20.0, 10.0), "seen from the side");
    }

    #[test]
    fn no_view_is_from_far_above_or_below() {
        for normal in [None, Some(Vec3::Y), Some(Vec3::NEG_Y), Some(Vec3::X)] {
            for view in candidates(&Space::Y_UP, normal) {
                let (_, pitch) = view.angles();
                assert!(pitch.abs() <= STEEPEST, "{view:?}");
            }
        }
    }
}
