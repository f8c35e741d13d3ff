//! A grid on the ground, hidden by surfaces in front of it.

use std::fmt;

use glam::{DVec2, DVec3, DVec4};

use super::shapes::{self, Projection, Shape};
use crate::frame::Frame;
use crate::units::{Space, without_trailing_zeros};
use crate::view::Camera;

/// A level grid in the model's unit; a line of each direction is above or below the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Side of a square, in the model's unit: 1, 2 or 5 times a power of ten.
    pub spacing: f64,
    space: Space,
    ground: f64,
}

/// The least number of squares across the image; there are at most two and a half times as many.
const SQUARES: f64 = 6.0;

/// Half the length of a line, relative to half the image's extent.
const REACH: f64 = 2.5;

/// sRGB of the lines.
const LINE: [u8; 3] = [92, 97, 106];
const ORIGIN: [u8; 3] = [168, 174, 184];

/// Half the width of a line, in pixels of an image of 512.
const HALF_WIDTH: f64 = 0.45;

/// How far in front of the near plane lines are drawn, in depths of the view volume: the ground extends nearer than the
/// model.
const NEARER: f64 = 20.0;

impl Grid {
    /// The grid for images of `camera`.
    ///
    /// * `space` – of the model: its up axis and its unit.
    /// * `ground` – its height along that axis.
    #[must_use]
    pub fn new(space: &Space, ground: f64, camera: &Camera) -> Self {
        let (_, half) = middle(camera);
        let largest = 2.0 * half / SQUARES;
        let power = libm::pow(10.0, libm::floor(libm::log10(largest)));
        let fitting = [5.0, 2.0, 1.0]
            .into_iter()
            .find(|factor| factor * power <= largest);
        let spacing = fitting.unwrap_or(1.0) * power;
        Self {
            spacing: if spacing.is_finite() && spacing > 0.0 {
                spacing
            } else {
                1.0
            },
            space: *space,
            ground,
        }
    }

    /// Draws the grid into `frame`, hidden by nearer surfaces.
    pub fn draw(&self, camera: &Camera, frame: &mut Frame) {
        let projection = Projection::new(camera, frame);
        let up = self.space.up.unit();
        let (centre, half) = middle(camera);
        let axes = level_axes(up);
        let depth = std::mem::take(&mut frame.depth);
        for (along, across) in [(axes[0], axes[1]), (axes[1], axes[0])] {
            let steps =
                |axis: DVec3, more: f64| ((axis.dot(centre) + more * half) / self.spacing).floor();
            let (first, last) = (steps(across, -REACH) + 1.0, steps(across, REACH));
            let ends = [-REACH, REACH].map(|more| along * (along.dot(centre) + more * half));
            // A handful, by the choice of the spacing. The limit guards against endless steps by rounding.
            for step in 0..100 {
                let step = first + f64::from(step);
                if step > last || !step.is_finite() {
                    break;
                }
                let aside = across * (step * self.spacing) + up * self.ground;
                let line = ends.map(|end| end + aside);
                let color = if step.abs() < 0.5 { ORIGIN } else { LINE };
                draw_line(line, color, &projection, &depth, frame);
            }
        }
        frame.depth = depth;
    }
}

impl fmt::Display for Grid {
    /// The side of a square, such as `20 units (0.2 m)` or `0.2 m`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = rounded(self.spacing);
        let metres = self
            .space
            .metres_per_unit
            .map(|metres| rounded(self.spacing * metres));
        match metres {
            Some(metres) if metres == units => write!(f, "{metres} m"),
            Some(metres) => write!(f, "{units} units ({metres} m)"),
            None => write!(f, "{units} units"),
        }
    }
}

/// Decimal without the rounding noise of a product.
fn rounded(length: f64) -> String {
    without_trailing_zeros(&format!("{length:.9}")).to_owned()
}

/// Any two axes of the ground.
pub(super) fn level_axes(up: DVec3) -> [DVec3; 2] {
    let first = DVec3::new(up.y.abs(), up.z.abs(), up.x.abs());
    [first, up.cross(first).abs()]
}

/// The point halfway between the near and the far plane, and half the height of the image there.
pub(super) fn middle(camera: &Camera) -> (DVec3, f64) {
    let clip = camera.clip_from_view.as_dmat4();
    let (scale, offset) = (clip.z_axis.z, clip.w_axis.z);
    let distance = |in_ndc: f64| {
        if camera.is_orthographic() {
            (offset - in_ndc) / scale
        } else {
            offset / (in_ndc + scale)
        }
    };
    let away = f64::midpoint(distance(-1.0), distance(1.0));
    let world_from_view = camera.view_from_world.as_dmat4().inverse();
    let centre = world_from_view * DVec4::new(0.0, 0.0, -away, 1.0);
    let half = 1.0 / clip.y_axis.y;
    let half = if camera.is_orthographic() {
        half
    } else {
        half * away
    };
    // A view that scales shows another length of the world.
    (
        centre.truncate(),
        half * world_from_view.y_axis.truncate().length(),
    )
}

fn draw_line(
    ends: [DVec3; 2],
    color: [u8; 3],
    projection: &Projection,
    depth: &[f32],
    frame: &mut Frame,
) {
    let [a, b] = ends.map(|end| projection.clip(end.as_vec3()));
    let Some(ends) = shapes::cut_nearer(a, b, NEARER) else {
        return;
    };
    let [Some(a), Some(b)] = ends.map(|end| projection.mark(end)) else {
        return;
    };
    let along = b.on_screen - a.on_screen;
    let length = along.length_squared();
    let width = frame.width as usize;
    let is_free = |column: u32, row: u32| {
        let at = DVec2::new(f64::from(column) + 0.5, f64::from(row) + 0.5) - a.on_screen;
        let share = if length > 0.0 {
            (at.dot(along) / length).clamp(0.0, 1.0)
        } else {
            0.0
        };
        // Depth is linear on the screen.
        let own = (a.depth + (b.depth - a.depth) * share) * 0.5 + 0.5;
        let behind = depth
            .get(row as usize * width + column as usize)
            .copied()
            .unwrap_or(1.0);
        behind >= 1.0 || own < f64::from(behind)
    };
    let scale = (f64::from(frame.width.min(frame.height)) / 512.0).max(0.6);
    let shape = Shape {
        outline: &[a.on_screen, b.on_screen],
        grown_by: HALF_WIDTH * scale,
    };
    shape.paint_where(color, is_free, frame);
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::view::{Framing, Projection as Perspective, ViewDirection, Viewport};

    const SIZE: Viewport = Viewport {
        width: 96,
        height: 96,
    };

    /// Fits two metres of height.
    fn camera(direction: ViewDirection, space: &Space) -> Camera {
        let mut framing = Framing::new(space, direction, Perspective::Orthographic, SIZE);
        let up = space.up.unit().as_vec3();
        framing.include(&[Vec3::ZERO, up * 2.0]);
        framing.camera()
    }

    fn bare() -> Frame {
        Frame::blank(SIZE.width, SIZE.height)
    }

    #[test]
    fn squares_are_round_numbers_of_the_unit() {
        let camera = camera(ViewDirection::Front, &Space::Y_UP_METRES);
        let grid = Grid::new(&Space::Y_UP_METRES, 0.0, &camera);
        assert_eq!(grid.to_string(), "0.2 m");
        let centimetres = Space {
            metres_per_unit: Some(0.01),
            ..Space::Y_UP
        };
        assert_eq!(
            Grid {
                space: centimetres,
                spacing: 50.0,
                ground: 0.0
            }
            .to_string(),
            "50 units (0.5 m)"
        );
        assert_eq!(
            Grid {
                space: Space::Y_UP,
                spacing: 0.02,
                ground: 0.0
            }
            .to_string(),
            "0.02 units"
        );
    }

    #[test]
    fn from_above_the_lines_are_as_far_apart_as_they_say() {
        let camera = camera(ViewDirection::Top, &Space::Y_UP_METRES);
        let grid = Grid::new(&Space::Y_UP_METRES, 0.0, &camera);
        let mut frame = bare();
        grid.draw(&camera, &mut frame);
        // A row between two level lines crosses only upright ones.
        let ink = |row: u32| {
            (0..96)
                .filter(|x| frame.rgba[(4 * (row * 96 + x) + 3) as usize] > 60)
                .count()
        };
        let fewest = (0..96).map(ink).min().unwrap();
        assert!((3..=24).contains(&fewest), "{fewest}");
        assert!(
            (0..96).map(ink).max().unwrap() > 80,
            "a level line fills its row"
        );
    }

    #[test]
    fn nearer_surfaces_hide_the_lines_and_farther_ones_do_not() {
        let camera = camera(ViewDirection::ThreeQuarter, &Space::Y_UP_METRES);
        let grid = Grid::new(&Space::Y_UP_METRES, 0.0, &camera);
        let drawn = |depth: f32| {
            let mut frame = bare();
            frame.depth.fill(depth);
            grid.draw(&camera, &mut frame);
            assert!(
                frame
                    .depth
                    .iter()
                    .all(|own| (own - depth).abs() < f32::EPSILON)
            );
            frame.rgba.iter().filter(|byte| **byte > 0).count()
        };
        assert_eq!(drawn(-30.0), 0);
        let (open, between) = (drawn(1.0), drawn(0.5));
        assert!(between > 0 && between < open, "{between} of {open}");
    }

    #[test]
    fn any_camera_is_survived() {
        for numbers in [[0.0; 16], [f32::NAN; 16], [f32::MAX; 16]] {
            let wild = Camera {
                view_from_world: glam::Mat4::from_cols_array(&numbers),
                clip_from_view: glam::Mat4::from_cols_array(&numbers),
            };
            Grid::new(&Space::Y_UP, 0.0, &wild).draw(&wild, &mut bare());
        }
    }
}
