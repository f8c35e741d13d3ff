//! Marks at single positions, and names beside joints.

use glam::{DVec2, Vec3};

use super::Overlay;
use super::legend::{STRIP, paint, width_of, write};
use super::shapes::{Projection, Shape, scale};
use crate::frame::Frame;
use crate::view::Camera;

/// Magenta, which neither materials nor colour scales use, between a dark and a light ring that contrast with anything.
const RINGS: [(f64, [u8; 3]); 3] = [
    (3.6, [20, 18, 22]),
    (2.4, [255, 255, 255]),
    (1.3, [255, 0, 190]),
];

/// Radius of a mark in an image of the reference height.
const RADIUS: f64 = 15.0;

/// Corners of the polygon that approximates the circle.
const CORNERS: u32 = 40;

/// Depths that differ by less than this fraction of the range belong to the surface of the position.
const ON_SURFACE: f32 = 2e-3;

/// Draws a ring around `position`, ignoring depth, and writes `label` beside it.
///
/// * `position` – in world space. Nothing is drawn for a position outside the image.
pub(crate) fn draw_mark(position: Vec3, label: &str, camera: &Camera, frame: &mut Frame) {
    let Some(mark) = Projection::new(camera, frame).point(position) else {
        return;
    };
    let scale = scale(frame);
    let radius = RADIUS * scale;
    for (thickness, color) in RINGS {
        for corner in 0..CORNERS {
            let at = |corner: u32| {
                let angle = f64::from(corner) / f64::from(CORNERS) * std::f64::consts::TAU;
                let (sin, cos) = libm::sincos(angle);
                mark.on_screen + radius * DVec2::new(cos, sin)
            };
            let outline = &[at(corner), at(corner + 1)];
            let grown_by = thickness * scale;
            Shape { outline, grown_by }.paint(color, frame);
        }
    }
    if !label.is_empty() {
        write_beside(label, mark.on_screen, radius + 4.0 * scale, frame);
    }
}

/// To the right if there is room, else to the left, and never beyond the image.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "inside the image"
)]
fn write_beside(label: &str, at: DVec2, distance: f64, frame: &mut Frame) {
    let side = 8;
    let margin = side / 4;
    let room = (frame.width / side).saturating_sub(1);
    let (width, height) = (
        width_of(label, side).min(room * side) + 2 * margin,
        side + 2 * margin,
    );
    let right = at.x + distance;
    let left = at.x - distance - f64::from(width);
    let fits = right + f64::from(width) <= f64::from(frame.width);
    let x = if fits { right } else { left.max(0.0) } as u32;
    let lowest = f64::from(frame.height.saturating_sub(height));
    let y = (at.y - f64::from(height) / 2.0).clamp(0.0, lowest) as u32;
    paint(frame, [x, y], [width, height], STRIP);
    write(frame, label, [x + margin, y + margin], room, side);
}

/// Whether something is in front of `position`, or it is outside the image. `position` is on a surface that `frame` shows.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "inside the image"
)]
pub(crate) fn is_hidden(position: Vec3, camera: &Camera, frame: &Frame) -> bool {
    let Some(mark) = Projection::new(camera, frame).point(position) else {
        return true;
    };
    let at = mark.on_screen;
    let size = DVec2::new(f64::from(frame.width), f64::from(frame.height));
    if at.cmplt(DVec2::ZERO).any() || at.cmpge(size).any() {
        return true;
    }
    let pixel = at.y as usize * frame.width as usize + at.x as usize;
    let depth = (0.5 * mark.depth + 0.5) as f32;
    frame
        .depth
        .get(pixel)
        .is_none_or(|front| *front < depth - ON_SURFACE)
}

/// Pixels from the corner of an image: left, top, right, bottom.
type Rectangle = [f64; 4];

/// Distance between a joint and its name in an image of the reference height.
const GAP: f64 = 6.0;

/// Space around a name, in pixels.
const MARGIN: u32 = 2;

/// Writes the names of the joints, the nearest first: right, left, above or below, whichever is free of other names and of
/// joints. A name without room is omitted.
pub(crate) fn draw_labels(skeleton: &Overlay, camera: &Camera, frame: &mut Frame) {
    let projection = Projection::new(camera, frame);
    let gap = GAP * scale(frame);
    let side = side(frame);
    let named = skeleton.joints.iter().zip(&skeleton.names);
    let mut placed: Vec<_> = named
        .filter_map(|(joint, name)| Some((projection.point(*joint)?, name)))
        .collect();
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
    use glam::Mat4;

    use super::*;

    const CAMERA: Camera = Camera {
        view_from_world: Mat4::IDENTITY,
        clip_from_view: Mat4::IDENTITY,
    };

    #[test]
    fn a_ring_is_around_the_position_and_leaves_it_free() {
        let mut frame = Frame::blank(100, 100);
        draw_mark(Vec3::ZERO, "", &CAMERA, &mut frame);
        let alpha = |x: usize, y: usize| frame.rgba[4 * (100 * y + x) + 3];
        assert_eq!(alpha(50, 50), 0, "the middle shows the model");
        let right = (50..100).find(|x| alpha(*x, 50) == 255);
        let below = (50..100).find(|y| alpha(50, *y) == 255);
        assert!(right.is_some() && right == below, "{right:?} {below:?}");
    }

    #[test]
    fn a_label_stays_inside_the_image() {
        for x in [-0.99, 0.0, 0.99] {
            let (mut ring, mut labelled) = (Frame::blank(100, 60), Frame::blank(100, 60));
            draw_mark(Vec3::new(x, 0.9, 0.0), "", &CAMERA, &mut ring);
            draw_mark(Vec3::new(x, 0.9, 0.0), "vertex 7", &CAMERA, &mut labelled);
            let inked = |frame: &Frame| {
                let pixels = frame.rgba.chunks(4);
                pixels.filter(|pixel| pixel[..3] == [240; 3]).count()
            };
            assert!(inked(&labelled) > inked(&ring) + 100, "{x}");
        }
    }

    #[test]
    fn a_position_behind_a_surface_is_hidden() {
        let mut frame = Frame::blank(4, 4);
        frame.depth.fill(0.5);
        let hidden = |z| is_hidden(Vec3::new(0.0, 0.0, z), &CAMERA, &frame);
        assert_eq!([-0.5, 0.0, 0.5].map(hidden), [false, false, true]);
        assert!(is_hidden(Vec3::X * 2.0, &CAMERA, &frame));
    }

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
