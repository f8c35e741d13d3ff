//! What an image shows of a surface, by its depths.

use glam::{DVec2, Vec3};

use super::shapes::{Mark, Projection};
use crate::frame::Frame;
use crate::view::Camera;

/// Depths that differ by less than this fraction of the range belong to the surface of the position.
const ON_SURFACE: f32 = 2e-3;

/// The pixels of `triangles` that the image shows: the areas of those whose middle nothing covers.
///
/// * `triangles` – their corners in world space, on a surface that `frame` shows.
#[must_use]
pub(crate) fn seen_area(triangles: &[[Vec3; 3]], camera: &Camera, frame: &Frame) -> f64 {
    let projection = Projection::new(camera, frame);
    let areas = triangles.iter().filter_map(|corners| {
        let middle = corners.iter().sum::<Vec3>() / 3.0;
        let is_seen = is_seen(&projection.point(middle)?, frame);
        let [a, b, c] = corners.map(|corner| projection.point(corner));
        let [a, b, c] = [a?, b?, c?].map(|mark| mark.on_screen);
        is_seen.then(|| (b - a).perp_dot(c - a).abs() / 2.0)
    });
    areas.sum()
}

/// Whether `mark` is inside the image, with nothing in front of it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "inside the image"
)]
pub(super) fn is_seen(mark: &Mark<DVec2>, frame: &Frame) -> bool {
    let at = mark.on_screen;
    let size = DVec2::new(f64::from(frame.width), f64::from(frame.height));
    if at.cmplt(DVec2::ZERO).any() || at.cmpge(size).any() {
        return false;
    }
    let pixel = at.y as usize * frame.width as usize + at.x as usize;
    let depth = (0.5 * mark.depth + 0.5) as f32;
    let front = frame.depth.get(pixel);
    front.is_some_and(|front| *front >= depth - ON_SURFACE)
}

#[cfg(test)]
mod tests {
    use glam::Mat4;

    use super::*;

    const CAMERA: Camera = Camera {
        view_from_world: Mat4::IDENTITY,
        clip_from_view: Mat4::IDENTITY,
    };

    #[test]
    fn a_triangle_behind_a_surface_or_outside_of_the_image_is_not_seen() {
        let mut frame = Frame::blank(4, 4);
        frame.depth.fill(0.5);
        let seen = |at: Vec3| {
            let corners = [Vec3::ZERO, Vec3::X, Vec3::Y].map(|corner| at + corner);
            seen_area(&[corners], &CAMERA, &frame)
        };
        // Half of a quarter of the image.
        let [near, on, behind] = [-0.5, 0.0, 0.5].map(|z| seen(Vec3::Z * z));
        assert!((near - 2.0).abs() < 1e-9 && (on - 2.0).abs() < 1e-9 && behind == 0.0);
        assert!(seen(Vec3::X * 2.0) == 0.0);
    }
}
