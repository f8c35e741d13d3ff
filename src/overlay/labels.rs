//! Names beside joints.

use glam::DVec2;

use super::Overlay;
use super::projection::{Projection, scale};
use super::text::{STRIP, paint, width_of, write};
use crate::frame::Frame;
use crate::view::Camera;

/// Pixels from the corner of an image: left, top, right, bottom.
type Rectangle = [f64; 4];

/// Distance between a joint and its name in an image of the reference height.
const GAP: f64 = 6.0;

/// Space around a name, in pixels.
const MARGIN: u32 = 2;

/// Writes the names of the joints, the nearest first: right, left, above or below, whichever is free of other names and of
/// joints. A name without room is omitted.
pub fn draw_labels(skeleton: &Overlay, camera: &Camera, frame: &mut Frame) {
    let projection = Projection::new(camera, frame);
    let gap = GAP * scale(frame);
    let side = side(frame);
    let named = skeleton.joints.iter().zip(&skeleton.names);
    let placed = named.filter_map(|(joint, name)| Some((projection.point(*joint)?, name)));
    let mut placed: Vec<_> = placed.collect();
    placed.sort_by(|(a, _), (b, _)| a.depth.total_cmp(&b.depth));
    let dot = |at: DVec2| {
        [
            at.x - gap / 2.0,
            at.y - gap / 2.0,
            at.x + gap / 2.0,
            at.y + gap / 2.0,
        ]
    };
    let mut taken: Vec<Rectangle> = placed.iter().map(|(mark, _)| dot(mark.on_screen)).collect();
    for (mark, name) in &placed {
        let size = DVec2::new(
            f64::from(width_of(name, side) + 2 * MARGIN),
            f64::from(side + 2 * MARGIN),
        );
        let free = candidates(mark.on_screen, size, gap)
            .into_iter()
            .find(|rectangle| {
                is_inside(rectangle, frame) && !taken.iter().any(|other| meet(rectangle, other))
            });
        if let Some(rectangle) = free {
            taken.push(rectangle);
            label(frame, name, rectangle, side);
        }
    }
}

/// The side of a glyph: twice the font's own size in large images only.
fn side(frame: &Frame) -> u32 {
    if frame.width.min(frame.height) >= 1600 {
        16
    } else {
        8
    }
}

fn candidates(joint: DVec2, size: DVec2, gap: f64) -> [Rectangle; 4] {
    let half = size / 2.0;
    let corners = [
        joint + DVec2::new(gap, -half.y),
        joint + DVec2::new(-gap - size.x, -half.y),
        joint + DVec2::new(-half.x, -gap - size.y),
        joint + DVec2::new(-half.x, gap),
    ];
    corners.map(|corner| {
        let corner = corner.round();
        [corner.x, corner.y, corner.x + size.x, corner.y + size.y]
    })
}

fn is_inside([left, top, right, bottom]: &Rectangle, frame: &Frame) -> bool {
    *left >= 0.0
        && *top >= 0.0
        && *right <= f64::from(frame.width)
        && *bottom <= f64::from(frame.height)
}

fn meet(a: &Rectangle, b: &Rectangle) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "inside the image"
)]
fn label(frame: &mut Frame, name: &str, rectangle: Rectangle, side: u32) {
    let [left, top, right, bottom] = rectangle.map(|edge| edge as u32);
    paint(frame, [left, top], [right - left, bottom - top], STRIP);
    write(frame, name, [left + MARGIN, top + MARGIN], u32::MAX, side);
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Vec3};

    use super::*;

    const CAMERA: Camera = Camera {
        view_from_world: Mat4::IDENTITY,
        clip_from_view: Mat4::IDENTITY,
    };

    /// Pixels of an image of 100 by 100 in which two joints called `name` are drawn.
    fn written(positions: [Vec3; 2], name: &str) -> usize {
        let mut frame = Frame::blank(100, 100);
        let skeleton = Overlay {
            bones: vec![],
            joints: positions.into(),
            names: vec![name.to_owned(), name.to_owned()],
        };
        draw_labels(&skeleton, &CAMERA, &mut frame);
        frame.rgba.chunks(4).filter(|pixel| pixel[3] > 0).count()
    }

    #[test]
    fn names_do_not_cover_each_other() {
        let one = (8 * 4 + 4) * (8 + 4);
        let apart = [Vec3::new(-0.2, 0.5, 0.0), Vec3::new(-0.2, -0.5, 0.0)];
        assert_eq!(written(apart, "Hips"), 2 * one);
        let close = [Vec3::new(-0.2, 0.02, 0.0), Vec3::new(-0.2, 0.0, 0.0)];
        assert_eq!(written(close, "Hips"), 2 * one, "on either side");
        let same_row = [Vec3::new(0.9, 0.0, 0.0), Vec3::new(0.5, 0.0, 0.0)];
        assert!(written(same_row, "Hips") >= one);
    }

    #[test]
    fn a_name_that_does_not_fit_is_omitted() {
        let positions = [Vec3::ZERO, Vec3::new(0.0, 0.9, 0.0)];
        assert_eq!(written(positions, "a name as wide as this"), 0);
        let behind = [Vec3::new(0.0, 0.0, -3.0), Vec3::new(0.0, 0.0, 3.0)];
        assert_eq!(written(behind, "Hips"), 0, "outside of what is seen");
    }
}
