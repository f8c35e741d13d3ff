//! Small anti-aliased shapes over a finished image, clipped and projected from world space.

use glam::{DMat4, DVec2, DVec4, Vec3};

use crate::frame::Frame;
use crate::look::srgb;
use crate::view::Camera;

/// A convex outline, grown by a distance on all sides. A grown point is a disc; two points make a rounded line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape<'a> {
    /// In pixels from the top left corner of the image, in either winding.
    pub(super) outline: &'a [DVec2],
    /// In pixels.
    pub(super) grown_by: f64,
}

impl Shape<'_> {
    /// Paints the shape over `frame`.
    ///
    /// * `color` – sRGB.
    pub(super) fn paint(&self, color: [u8; 3], frame: &mut Frame) {
        self.paint_where(color, |_, _| true, frame);
    }

    /// Paints only the pixels that are free.
    ///
    /// * `is_free` – by column and row.
    pub(super) fn paint_where(
        &self,
        color: [u8; 3],
        is_free: impl Fn(u32, u32) -> bool,
        frame: &mut Frame,
    ) {
        self.cover((color, 1.0), is_free, frame);
    }

    /// Paints the shape over `frame` so that what is below stays visible.
    ///
    /// * `opacity` – from 0 to 1.
    pub(super) fn tint(&self, color: [u8; 3], opacity: f64, frame: &mut Frame) {
        self.cover((color, opacity), |_, _| true, frame);
    }

    fn cover(
        &self,
        (color, opacity): ([u8; 3], f64),
        is_free: impl Fn(u32, u32) -> bool,
        frame: &mut Frame,
    ) {
        let reach = self.grown_by + 1.0;
        let ys = || self.outline.iter().map(|point| point.y);
        let top = ys().fold(f64::INFINITY, f64::min) - reach;
        let bottom = ys().fold(f64::NEG_INFINITY, f64::max) + reach;
        for row in pixels(top, bottom, frame.height) {
            let Some((left, right)) = self.span(f64::from(row) + 0.5, reach) else {
                continue;
            };
            for column in pixels(left, right, frame.width) {
                let centre = DVec2::new(f64::from(column), f64::from(row)) + 0.5;
                let coverage = (0.5 + self.grown_by - self.distance(centre)).clamp(0.0, 1.0);
                if coverage > 0.0 && is_free(column, row) {
                    mix(frame, column, row, color, opacity * coverage);
                }
            }
        }
    }

    /// The horizontal extent of the shape at height `y`: a long thin shape fills little of its bounding box.
    fn span(&self, y: f64, reach: f64) -> Option<(f64, f64)> {
        let (top, bottom) = (y - reach, y + reach);
        let mut span: Option<(f64, f64)> = None;
        for (a, b) in self.sides() {
            let (upper, lower) = if a.y <= b.y { (a, b) } else { (b, a) };
            if upper.y > bottom || lower.y < top {
                continue;
            }
            let at = |y: f64| {
                let height = lower.y - upper.y;
                let share = if height > 0.0 {
                    (y - upper.y) / height
                } else {
                    0.0
                };
                upper.x + (lower.x - upper.x) * share.clamp(0.0, 1.0)
            };
            let level = lower.y - upper.y == 0.0;
            let ends = if level {
                (a.x, b.x)
            } else {
                (at(top), at(bottom))
            };
            let (left, right) = (ends.0.min(ends.1) - reach, ends.0.max(ends.1) + reach);
            span = Some(span.map_or((left, right), |(l, r)| (l.min(left), r.max(right))));
        }
        span
    }

    fn sides(&self) -> impl Iterator<Item = (DVec2, DVec2)> {
        let next = self.outline.iter().cycle().skip(1);
        self.outline.iter().copied().zip(next.copied())
    }

    /// The distance from `point` to the outline, negative inside.
    fn distance(&self, point: DVec2) -> f64 {
        let (mut nearest, mut left, mut right) = (f64::INFINITY, false, false);
        for (a, b) in self.sides() {
            let (side, to_point) = (b - a, point - a);
            let length = side.length_squared();
            let along = if length > 0.0 {
                to_point.dot(side) / length
            } else {
                0.0
            };
            let off = to_point - side * along.clamp(0.0, 1.0);
            nearest = nearest.min(off.length());
            let winding = side.perp_dot(to_point);
            left |= winding < 0.0;
            right |= winding > 0.0;
        }
        // A point on the same side of all edges is inside.
        if left == right { nearest } else { -nearest }
    }
}

/// The indices of the pixels from `from` to `to`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion saturates"
)]
fn pixels(from: f64, to: f64, count: u32) -> std::ops::Range<u32> {
    let end = (to.ceil() as u32).min(count);
    (from.floor() as u32).min(end)..end
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "0..1 loses nothing that is seen"
)]
pub(super) fn mix(frame: &mut Frame, column: u32, row: u32, color: [u8; 3], coverage: f64) {
    let index = 4 * (row as usize * frame.width as usize + column as usize);
    let pixel = &mut frame.rgba[index..index + 4];
    let tables = srgb::tables();
    let behind = tables.premultiplied([pixel[0], pixel[1], pixel[2], pixel[3]]);
    let [r, g, b] = color;
    let ink = tables.premultiplied([r, g, b, 255]);
    let mixed = behind + (ink - behind) * coverage as f32;
    pixel.copy_from_slice(&tables.pixel(mixed));
}

/// How far outside the image marks are clipped, in half images: enough for any thickness.
const GUARD: f64 = 64.0;

/// The half spaces of the clip volume: `plane · clip >= 0`. Near, far, and the guard.
const VOLUME: [DVec4; 6] = [
    DVec4::new(0.0, 0.0, 1.0, 1.0),
    DVec4::new(0.0, 0.0, -1.0, 1.0),
    DVec4::new(1.0, 0.0, 0.0, GUARD),
    DVec4::new(-1.0, 0.0, 0.0, GUARD),
    DVec4::new(0.0, 1.0, 0.0, GUARD),
    DVec4::new(0.0, -1.0, 0.0, GUARD),
];

/// Whether `point` is in the volume.
pub(super) fn contains(point: DVec4) -> bool {
    VOLUME.iter().all(|plane| plane.dot(point) >= 0.0)
}

/// The part of the line from `a` to `b` that is in the volume.
fn cut_line(a: DVec4, b: DVec4) -> Option<[DVec4; 2]> {
    cut(VOLUME, a, b)
}

/// The part of the line from `a` to `b` that is inside the guard and at most `nearer` times the depth of the view volume in
/// front of the near plane. There is no far limit.
pub(super) fn cut_nearer(a: DVec4, b: DVec4, nearer: f64) -> Option<[DVec4; 2]> {
    let [_, _, sides @ ..] = VOLUME;
    let [left, right, top, bottom] = sides;
    cut(
        [DVec4::new(0.0, 0.0, 1.0, nearer), left, right, top, bottom],
        a,
        b,
    )
}

fn cut<const N: usize>(planes: [DVec4; N], a: DVec4, b: DVec4) -> Option<[DVec4; 2]> {
    let (mut start, mut end) = (0.0_f64, 1.0_f64);
    for plane in planes {
        let (from, to) = (plane.dot(a), plane.dot(b));
        match (from >= 0.0, to >= 0.0) {
            (true, true) => {}
            (true, false) => end = end.min(from / (from - to)),
            (false, true) => start = start.max(from / (from - to)),
            (false, false) => return None,
        }
    }
    let at = |t: f64| a + (b - a) * t;
    (start <= end).then(|| [at(start), at(end)])
}

/// Sizes of marks are stated for an image of this height, in pixels.
const REFERENCE_HEIGHT: f64 = 720.0;

/// The factor from those sizes to `frame`.
pub(super) fn scale(frame: &Frame) -> f64 {
    (f64::from(frame.width.min(frame.height)) / REFERENCE_HEIGHT).clamp(0.6, 4.0)
}

/// A point or a line on the screen with its distance from the viewer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark<T> {
    pub(super) on_screen: T,
    /// From -1, the near plane, to 1, the far plane.
    pub(super) depth: f64,
}

/// From world space to pixels.
#[derive(Debug)]
pub(super) struct Projection {
    clip_from_world: DMat4,
    size: DVec2,
}

impl Projection {
    pub(super) fn new(camera: &Camera, frame: &Frame) -> Self {
        Self {
            clip_from_world: camera.clip_from_view.as_dmat4() * camera.view_from_world.as_dmat4(),
            size: DVec2::new(f64::from(frame.width), f64::from(frame.height)),
        }
    }

    pub(super) fn clip(&self, point: Vec3) -> DVec4 {
        self.clip_from_world * point.as_dvec3().extend(1.0)
    }

    /// The part of a bone in front of the viewer.
    pub(super) fn line(&self, [head, tail]: [Vec3; 2]) -> Option<Mark<[DVec2; 2]>> {
        let [head, tail] = cut_line(self.clip(head), self.clip(tail))?;
        let (head, tail) = (self.mark(head)?, self.mark(tail)?);
        Some(Mark {
            on_screen: [head.on_screen, tail.on_screen],
            depth: head.depth.min(tail.depth),
        })
    }

    pub(super) fn point(&self, point: Vec3) -> Option<Mark<DVec2>> {
        let clip = self.clip(point);
        contains(clip).then(|| self.mark(clip))?
    }

    pub(super) fn mark(&self, clip: DVec4) -> Option<Mark<DVec2>> {
        let in_ndc = clip.truncate() / clip.w;
        let usable = clip.w > 0.0 && in_ndc.is_finite();
        usable.then(|| Mark {
            on_screen: DVec2::new(in_ndc.x * 0.5 + 0.5, 0.5 - in_ndc.y * 0.5) * self.size,
            depth: in_ndc.z,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn black() -> Frame {
        Frame {
            width: 16,
            height: 16,
            rgba: [0, 0, 0, 255].repeat(256),
            depth: vec![1.0; 256],
        }
    }

    fn total(frame: &Frame) -> f64 {
        let tables = srgb::tables();
        let reds = frame.rgba.iter().step_by(4);
        reds.map(|&red| f64::from(tables.decode(red))).sum()
    }

    #[test]
    fn a_grown_point_is_a_disc() {
        let mut frame = black();
        let outline = [DVec2::new(8.2, 7.6)];
        let shape = Shape {
            outline: &outline,
            grown_by: 5.0,
        };
        shape.paint([255; 3], &mut frame);
        let area = total(&frame);
        assert!((area - 25.0 * std::f64::consts::PI).abs() < 0.5, "{area}");
    }

    #[test]
    fn a_slanted_square_has_its_area_and_span() {
        let mut frame = black();
        let outline = [(8.0, 2.0), (14.0, 8.0), (8.0, 14.0), (2.0, 8.0)].map(DVec2::from);
        let shape = Shape {
            outline: &outline,
            grown_by: 0.0,
        };
        shape.paint([255; 3], &mut frame);
        let area = total(&frame);
        assert!((area - 72.0).abs() < 1.0, "{area}");
    }

    #[test]
    fn shapes_outside_the_image_are_skipped() {
        let mut frame = black();
        for at in [(-100.0, 5.0), (5.0, 1e9), (f64::NAN, f64::NAN)] {
            let outline = [DVec2::from(at)];
            let shape = Shape {
                outline: &outline,
                grown_by: 3.0,
            };
            shape.paint([255; 3], &mut frame);
        }
        assert_eq!(frame, black());
    }

    #[test]
    fn a_line_is_cut_where_it_leaves_and_lost_where_it_never_enters() {
        let (a, b) = (
            DVec4::new(0.0, 0.0, 0.0, 1.0),
            DVec4::new(0.0, 0.0, 2.0, 1.0),
        );
        let [start, end] = cut_line(a, b).expect("it starts inside");
        assert_eq!((start, end), (a, DVec4::new(0.0, 0.0, 1.0, 1.0)));
        assert_eq!(cut_line(b, b), None);
        assert!(contains(a) && !contains(b));
    }
}
