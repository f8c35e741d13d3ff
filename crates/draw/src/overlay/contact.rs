//! Darkens creases and contacts of a finished image: screen-space ambient occlusion.
//!
//! Lights at the camera illuminate an arm and the body behind it alike. They differ in how much of their surroundings
//! they see, which can be estimated from the depths of the image. The pass reads a finished [`Frame`] of any backend;
//! backends are compared without it.
//!
//! # Reference
//!
//! McGuire, Osman, Bukowski, Hennessy: *The Alchemy Screen-Space Ambient Obscurance Algorithm*, HPG 2011.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::frame::Frame;
use crate::look::srgb::{self, Tables};
use crate::view::Camera;

/// How far away surfaces darken a position, as a fraction of the image's height at its distance.
const RADIUS: f32 = 0.035;

/// Positions that are sampled around each pixel: a spiral, rotated from pixel to pixel of a block.
const TAPS: usize = 8;

/// Pixels along each side of a block, over which the noise of the rotations is averaged.
const BLOCK: usize = 4;

/// Background pixels are skipped in runs of this many.
const RUN: usize = 16;

/// Images with this many rows sample only every second pixel: the radius then spans many.
const LARGE: usize = 512;

/// Sines of angles below this are ignored: the facets of a curved surface occlude each other slightly.
const BIAS: f32 = 0.12;

/// Multiplies the mean over all taps, so that a right-angled crease counts as full occlusion.
const GAIN: f32 = 2.6;

/// The light that remains at full occlusion.
const DARKEST: f32 = 0.35;

/// Darkens the drawn pixels of `frame` by the occlusion from nearby surfaces. Alpha and depths do not change. The bytes are
/// the same for any number of threads.
///
/// * `camera` – of the frame.
pub fn contact(camera: &Camera, frame: &mut Frame) {
    let [width, height] = [frame.width as usize, frame.height as usize];
    if frame.depth.len() != width * height || frame.depth.is_empty() {
        return;
    }
    let Frame { rgba, depth, .. } = frame;
    let field = Field::new(camera, depth, [width, height]);
    let light = field.smoothed(&field.light());
    let tables = srgb::tables();
    let rows = rgba.par_chunks_mut(4 * width).zip(depth.par_chunks(width));
    rows.enumerate().for_each(|(y, (row, depths))| {
        let runs = row.as_chunks_mut::<4>().0.chunks_mut(RUN);
        for (run, (pixels, depths)) in runs.zip(depths.chunks(RUN)).enumerate() {
            // Most of an image is background.
            let drawn = depths.iter().fold(0, |any, d| any | u8::from(*d < 1.0));
            if drawn == 0 {
                continue;
            }
            for (x, pixel) in (run * RUN..).zip(pixels) {
                if let Some(distance) = field.distance(x, y) {
                    darken(pixel, field.nearest(&light, x, y, distance), tables);
                }
            }
        }
    });
}

fn darken(pixel: &mut [u8; 4], light: f32, tables: &Tables) {
    if light < 1.0 {
        for channel in &mut pixel[..3] {
            *channel = tables.encode(tables.decode(*channel) * light);
        }
    }
}

/// The surfaces of an image, from its depths.
struct Field<'a> {
    width: usize,
    height: usize,
    depth: &'a [f32],
    /// Distances of the sampled pixels from the viewer; 0 for the background.
    of_cells: Vec<f32>,
    /// Centres of columns and rows, from -1 to 1.
    middles: [Vec<f32>; 2],
    /// `z_axis.z` and `w_axis.z` of the projection, which map distances to depths.
    projection: [f32; 2],
    /// Half the extent of the image at distance 1, or at any distance without perspective.
    half: Vec2,
    is_orthographic: bool,
    /// The spacing of sampled pixels. The pixels between them use the mean of their block.
    step: usize,
}

impl<'a> Field<'a> {
    /// * `size` – width and height of the image.
    fn new(camera: &Camera, depth: &'a [f32], size: [usize; 2]) -> Self {
        let clip = &camera.clip_from_view;
        let [width, height] = size;
        let mut field = Self {
            width,
            height,
            depth,
            of_cells: Vec::new(),
            middles: size.map(|side| (0..side).map(|at| middle(at, side)).collect()),
            projection: [clip.z_axis.z, clip.w_axis.z],
            half: Vec2::new(1.0 / clip.x_axis.x, 1.0 / clip.y_axis.y),
            is_orthographic: camera.is_orthographic(),
            step: if height >= LARGE { 2 } else { 1 },
        };
        let at = |x: usize, y: usize| field.distance(x * field.step, y * field.step);
        field.of_cells = field.each_cell(|x, y| at(x, y).unwrap_or(0.0));
        field
    }

    /// The distance of a pixel's surface from the viewer; `None` for the background.
    ///
    /// Computed on demand: most of an image is background.
    #[inline]
    fn distance(&self, x: usize, y: usize) -> Option<f32> {
        let depth = self.depth[y * self.width + x];
        let distance = (depth < 1.0).then(|| self.unprojected(depth))?;
        distance.is_finite().then_some(distance)
    }

    /// The distance from the viewer at `depth`.
    #[inline]
    fn unprojected(&self, depth: f32) -> f32 {
        let [scale, offset] = self.projection;
        let in_ndc = 2.0 * depth - 1.0;
        let z = if self.is_orthographic {
            (offset - in_ndc) / scale
        } else {
            offset / (in_ndc + scale)
        };
        // Not behind the viewer, whatever the rounding.
        if z > f32::MIN_POSITIVE {
            z
        } else {
            f32::MIN_POSITIVE
        }
    }

    /// Half the extent of the image at `distance`.
    fn half_at(&self, distance: f32) -> Vec2 {
        if self.is_orthographic {
            self.half
        } else {
            self.half * distance
        }
    }

    /// The position of a pixel's surface, in view space with z away from the viewer; `None` for the background.
    fn position(&self, x: usize, y: usize) -> Option<Vec3> {
        let distance = self.distance(x, y)?;
        let at = Vec2::new(self.middles[0][x], -self.middles[1][y]);
        Some((at * self.half_at(distance)).extend(distance))
    }

    /// The light of every `step`th pixel of every `step`th row; 1 without occlusion.
    fn light(&self) -> Vec<f32> {
        let reach = RADIUS * single(self.height);
        let spiral = spiral().map(|taps| taps.map(|tap| pixels(tap * reach)));
        self.each_cell(|x, y| {
            let taps = &spiral[y % BLOCK * BLOCK + x % BLOCK];
            let hidden = self.hidden(x * self.step, y * self.step, taps);
            1.0 - (1.0 - DARKEST) * hidden
        })
    }

    /// A value for each sampled pixel, row by row.
    fn each_cell(&self, value: impl Fn(usize, usize) -> f32 + Sync) -> Vec<f32> {
        let [columns, rows] = self.cells();
        let mut values = vec![0.0; columns * rows];
        let rows = values.par_chunks_mut(columns).enumerate();
        rows.for_each(|(y, row)| {
            for (x, to) in row.iter_mut().enumerate() {
                *to = value(x, y);
            }
        });
        values
    }

    /// How many pixels of a row and of a column are sampled.
    fn cells(&self) -> [usize; 2] {
        [self.width, self.height].map(|side| side.div_ceil(self.step))
    }

    /// The occlusion of a pixel, from 0 to 1.
    fn hidden(&self, x: usize, y: usize, taps: &[[isize; 2]; TAPS]) -> f32 {
        let Some((position, normal)) = self
            .position(x, y)
            .and_then(|at| Some((at, self.normal(x, y, at)?)))
        else {
            return 0.0;
        };
        let radius = 2.0 * RADIUS * self.half_at(position.z).y;
        // Lists of numbers and no branches, so that the compiler computes several taps at once.
        let (mut depths, mut middles) = ([1.0; TAPS], [[0.0; TAPS]; 2]);
        for (k, [columns, rows]) in taps.iter().enumerate() {
            if let (Some(x), Some(y)) =
                (x.checked_add_signed(*columns), y.checked_add_signed(*rows))
                && x < self.width
                && y < self.height
            {
                depths[k] = self.depth[y * self.width + x];
                (middles[0][k], middles[1][k]) = (self.middles[0][x], -self.middles[1][y]);
            }
        }
        let mut hidden = [0.0; TAPS];
        for (k, hidden) in hidden.iter_mut().enumerate() {
            let z = self.unprojected(depths[k]);
            let half = self.half_at(z);
            let [x, y] = [middles[0][k] * half.x, middles[1][k] * half.y];
            let [x, y, z] = [x - position.x, y - position.y, z - position.z];
            let squared = x * x + y * y + z * z;
            let along_normal = x * normal.x + y * normal.y + z * normal.z;
            let falloff = 1.0 - squared / (radius * radius);
            let sine = (along_normal / squared.sqrt() - BIAS).max(0.0);
            // Far away, at the position itself, or nothing at all.
            let counts = depths[k] < 1.0 && falloff > 0.0 && squared > 0.0;
            *hidden = if counts { falloff * sine } else { 0.0 };
        }
        let sum: f32 = hidden.iter().sum();
        (GAIN * sum / single(TAPS)).min(1.0)
    }

    /// Towards the viewer, from the nearer neighbour along each axis, so that outlines do not bend it.
    fn normal(&self, x: usize, y: usize, position: Vec3) -> Option<Vec3> {
        let slope = |dx: usize, dy: usize| {
            let after = (x + dx < self.width && y + dy < self.height)
                .then(|| self.position(x + dx, y + dy))
                .flatten();
            let before = (x >= dx && y >= dy)
                .then(|| self.position(x - dx, y - dy))
                .flatten();
            let [after, before] = [
                after.map(|after| after - position),
                before.map(|before| position - before),
            ];
            match (after, before) {
                (Some(a), Some(b)) => Some(if a.z.abs() < b.z.abs() { a } else { b }),
                (a, b) => a.or(b),
            }
        };
        // Rows go down, so this normal points to the viewer, where z is smaller.
        let normal = slope(1, 0)?.cross(slope(0, 1)?).normalize_or_zero();
        (normal != Vec3::ZERO).then(|| if normal.z > 0.0 { -normal } else { normal })
    }

    /// Blurs away the noise of the rotations: the mean of each cell and the block around it, over cells of similar depth.
    fn smoothed(&self, light: &[f32]) -> Vec<f32> {
        let size = self.cells();
        self.each_cell(|x, y| {
            let own = self.of_cells[y * size[0] + x];
            if own > 0.0 {
                self.mean_around(light, [x, y], own, size)
            } else {
                1.0
            }
        })
    }

    fn mean_around(
        &self,
        light: &[f32],
        [x, y]: [usize; 2],
        own: f32,
        [columns, rows]: [usize; 2],
    ) -> f32 {
        let near = RADIUS * self.half_at(own).y;
        let around =
            |at: usize, count: usize| at.saturating_sub(BLOCK / 2)..(at + BLOCK / 2).min(count);
        let (mut sum, mut weight) = (0.0, 0.0);
        let beside = around(x, columns);
        for row in around(y, rows) {
            let cells = row * columns + beside.start..row * columns + beside.end;
            for (distance, light) in self.of_cells[cells.clone()].iter().zip(&light[cells]) {
                if *distance > 0.0 && (distance - own).abs() < near {
                    sum += light;
                    weight += 1.0;
                }
            }
        }
        if weight > 0.0 { sum / weight } else { 1.0 }
    }

    /// The value of the cell that is nearest in depth, of the four around a pixel at distance `own`.
    fn nearest(&self, light: &[f32], x: usize, y: usize, own: f32) -> f32 {
        let [columns, rows] = self.cells();
        let (column, row) = (x / self.step, y / self.step);
        let (mut least, mut value) = (f32::INFINITY, 1.0);
        let last = (column + self.step).min(columns);
        for row in row..(row + self.step).min(rows) {
            let cells = row * columns + column..row * columns + last;
            for (distance, light) in self.of_cells[cells.clone()].iter().zip(&light[cells]) {
                let apart = (distance - own).abs();
                if apart < least {
                    (least, value) = (apart, *light);
                }
            }
        }
        value
    }
}

/// An offset in whole pixels, rounded towards 0.
#[expect(clippy::cast_possible_truncation, reason = "images are far smaller")]
fn pixels(offset: Vec2) -> [isize; 2] {
    [offset.x as isize, offset.y as isize]
}

/// The taps of each pixel of a block, relative to the radius: a spiral, rotated differently for each.
fn spiral() -> [[Vec2; TAPS]; BLOCK * BLOCK] {
    /// The golden angle: no two taps have the same direction.
    const STEP: f32 = 2.399_963;
    // The order of a 4 x 4 Bayer matrix, so that neighbours have very different rotations.
    const ORDER: [u8; BLOCK * BLOCK] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];
    ORDER.map(|order| {
        let start = f32::from(order) / single(BLOCK * BLOCK) * std::f32::consts::TAU;
        std::array::from_fn(|tap| {
            let (sin, cos) = libm::sincosf(start + single(tap) * STEP);
            Vec2::new(cos, sin) * ((single(tap) + 0.5) / single(TAPS))
        })
    })
}

/// The centre of a pixel, from -1 at the left or top to 1.
fn middle(index: usize, side: usize) -> f32 {
    (2.0 * single(index) + 1.0) / single(side) - 1.0
}

#[expect(
    clippy::cast_precision_loss,
    reason = "sides and counts are below 2^24"
)]
fn single(number: usize) -> f32 {
    number as f32
}

#[cfg(test)]
mod tests {
    #![expect(clippy::cast_precision_loss, reason = "numbers of tests are small")]

    use glam::Mat4;

    use super::*;

    const SIDE: usize = 128;

    /// Sees x and y from -1 to 1, and z from 0 to -2 as depths from 0 to 1.
    const CAMERA: Camera = Camera {
        view_from_world: Mat4::IDENTITY,
        clip_from_view: Mat4::from_cols_array(&[
            1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0, 1.0,
        ]),
    };

    /// A white frame with depths from `depth`, by column and row.
    fn white(depth: impl Fn(usize, usize) -> f32) -> Frame {
        let mut frame = Frame::blank(128, 128);
        frame.rgba.fill(255);
        for (index, own) in frame.depth.iter_mut().enumerate() {
            *own = depth(index % SIDE, index / SIDE);
        }
        contact(&CAMERA, &mut frame);
        frame
    }

    fn red(frame: &Frame, x: usize, y: usize) -> u8 {
        frame.rgba[4 * (y * SIDE + x)]
    }

    #[test]
    fn a_plane_stays_as_it_is_whatever_its_slope() {
        for slope in [0.0, 0.001, -0.003] {
            let frame = white(|x, y| 0.5 + slope * (x as f32 + y as f32 - 128.0));
            assert!(frame.rgba.iter().all(|byte| *byte == 255), "{slope}");
        }
    }

    #[test]
    fn a_wall_darkens_the_floor_beside_it_and_only_there() {
        // The left half is nearer by less than the radius.
        let frame = white(|x, _| if x < 64 { 0.485 } else { 0.5 });
        let beside = red(&frame, 64, 64);
        assert!(beside < 253, "{beside}");
        assert_eq!(red(&frame, 100, 64), 255);
        assert_eq!(red(&frame, 20, 64), 255);
    }

    #[test]
    fn distant_foreground_casts_no_darkness() {
        let frame = white(|x, _| if x < 64 { 0.1 } else { 0.9 });
        assert!(frame.rgba.iter().all(|byte| *byte == 255));
    }

    #[test]
    fn the_background_is_left_alone() {
        let frame = white(|x, _| if x < 64 { 0.5 } else { 1.0 });
        assert!(frame.rgba.iter().all(|byte| *byte == 255));
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bytes() {
        let scene = || white(|x, y| 0.5 + 0.01 * ((x / 7 + y / 5) % 3) as f32);
        let pool = |threads| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap()
        };
        let one = pool(1).install(scene);
        let many = pool(3).install(scene);
        assert!(one.rgba == many.rgba);
        assert!(one.rgba.iter().any(|byte| *byte < 255));
    }
}
