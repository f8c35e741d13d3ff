//! A soft shadow on the ground around what stands on it.
//!
//! Without it a figure seems to float. The pass reads a finished [`Frame`] of any backend, as [contact shading](super::contact())
//! does: the pixels whose surfaces are near the ground darken the ground around them, the less the higher they are.

use glam::{DMat3, DMat4, DVec3};
use rayon::prelude::*;

use super::grid::{level_axes, middle};
use crate::frame::Frame;
use crate::look::srgb;
use crate::units::Space;
use crate::view::Camera;

/// How far a shadow reaches over the ground, and how high what casts it may be, relative to half the image's extent.
const REACH: f64 = 0.15;

/// Cells of the map of the ground along the reach.
const CELLS: usize = 8;

/// The largest map, in cells: a shadow as wide as twice the image has 100,000.
const MOST_CELLS: usize = 1 << 20;

/// The light that a full shadow takes away.
const STRENGTH: f64 = 0.7;

/// Darkens the ground around what stands on it. The ground is level; nothing is drawn below a figure that flies, nor where a
/// figure is partly underground. Only the background changes, and of it only what is opaque.
/// The bytes are the same for any number of threads.
///
/// * `space` – of the model: its up axis.
/// * `ground` – its height along that axis.
/// * `camera` – of the frame.
pub fn shadow(space: &Space, ground: f64, camera: &Camera, frame: &mut Frame) {
    let [width, height] = [frame.width as usize, frame.height as usize];
    if frame.depth.len() != width * height || frame.depth.is_empty() {
        return;
    }
    let rays = Rays::new(space, ground, camera, [width, height]);
    let reach = REACH * middle(camera).1;
    let Some(shade) = casters(&rays, &frame.depth, reach).and_then(|own| Shade::new(&own, reach))
    else {
        return;
    };
    let tables = srgb::tables();
    let rows = frame.rgba.par_chunks_mut(4 * width);
    let rows = rows.zip(frame.depth.par_chunks(width)).enumerate();
    rows.for_each(|(y, (row, depths))| {
        let pixels = row.as_chunks_mut::<4>().0.iter_mut().zip(depths);
        for (x, (pixel, depth)) in pixels.enumerate() {
            if *depth < 1.0 || pixel[3] < u8::MAX {
                continue;
            }
            let taken = rays.on_ground(x, y).map_or(0.0, |at| shade.at(at));
            if taken > 0.0 {
                #[expect(clippy::cast_possible_truncation, reason = "a share of light")]
                let left = (1.0 - STRENGTH * taken) as f32;
                for channel in &mut pixel[..3] {
                    *channel = tables.encode(tables.decode(*channel) * left);
                }
            }
        }
    });
}

/// What each pixel sees, with two axes of the ground as x and y, and the height above it as z.
struct Rays {
    eye: DVec3,
    /// Along the direction of view, to the edge of the image on the right and to its upper edge, at distance 1 or, without
    /// perspective, at any.
    ahead: DVec3,
    right: DVec3,
    up: DVec3,
    is_orthographic: bool,
    /// `z_axis.z` and `w_axis.z` of the projection, which map distances to depths.
    projection: [f64; 2],
    /// Centres of columns and rows, from -1 to 1.
    middles: [Vec<f64>; 2],
}

impl Rays {
    fn new(space: &Space, ground: f64, camera: &Camera, size: [usize; 2]) -> Self {
        let up = space.up.unit();
        let [first, second] = level_axes(up);
        let ground_from_world = DMat4::from_mat3(DMat3::from_cols(first, second, up).transpose());
        let ground_from_view = ground_from_world * camera.view_from_world.as_dmat4().inverse();
        let clip = camera.clip_from_view.as_dmat4();
        Self {
            eye: ground_from_view.w_axis.truncate() - DVec3::Z * ground,
            ahead: -ground_from_view.z_axis.truncate(),
            right: ground_from_view.x_axis.truncate() / clip.x_axis.x,
            up: ground_from_view.y_axis.truncate() / clip.y_axis.y,
            is_orthographic: camera.is_orthographic(),
            projection: [clip.z_axis.z, clip.w_axis.z],
            middles: size.map(|side| (0..side).map(|at| middle_of(at, side)).collect()),
        }
    }

    /// The start and the direction of the ray through a pixel; the direction goes to distance 1.
    #[inline]
    fn through(&self, x: usize, y: usize) -> [DVec3; 2] {
        let aside = self.right * self.middles[0][x] - self.up * self.middles[1][y];
        if self.is_orthographic {
            [self.eye + aside, self.ahead]
        } else {
            [self.eye, self.ahead + aside]
        }
    }

    /// The position of the surface at `depth`.
    #[inline]
    fn at(&self, x: usize, y: usize, depth: f32) -> DVec3 {
        let [start, direction] = self.through(x, y);
        let [scale, offset] = self.projection;
        let in_ndc = 2.0 * f64::from(depth) - 1.0;
        let distance = if self.is_orthographic {
            (offset - in_ndc) / scale
        } else {
            offset / (in_ndc + scale)
        };
        start + direction * distance
    }

    /// Where the ground is seen from above.
    #[inline]
    fn on_ground(&self, x: usize, y: usize) -> Option<[f64; 2]> {
        let [start, direction] = self.through(x, y);
        let distance = -start.z / direction.z;
        let is_in_front = self.is_orthographic || distance > 0.0;
        let at = start + direction * distance;
        (direction.z < 0.0 && is_in_front).then_some([at.x, at.y])
    }
}

/// The positions of surfaces within `reach` of the ground; `None` if there are none, or if something is farther below it.
fn casters(rays: &Rays, depths: &[f32], reach: f64) -> Option<Vec<DVec3>> {
    let width = rays.middles[0].len();
    let rows = depths.par_chunks(width).enumerate();
    let near = rows.map(|(y, row)| {
        let mut near = Vec::new();
        for (x, depth) in row.iter().enumerate().filter(|(_, depth)| **depth < 1.0) {
            let at = rays.at(x, y, *depth);
            if at.z < -reach {
                return None;
            }
            if at.z < reach && at.is_finite() {
                near.push(at);
            }
        }
        Some(near)
    });
    let near: Vec<Vec<DVec3>> = near.collect::<Option<_>>()?;
    let near = near.concat();
    (!near.is_empty()).then_some(near)
}

/// A map of the shadow on the ground.
struct Shade {
    /// The middle of the first cell.
    first: [f64; 2],
    /// The side of a cell.
    cell: f64,
    size: [usize; 2],
    /// From 0 to 1, row by row.
    shares: Vec<f64>,
}

impl Shade {
    /// `None` if the map would be too large.
    fn new(casters: &[DVec3], reach: f64) -> Option<Self> {
        let cell = reach / index(CELLS);
        let ends = casters
            .iter()
            .fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], at| {
                [low.min(*at), high.max(*at)]
            });
        let [low, high] = [ends[0] - 2.0 * reach, ends[1] + 2.0 * reach];
        let count = |extent: f64| cells(extent / cell).saturating_add(1);
        let size = [count(high.x - low.x), count(high.y - low.y)];
        if size[0].saturating_mul(size[1]) > MOST_CELLS {
            return None;
        }
        let mut heights = vec![f64::INFINITY; size[0] * size[1]];
        for at in casters {
            let [column, row] = [(at.x - low.x) / cell, (at.y - low.y) / cell].map(cells);
            let own = &mut heights[row * size[0] + column];
            *own = own.min(at.z.max(0.0));
        }
        let mut shade = Self {
            first: [low.x + 0.5 * cell, low.y + 0.5 * cell],
            cell,
            size,
            shares: vec![0.0; heights.len()],
        };
        shade.spread(&heights, reach);
        Some(shade)
    }

    /// Each cell that casts a shadow darkens those within reach: the darkest counts, so that it does not matter how many pixels
    /// show a surface.
    fn spread(&mut self, heights: &[f64], reach: f64) {
        let width = self.size[0];
        let side = 2 * CELLS + 1;
        let falls: Vec<f64> = (0..side * side)
            .map(|k| {
                let [x, y] = [k % side, k / side].map(|at| index(at) - index(CELLS));
                let left = (1.0 - (x * x + y * y).sqrt() / index(CELLS)).max(0.0);
                left * left
            })
            .collect();
        for (own, height) in heights.iter().enumerate() {
            if !height.is_finite() {
                continue;
            }
            let near = 1.0 - height / reach;
            // A margin of twice the reach keeps every cell inside.
            let first = own - CELLS * width - CELLS;
            for (row, falls) in falls.chunks(side).enumerate() {
                let start = first + row * width;
                for (share, fall) in self.shares[start..start + side].iter_mut().zip(falls) {
                    *share = share.max(near * near * fall);
                }
            }
        }
    }

    /// The shadow at a position on the ground, interpolated.
    fn at(&self, [x, y]: [f64; 2]) -> f64 {
        let [x, y] = [
            (x - self.first[0]) / self.cell,
            (y - self.first[1]) / self.cell,
        ];
        let [width, height] = self.size.map(|side| index(side - 1));
        if !(x >= 0.0 && y >= 0.0 && x < width && y < height) {
            return 0.0;
        }
        let (column, row) = (cells(x), cells(y));
        let at = |column: usize, row: usize| self.shares[row * self.size[0] + column];
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        let along_row = |row| mix(at(column, row), at(column + 1, row), x - index(column));
        mix(along_row(row), along_row(row + 1), y - index(row))
    }
}

/// The centre of a pixel, from -1 at the left or top to 1.
fn middle_of(at: usize, side: usize) -> f64 {
    (2.0 * index(at) + 1.0) / index(side) - 1.0
}

#[expect(clippy::cast_precision_loss, reason = "counts of pixels and cells")]
fn index(at: usize) -> f64 {
    at as f64
}

/// A number of cells, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative; what is too large saturates, and is refused"
)]
fn cells(at: f64) -> usize {
    at as usize
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::view::{Framing, Projection, ViewDirection, Viewport};

    const SIDE: usize = 96;

    /// Fits a room of two metres.
    fn camera(direction: ViewDirection) -> Camera {
        let size = Viewport {
            width: 96,
            height: 96,
        };
        let mut framing = Framing::new(&Space::Y_UP, direction, Projection::default(), size);
        for [x, z] in [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]] {
            framing.include(&[Vec3::new(x, -0.5, z), Vec3::new(x, 2.0, z)]);
        }
        framing.camera()
    }

    /// The pixel that shows a position, and the depth there.
    fn seen(camera: &Camera, position: Vec3) -> (usize, f32) {
        let at = camera.clip_from_world().project_point3(position);
        let pixel = |share: f32| cells(f64::from(share) * index(SIDE));
        let index = pixel(0.5 - 0.5 * at.y) * SIDE + pixel(0.5 + 0.5 * at.x);
        (index, 0.5 + 0.5 * at.z)
    }

    /// A grey frame in which one pixel shows a surface at `height` above the origin, and after the shadow was drawn.
    fn frames(direction: ViewDirection, height: f32) -> [Frame; 2] {
        let camera = camera(direction);
        let mut frame = Frame::blank(96, 96);
        frame.rgba.as_chunks_mut().0.fill([100, 100, 100, 255]);
        let (pixel, depth) = seen(&camera, Vec3::Y * height);
        frame.depth[pixel] = depth;
        let before = frame.clone();
        shadow(&Space::Y_UP, 0.0, &camera, &mut frame);
        [before, frame]
    }

    /// The red of a position on the ground.
    fn red(frame: &Frame, direction: ViewDirection, at: Vec3) -> u8 {
        frame.rgba[4 * seen(&camera(direction), at).0]
    }

    const VIEWS: [ViewDirection; 3] = [
        ViewDirection::Front,
        ViewDirection::ThreeQuarter,
        ViewDirection::Top,
    ];

    #[test]
    fn ground_is_darker_the_nearer_it_is_to_what_stands_on_it() {
        for view in VIEWS {
            let [_, frame] = frames(view, 0.0);
            let [near, far, beyond] =
                [0.05, 0.1, 0.3].map(|along| red(&frame, view, Vec3::new(along, 0.0, 0.01)));
            assert!(
                near < far && far < beyond,
                "{view:?}: {near} {far} {beyond}"
            );
            assert_eq!(beyond, 100);
        }
    }

    #[test]
    fn what_is_higher_casts_less() {
        for view in VIEWS {
            let beside = |height| red(&frames(view, height)[1], view, Vec3::X * 0.06);
            let [low, high] = [0.0, 0.06].map(beside);
            assert!(low < high && high < 100, "{view:?}: {low} {high}");
        }
    }

    #[test]
    fn nothing_is_drawn_below_what_flies_nor_around_what_is_underground() {
        for view in VIEWS {
            for height in [0.4, 1.5, -0.4] {
                let [before, after] = frames(view, height);
                assert!(before.rgba == after.rgba, "{view:?} at {height}");
            }
        }
    }

    #[test]
    fn the_shadow_lies_on_the_ground_wherever_that_is() {
        let camera = camera(ViewDirection::Front);
        let drawn = |ground: f64| {
            let mut frame = Frame::blank(96, 96);
            frame.rgba.as_chunks_mut().0.fill([100, 100, 100, 255]);
            let (pixel, depth) = seen(&camera, Vec3::NEG_Y * 0.3);
            frame.depth[pixel] = depth;
            shadow(&Space::Y_UP, ground, &camera, &mut frame);
            frame.rgba.iter().any(|value| *value < 100)
        };
        assert!(drawn(-0.3) && !drawn(0.0));
    }

    #[test]
    fn the_figure_and_a_transparent_background_stay_as_they_are() {
        let camera = camera(ViewDirection::Top);
        let mut frame = Frame::blank(96, 96);
        let (pixel, depth) = seen(&camera, Vec3::ZERO);
        frame.depth[pixel..pixel + 3].fill(depth);
        frame.rgba[4 * pixel..4 * pixel + 12].fill(255);
        let before = frame.clone();
        shadow(&Space::Y_UP, 0.0, &camera, &mut frame);
        assert!(frame.rgba == before.rgba && frame.depth == before.depth);
    }

    #[test]
    fn any_camera_is_survived() {
        for numbers in [[0.0; 16], [f32::NAN; 16], [f32::MAX; 16]] {
            let wild = Camera {
                view_from_world: glam::Mat4::from_cols_array(&numbers),
                clip_from_view: glam::Mat4::from_cols_array(&numbers),
            };
            let mut frame = Frame::blank(96, 96);
            frame.depth.fill(0.5);
            shadow(&Space::Y_UP, 0.0, &wild, &mut frame);
        }
    }
}
