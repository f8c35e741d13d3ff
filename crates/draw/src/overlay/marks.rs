//! Marks at single positions, and names beside joints.

use glam::{DVec2, Vec3};

use super::Overlay;
use super::font::{Size, fitted, width_of, write};
use super::legend::{STRIP, paint};
use super::shapes::{Mark, Projection, Shape, scale};
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

/// Draws a ring around each position, ignoring depth, with its label next to it. A label covers neither a ring nor a position
/// that must stay visible; one without room is omitted.
///
/// * `marks` – positions in world space, with their labels. Nothing is drawn for a position outside the image.
/// * `visible` – positions that labels must not cover, in world space.
pub fn draw_marks(marks: &[(Vec3, &str)], visible: &[Vec3], camera: &Camera, frame: &mut Frame) {
    let projection = Projection::new(camera, frame);
    let on_screen = |position: &Vec3| Some(projection.point(*position)?.on_screen);
    let scale = scale(frame);
    let radius = RADIUS * scale;
    let placed: Vec<(DVec2, &str)> = marks
        .iter()
        .filter_map(|(position, label)| Some((on_screen(position)?, *label)))
        .collect();
    for (at, _) in &placed {
        draw_ring(*at, radius, scale, frame);
    }
    let around = |at: DVec2| [at.x - radius, at.y - radius, at.x + radius, at.y + radius];
    let mut taken: Vec<Rectangle> = placed.iter().map(|(at, _)| around(*at)).collect();
    let points = visible.iter().filter_map(on_screen);
    taken.extend(points.map(|at| [at.x, at.y, at.x, at.y]));
    let end = DVec2::new(f64::from(frame.width), f64::from(frame.height));
    let is_labelled = |(at, text): &(DVec2, &str)| {
        !text.is_empty() && at.cmpge(DVec2::ZERO).all() && at.cmplt(end).all()
    };
    for (at, text) in placed.into_iter().filter(is_labelled) {
        let text = fitted(text, frame.width.saturating_sub(2 * MARGIN), Size::Small);
        let size = label_size(&text, Size::Small);
        let gaps = [1.0, 2.0, 4.0, 7.0].map(|far| far * radius + 4.0 * scale);
        let mut free = gaps
            .into_iter()
            .flat_map(|gap| candidates(at, size, gap))
            .map(|rectangle| shifted_inside(rectangle, frame));
        if let Some(rectangle) =
            free.find(|one| is_inside(one, frame) && !taken.iter().any(|other| meet(one, other)))
        {
            taken.push(rectangle);
            label(frame, &text, rectangle, Size::Small);
        }
    }
}

/// Radii of a dot in an image of the reference height, with their colours.
const DOT: [(f64, [u8; 3]); 2] = [(3.4, RINGS[0].1), (2.4, RINGS[2].1)];

/// Draws a dot at each position that nothing covers.
///
/// * `positions` – on the surface that `frame` shows, in world space.
/// * `through` – whether to draw covered positions as well.
pub fn draw_dots(positions: &[Vec3], through: bool, camera: &Camera, frame: &mut Frame) {
    let projection = Projection::new(camera, frame);
    let marks = positions
        .iter()
        .filter_map(|position| projection.point(*position));
    let seen: Vec<DVec2> = marks
        .filter(|mark| through || is_seen(mark, frame))
        .map(|mark| mark.on_screen)
        .collect();
    let scale = scale(frame);
    for (radius, color) in DOT {
        for at in &seen {
            let outline = &[*at, *at];
            let grown_by = radius * scale;
            Shape { outline, grown_by }.paint(color, frame);
        }
    }
}

/// How many of `positions` are in the image with nothing in front of them.
///
/// * `positions` – on surfaces, in world space.
#[must_use]
pub fn count_seen(positions: &[Vec3], camera: &Camera, frame: &Frame) -> usize {
    let projection = Projection::new(camera, frame);
    let marks = positions
        .iter()
        .filter_map(|position| projection.point(*position));
    marks.filter(|mark| is_seen(mark, frame)).count()
}

/// How much of a marked triangle its colour covers.
const TINT: f64 = 0.35;

/// Draws triangles in translucent colour with their sides, over everything.
///
/// * `triangles` – in world space.
pub fn draw_triangles(triangles: &[[Vec3; 3]], camera: &Camera, frame: &mut Frame) {
    let projection = Projection::new(camera, frame);
    for corners in triangles {
        let [Some(a), Some(b), Some(c)] = corners.map(|corner| projection.point(corner)) else {
            continue;
        };
        let outline = &[a, b, c].map(|mark| mark.on_screen);
        let grown_by = 0.0;
        Shape { outline, grown_by }.tint(RINGS[2].1, TINT, frame);
    }
    let sides = triangles
        .iter()
        .flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
    let sides: Vec<[Vec3; 2]> = sides.collect();
    draw_strokes(
        &sides,
        &[(1.8, RINGS[0].1), (0.9, RINGS[2].1)],
        camera,
        frame,
    );
}

/// Draws lines as thick as rings, over everything.
///
/// * `lines` – their ends in world space.
pub fn draw_lines(lines: &[[Vec3; 2]], camera: &Camera, frame: &mut Frame) {
    draw_strokes(lines, &RINGS, camera, frame);
}

/// * `strokes` – half of their thickness in an image of the reference height, and their colours.
fn draw_strokes(
    lines: &[[Vec3; 2]],
    strokes: &[(f64, [u8; 3])],
    camera: &Camera,
    frame: &mut Frame,
) {
    let projection = Projection::new(camera, frame);
    let scale = scale(frame);
    for (thickness, color) in strokes {
        for ends in lines {
            let [Some(from), Some(to)] = ends.map(|end| projection.point(end)) else {
                continue;
            };
            let outline = &[from.on_screen, to.on_screen];
            let grown_by = thickness * scale;
            Shape { outline, grown_by }.paint(*color, frame);
        }
    }
}

fn draw_ring(at: DVec2, radius: f64, scale: f64, frame: &mut Frame) {
    for (thickness, color) in RINGS {
        for corner in 0..CORNERS {
            let on_circle = |corner: u32| {
                let angle = f64::from(corner) / f64::from(CORNERS) * std::f64::consts::TAU;
                let (sin, cos) = libm::sincos(angle);
                at + radius * DVec2::new(cos, sin)
            };
            let outline = &[on_circle(corner), on_circle(corner + 1)];
            let grown_by = thickness * scale;
            Shape { outline, grown_by }.paint(color, frame);
        }
    }
}

/// The rectangle, moved by as little as brings it into the image.
fn shifted_inside([left, top, right, bottom]: Rectangle, frame: &Frame) -> Rectangle {
    let shift = |low: f64, high: f64, end: u32| (f64::from(end) - high).min(0.0).max(-low);
    let (x, y) = (
        shift(left, right, frame.width),
        shift(top, bottom, frame.height),
    );
    [left + x, top + y, right + x, bottom + y]
}

/// Pixels from the corner of an image: left, top, right, bottom.
type Rectangle = [f64; 4];

/// Distance between a joint and its name in an image of the reference height.
const GAP: f64 = 6.0;

/// Space left and right of a name, in pixels.
const MARGIN: u32 = 3;

/// The least side of an image for names in large letters, in pixels.
const LARGE: u32 = 1600;

/// Writes the names of the joints, the nearest first: right, left, above or below, whichever is free of other names and of
/// joints. A name without room is omitted.
pub fn draw_labels(skeleton: &Overlay, camera: &Camera, frame: &mut Frame) {
    let projection = Projection::new(camera, frame);
    let gap = GAP * scale(frame);
    let size = Size::large_from(LARGE, frame.width.min(frame.height));
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
        let free = candidates(mark.on_screen, label_size(name, size), gap)
            .into_iter()
            .find(|rectangle| {
                is_inside(rectangle, frame) && !taken.iter().any(|other| meet(rectangle, other))
            });
        if let Some(rectangle) = free {
            taken.push(rectangle);
            label(frame, name, rectangle, size);
        }
    }
}

/// Width and height of a label, in pixels.
fn label_size(text: &str, size: Size) -> DVec2 {
    DVec2::new(
        f64::from(width_of(text, size) + 2 * MARGIN),
        f64::from(size.line()),
    )
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
fn label(frame: &mut Frame, name: &str, rectangle: Rectangle, size: Size) {
    let [left, top, right, bottom] = rectangle.map(|edge| edge as u32);
    paint(frame, [left, top], [right - left, bottom - top], STRIP);
    write(frame, name, [left + MARGIN, top], u32::MAX, size);
}

/// Depths that differ by less than this fraction of the range belong to the surface of the position.
const ON_SURFACE: f32 = 2e-3;

/// Whether `mark` is inside the image, with nothing in front of it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "inside the image"
)]
fn is_seen(mark: &Mark<DVec2>, frame: &Frame) -> bool {
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
    fn a_ring_is_around_the_position_and_leaves_it_free() {
        let mut frame = Frame::blank(100, 100);
        draw_marks(&[(Vec3::ZERO, "")], &[], &CAMERA, &mut frame);
        let alpha = |x: usize, y: usize| frame.rgba[4 * (100 * y + x) + 3];
        assert_eq!(alpha(50, 50), 0, "the middle shows the model");
        let right = (50..100).find(|x| alpha(*x, 50) == 255);
        let below = (50..100).find(|y| alpha(50, *y) == 255);
        assert!(right.is_some() && right == below, "{right:?} {below:?}");
    }

    /// The pixels that a label adds to a mark in an image of 100 by 60, where `visible` must stay visible.
    fn labelled(at: Vec3, visible: &[Vec3]) -> Vec<[f64; 2]> {
        let [ring, labelled] = ["", "v 7"].map(|label| {
            let mut frame = Frame::blank(100, 60);
            draw_marks(&[(at, label)], visible, &CAMERA, &mut frame);
            frame.rgba
        });
        let pixels = (0..).zip(ring.chunks(4).zip(labelled.chunks(4)));
        let added = pixels.filter(|(_, (ring, labelled))| ring != labelled);
        let position = |index: u32| [index % 100, index / 100].map(f64::from);
        added.map(|(index, _)| position(index)).collect()
    }

    #[test]
    fn a_label_stays_inside_the_image() {
        for x in [-0.99, 0.0, 0.99] {
            let all = labelled(Vec3::new(x, 0.5, 0.0), &[]);
            assert!(all.len() > 100, "{x}");
        }
        assert!(labelled(Vec3::X * 2.0, &[]).is_empty(), "outside");
    }

    #[test]
    fn a_label_covers_nothing_that_must_stay_visible() {
        let covers = |all: &[[f64; 2]], [x, y]: [f64; 2]| {
            let is_near = |a: f64, b: f64| (a - b).abs() <= 1.0;
            all.iter()
                .any(|one| is_near(one[0], x) && is_near(one[1], y))
        };
        // Where the label is otherwise, to the right.
        let point = Vec3::new(0.45, 0.0, 0.0);
        let at = [72.5, 30.0];
        assert!(covers(&labelled(Vec3::ZERO, &[]), at));
        let moved = labelled(Vec3::ZERO, &[point]);
        assert!(!moved.is_empty() && !covers(&moved, at));
        let everywhere: Vec<Vec3> = (0..10_000_u16)
            .map(|index| {
                let [x, y] = [index % 100, index / 100].map(|part| f32::from(part) / 50.0 - 1.0);
                Vec3::new(x, y, 0.0)
            })
            .collect();
        assert!(labelled(Vec3::ZERO, &everywhere).is_empty(), "without room");
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
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole pixels"
    )]
    fn names_do_not_cover_each_other() {
        let size = label_size("Hips", Size::Small);
        let one = size.x as usize * size.y as usize;
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

    #[test]
    fn a_dot_behind_a_surface_or_outside_of_the_image_is_not_drawn() {
        let is_drawn = |at: Vec3, through: bool| {
            let mut frame = Frame::blank(40, 40);
            frame.depth.fill(0.5);
            draw_dots(&[at], through, &CAMERA, &mut frame);
            frame.rgba.iter().any(|channel| *channel > 0)
        };
        let [near, on, behind] = [-0.5, 0.0, 0.5].map(|z| is_drawn(Vec3::Z * z, false));
        assert!(near && on && !behind);
        assert!(is_drawn(Vec3::Z * 0.5, true), "the body is seen through");
        assert!(!is_drawn(Vec3::X * 2.0, true));
    }
}
