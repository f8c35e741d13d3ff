//! Coverage and depth of sixteen samples at a time.
//!
//! The same bits as [`Walker`](super::kernel::Walker), which finds them one by one:
//!
//! - Samples lie on sixteenths of a pixel. So an edge function `dx·y - dy·x + c` changes by multiples of 16 from sample to
//!   sample, and has the sign of `dx·(y/16) - dy·(x/16) + ⌊c/16⌋`, which fits into 32 bits relative to the tile.
//! - An edge with the whole tile inside is omitted; an edge with the whole tile outside rejects the triangle.
//! - Depth is computed in f64 by the same operations in the same order, and rounded once to f32.
//! - Rounding is monotonic. So the depth at the corner of a box that is nearest on the plane is no farther than that of
//!   any sample in the box, and anything behind the farthest sample of a block is hidden there.
//!
//! # Reference
//!
//! N. Greene, M. Kass, G. Miller, "Hierarchical Z-buffer visibility", SIGGRAPH 1993.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "positions in a tile are small and not negative; depth is kept as f32"
)]

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, f32x16, f64x8, i32x16, mask32x16, u32x16};
use skincheck_rig::dispatch;

use super::coverage::{BLOCK, GROUP, GridPoint, NOTHING, SUBPIXEL, TILE, is_top_left};
use super::kernel::{DepthPlane, Job, Lanes, Target};

/// Sixteenths of a pixel in a tile and in a block.
const TILE_SPAN: i32 = 16 * TILE as i32;
const BLOCK_SPAN: i32 = 16 * BLOCK as i32;

/// Edges whose extents along x and y sum to less than this, in grid units, stay within 30 bits over a tile.
const LONGEST: i64 = 1 << 20;

/// A triangle that touches no more groups than this skips the tests of blocks.
const FEW: i32 = 9;

/// One edge function, relative to the tile, in sixteenths of pixels.
#[derive(Debug, Clone, Copy)]
struct Edge {
    at_origin: i32,
    per_x: i32,
    per_y: i32,
}

/// How an edge divides the samples of a tile.
enum Side {
    /// Some are inside and some are not.
    Between(Edge),
    Inside,
    Outside,
    /// The values of the edge function do not fit into 32 bits.
    TooLong,
}

impl Edge {
    /// An edge function that is 0 everywhere: every sample is inside.
    const NONE: Self = Self {
        at_origin: 0,
        per_x: 0,
        per_y: 0,
    };

    /// How the edge divides the tile whose first pixel is `origin`.
    fn side(from: GridPoint, to: GridPoint, origin: [i32; 2]) -> Side {
        let wide = |to: i32, from: i32| i64::from(to) - i64::from(from);
        let (dx, dy) = (wide(to.x, from.x), wide(to.y, from.y));
        let [x, y] = origin.map(|pixel| pixel * SUBPIXEL);
        // A sample on an edge that does not own it counts as outside.
        let bias = i64::from(!is_top_left((dx, dy)));
        let value = dx * wide(y, from.y) - dy * wide(x, from.x) - bias;
        // Samples are on sixteenths of pixels, where edge functions differ from this one by multiples of 16: divided by
        // 16 and rounded down they keep their signs, and fit into 32 bits.
        let at_origin = value >> 4;
        // A linear function is largest at one corner of the tile and least at the opposite one.
        let span = i64::from(TILE_SPAN - 1);
        if at_origin + span * (dx.max(0) + (-dy).max(0)) < 0 {
            return Side::Outside;
        }
        if at_origin + span * (dx.min(0) + (-dy).min(0)) >= 0 {
            return Side::Inside;
        }
        if dx.abs() + dy.abs() >= LONGEST {
            return Side::TooLong;
        }
        let narrow = |value: i64| i32::try_from(value).unwrap_or_default();
        Side::Between(Self {
            at_origin: narrow(at_origin),
            per_x: narrow(-dy),
            per_y: narrow(dx),
        })
    }

    /// An upper bound of the values in the block whose first sample may be at (`x`, `y`).
    fn largest_in_block(&self, x: i32, y: i32) -> i32 {
        let grows = self.per_x.max(0) + self.per_y.max(0);
        self.at_origin + self.per_x * x + self.per_y * y + grows * (BLOCK_SPAN - 1)
    }
}

/// Draws the samples where the triangle is nearest. Returns `false`, with nothing drawn, if an edge is too long.
///
/// * `level` – which instruction set to use.
/// * `hides` – whether the triangle is in front of another of the same depth.
pub(super) fn draw(
    level: Level,
    lanes: &Lanes,
    job: &Job,
    target: Target<'_>,
    hides: impl FnMut(u32) -> bool,
) -> bool {
    let [a, b, c] = job.corners.map(|corner| corner.at);
    let mut edges = [Edge::NONE; 3];
    for (edge, (from, to)) in edges.iter_mut().zip([(a, b), (b, c), (c, a)]) {
        match Edge::side(from, to, job.origin) {
            Side::Between(between) => *edge = between,
            Side::Inside => {}
            // No sample of the tile is covered.
            Side::Outside => return true,
            Side::TooLong => return false,
        }
    }
    let plane = DepthPlane::new(&job.corners);
    dispatch!(level, simd => Drawing::new(simd, lanes, job, edges, plane).draw(target, hides));
    true
}

struct Drawing<'a, S: Simd> {
    simd: S,
    job: &'a Job,
    lanes: &'a Lanes,
    edges: [Edge; 3],
    plane: DepthPlane,
    /// What each edge function grows by from the corner of a group to its samples.
    at_lane: [i32x16<S>; 3],
}

impl<'a, S: Simd> Drawing<'a, S> {
    #[inline(always)]
    fn new(simd: S, lanes: &'a Lanes, job: &'a Job, edges: [Edge; 3], plane: DepthPlane) -> Self {
        // The growth from the group's origin to each sample: multiplied once per triangle, added once per group.
        let x = i32x16::load_array_ref(simd, &lanes.x);
        let y = i32x16::load_array_ref(simd, &lanes.y);
        let mut at_lane = [x; 3];
        for (grown, edge) in at_lane.iter_mut().zip(&edges) {
            *grown = x * edge.per_x + y * edge.per_y;
        }
        Self {
            simd,
            job,
            lanes,
            edges,
            plane,
            at_lane,
        }
    }

    #[inline(always)]
    fn draw(&self, mut target: Target<'_>, mut hides: impl FnMut(u32) -> bool) {
        let side = self.lanes.side;
        let [first, last] = self.job.pixels.map(|at| at.map(|pixel| pixel / side));
        let per_block = BLOCK as i32 / side;
        let blocks = |axis: usize| first[axis] / per_block..=last[axis] / per_block;
        let is_small = (last[0] - first[0] + 1) * (last[1] - first[1] + 1) <= FEW;
        for block_y in blocks(1) {
            for block_x in blocks(0) {
                let block = (block_y * (TILE / BLOCK) as i32 + block_x) as usize;
                // Testing a block costs as much as drawing a few of its groups.
                if !is_small && self.is_left_out(block_x, block_y, block, &mut target) {
                    continue;
                }
                let start = [block_x * per_block, block_y * per_block];
                let from = [first[0].max(start[0]), first[1].max(start[1])];
                let to = [
                    last[0].min(start[0] + per_block - 1),
                    last[1].min(start[1] + per_block - 1),
                ];
                if self.draw_groups(from, to, &mut target, &mut hides) {
                    *target.stale |= 1 << block;
                }
            }
        }
    }

    /// Whether no sample of a block is covered, or none is nearer than what is already drawn.
    #[inline(always)]
    fn is_left_out(&self, x: i32, y: i32, block: usize, target: &mut Target<'_>) -> bool {
        let (left, top) = (x * BLOCK_SPAN, y * BLOCK_SPAN);
        let mut edges = self.edges.iter();
        if edges.any(|edge| edge.largest_in_block(left, top) < 0) {
            return true;
        }
        // Depths only come nearer, so an old value is still a bound, but a weak one. It is renewed when it is next
        // needed.
        if *target.stale & (1 << block) != 0 {
            target.farthest[block] = self.farthest(x, y, target.depth);
            *target.stale &= !(1 << block);
        }
        let farthest = target.farthest[block];
        // The test of a hierarchical depth buffer. A block with an empty sample hides nothing.
        farthest < f32::INFINITY && self.nearest(x, y) > farthest
    }

    /// A lower bound of the triangle's depth in the block.
    fn nearest(&self, x: i32, y: i32) -> f32 {
        let plane = &self.plane;
        let [first, last] = self.job.pixels;
        let at = |block: i32, axis: usize, slope: f64, origin: i32| {
            let from = first[axis].max(block * BLOCK as i32);
            let to = last[axis].min((block + 1) * BLOCK as i32 - 1) + 1;
            // Of the block's pixels that the triangle may touch, the corner with the least depth.
            let pixel = self.job.origin[axis] + if slope > 0.0 { from } else { to };
            f64::from(pixel * SUBPIXEL - origin)
        };
        let y = at(y, 1, plane.per_y, plane.origin.y);
        let x = at(x, 0, plane.per_x, plane.origin.x);
        let start = plane.depth + plane.per_y * y;
        (start + plane.per_x * x) as f32
    }

    #[inline(always)]
    fn farthest(&self, x: i32, y: i32, depth: &[[f32; GROUP]]) -> f32 {
        let per_block = BLOCK as i32 / self.lanes.side;
        let mut most = f32x16::splat(self.simd, f32::NEG_INFINITY);
        for row in 0..per_block {
            for column in 0..per_block {
                let group = self.group(x * per_block + column, y * per_block + row);
                most = most.max(f32x16::load_array_ref(self.simd, &depth[group]));
            }
        }
        most.reduce_max()
    }

    fn group(&self, x: i32, y: i32) -> usize {
        (y * (TILE as i32 / self.lanes.side) + x) as usize
    }

    /// Draws the groups from `from` to `to`. Returns whether anything changed.
    #[inline(always)]
    fn draw_groups(
        &self,
        from: [i32; 2],
        to: [i32; 2],
        target: &mut Target<'_>,
        hides: &mut impl FnMut(u32) -> bool,
    ) -> bool {
        let span = 16 * self.lanes.side;
        let number = u32x16::splat(self.simd, self.job.number);
        let mut changed = false;
        for y in from[1]..=to[1] {
            let mut values = [0; 3];
            for (value, edge) in values.iter_mut().zip(&self.edges) {
                *value = edge.at_origin + edge.per_y * (y * span) + edge.per_x * (from[0] * span);
            }
            let start = self.depths_along(y);
            for x in from[0]..=to[0] {
                let outside = self.outside(values);
                for (value, edge) in values.iter_mut().zip(&self.edges) {
                    *value = value.wrapping_add(edge.per_x * span);
                }
                if outside.all_true() {
                    continue;
                }
                let group = self.group(x, y);
                let (depths, triangles) = (&mut target.depth[group], &mut target.triangle[group]);
                let new = self.depths(start, x);
                let old = f32x16::load_array_ref(self.simd, depths);
                // Depth test and coverage in one mask. The order of the scene decides between equal depths, one by one
                // below.
                let nearer = new.simd_lt(old) & !outside;
                let mut ties = (new.simd_eq(old) & !outside).to_bitmask();
                if nearer.any_true() {
                    changed = true;
                    nearer.select(new, old).store_array(depths);
                    let ids = u32x16::load_array_ref(self.simd, triangles);
                    nearer.select(number, ids).store_array(triangles);
                }
                while ties != 0 {
                    let lane = ties.trailing_zeros() as usize;
                    ties &= ties - 1;
                    let other = triangles[lane];
                    if other != NOTHING && hides(other) {
                        triangles[lane] = self.job.number;
                        depths[lane] = new.to_array()[lane];
                    }
                }
            }
        }
        changed
    }

    /// The samples that are outside an edge.
    ///
    /// * `values` – the edge functions at the corner of the group.
    #[inline(always)]
    fn outside(&self, values: [i32; 3]) -> mask32x16<S> {
        let [a, b, c] = self.at_lane;
        // The sign bit is set where one of the three values is negative.
        ((a + values[0]) | (b + values[1]) | (c + values[2])).simd_lt(0)
    }

    /// As [`DepthPlane::along`], for all rows of a group.
    #[inline(always)]
    fn depths_along(&self, y: i32) -> [f64x8<S>; 2] {
        let plane = &self.plane;
        let top = (self.job.origin[1] + y * self.lanes.side) * SUBPIXEL - plane.origin.y;
        let [low, high] = self.offsets(&self.lanes.grid_y, top);
        [
            low * plane.per_y + plane.depth,
            high * plane.per_y + plane.depth,
        ]
    }

    /// As [`DepthRow::at`](super::kernel::DepthRow::at), for all samples of a group.
    ///
    /// * `start` – in the column of the plane's origin.
    #[inline(always)]
    fn depths(&self, start: [f64x8<S>; 2], x: i32) -> f32x16<S> {
        let plane = &self.plane;
        let left = (self.job.origin[0] + x * self.lanes.side) * SUBPIXEL - plane.origin.x;
        let [low, high] = self.offsets(&self.lanes.grid_x, left);
        (start[0] + low * plane.per_x).narrow(start[1] + high * plane.per_x)
    }

    /// The samples of a group along one axis, in grid units from `start`: integers, which f64 adds exactly.
    #[inline(always)]
    fn offsets(&self, lanes: &[f64; GROUP], start: i32) -> [f64x8<S>; 2] {
        let start = f64::from(start);
        [
            f64x8::from_slice(self.simd, &lanes[..8]) + start,
            f64x8::from_slice(self.simd, &lanes[8..]) + start,
        ]
    }
}
