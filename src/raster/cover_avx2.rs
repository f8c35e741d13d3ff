//! Coverage and depth of sixteen samples at a time, with AVX2.
//!
//! Bit-identical to [`Walker`](super::walk::Walker), which finds them one by one:
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

#![cfg(target_arch = "x86_64")]
#![expect(
    unsafe_code,
    reason = "registers are loaded and stored through pointers"
)]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "positions in a tile are small and not negative; depth is kept as f32"
)]
#![allow(
    clippy::wildcard_imports,
    reason = "the names of intrinsics are long and many"
)]

use std::arch::x86_64::*;

use super::coverage::{GridPoint, SUBPIXEL, is_top_left};
use super::depth::DepthPlane;
use super::grid::{BLOCK, GROUP, NOTHING, TILE};
use super::kernel::{Job, Lanes, Target};

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
/// * `hides` – whether the triangle is in front of another of the same depth.
pub(super) fn draw(
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
    // SAFETY: this kernel is chosen only where AVX2 was found.
    unsafe { Drawing::new(lanes, job, edges, plane).draw(target, hides) };
    true
}

/// Eight samples of each half of a group.
type Halves<T> = [T; 2];

struct Drawing<'a> {
    job: &'a Job,
    lanes: &'a Lanes,
    edges: [Edge; 3],
    plane: DepthPlane,
    /// What each edge function grows by from the corner of a group to its samples.
    at_lane: [Halves<__m256i>; 3],
}

/// Depth over one row of groups.
#[derive(Clone, Copy)]
struct DepthRow {
    /// In the column of the plane's origin.
    start: [__m256d; 4],
}

impl<'a> Drawing<'a> {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn new(lanes: &'a Lanes, job: &'a Job, edges: [Edge; 3], plane: DepthPlane) -> Self {
        // The growth from the group's origin to each sample: multiplied once per triangle, added once per group.
        let (xs, ys) = (halves(&lanes.x), halves(&lanes.y));
        let at_lane = edges.map(|edge| {
            let (per_x, per_y) = (_mm256_set1_epi32(edge.per_x), _mm256_set1_epi32(edge.per_y));
            let grown = |h: usize| {
                _mm256_add_epi32(
                    _mm256_mullo_epi32(per_x, xs[h]),
                    _mm256_mullo_epi32(per_y, ys[h]),
                )
            };
            [grown(0), grown(1)]
        });
        Self {
            job,
            lanes,
            edges,
            plane,
            at_lane,
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
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
    #[target_feature(enable = "avx2")]
    #[inline]
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

    #[target_feature(enable = "avx2")]
    #[inline]
    fn farthest(&self, x: i32, y: i32, depth: &[[f32; GROUP]]) -> f32 {
        let per_block = BLOCK as i32 / self.lanes.side;
        let mut most = _mm256_set1_ps(f32::NEG_INFINITY);
        for row in 0..per_block {
            for column in 0..per_block {
                let group = self.group(x * per_block + column, y * per_block + row);
                let [a, b] = floats(&depth[group]);
                most = _mm256_max_ps(most, _mm256_max_ps(a, b));
            }
        }
        let mut lanes = [0.0; 8];
        put(&mut lanes, most);
        lanes.into_iter().fold(f32::NEG_INFINITY, f32::max)
    }

    fn group(&self, x: i32, y: i32) -> usize {
        (y * (TILE as i32 / self.lanes.side) + x) as usize
    }

    /// Draws the groups from `from` to `to`. Returns whether anything changed.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn draw_groups(
        &self,
        from: [i32; 2],
        to: [i32; 2],
        target: &mut Target<'_>,
        hides: &mut impl FnMut(u32) -> bool,
    ) -> bool {
        let span = 16 * self.lanes.side;
        let number = _mm256_set1_epi32(self.job.number.cast_signed());
        let mut changed = false;
        for y in from[1]..=to[1] {
            let row = self.edges.map(|edge| {
                edge.at_origin + edge.per_y * (y * span) + edge.per_x * (from[0] * span)
            });
            let mut values = row;
            let depths = self.depths_along(y);
            for x in from[0]..=to[0] {
                let outside = self.outside(values);
                for (value, edge) in values.iter_mut().zip(&self.edges) {
                    *value = value.wrapping_add(edge.per_x * span);
                }
                // All sixteen samples are outside.
                if _mm256_movemask_ps(_mm256_and_ps(outside[0], outside[1])) == 0xff {
                    continue;
                }
                let group = self.group(x, y);
                let new = self.depths(&depths, x);
                let old = floats(&target.depth[group]);
                let ids = halves(&target.triangle[group]);
                let mut ties = 0;
                for h in 0..2 {
                    // Depth test and coverage in one mask. The order of the scene decides between equal depths, one by
                    // one below.
                    let nearer = _mm256_cmp_ps::<_CMP_LT_OQ>(new[h], old[h]);
                    let nearer = _mm256_andnot_ps(outside[h], nearer);
                    let same = _mm256_cmp_ps::<_CMP_EQ_OQ>(new[h], old[h]);
                    ties |= _mm256_movemask_ps(_mm256_andnot_ps(outside[h], same)) << (8 * h);
                    if _mm256_movemask_ps(nearer) == 0 {
                        continue;
                    }
                    changed = true;
                    let (start, end) = (8 * h, 8 * h + 8);
                    let depth = _mm256_blendv_ps(old[h], new[h], nearer);
                    put_part(&mut target.depth[group], start, end, depth);
                    let id = _mm256_blendv_epi8(ids[h], number, _mm256_castps_si256(nearer));
                    put_ids(&mut target.triangle[group], start, end, id);
                }
                while ties != 0 {
                    let lane = ties.trailing_zeros() as usize;
                    ties &= ties - 1;
                    let other = target.triangle[group][lane];
                    if other != NOTHING && hides(other) {
                        let mut lanes = [[0.0; 8]; 2];
                        put(&mut lanes[0], new[0]);
                        put(&mut lanes[1], new[1]);
                        target.triangle[group][lane] = self.job.number;
                        target.depth[group][lane] = lanes[lane / 8][lane % 8];
                    }
                }
            }
        }
        changed
    }

    /// Lanes whose highest bits are set where the sample is outside an edge.
    ///
    /// * `values` – the edge functions at the corner of the group.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn outside(&self, values: [i32; 3]) -> Halves<__m256> {
        let at =
            |k: usize, h: usize| _mm256_add_epi32(_mm256_set1_epi32(values[k]), self.at_lane[k][h]);
        let any = |h: usize| {
            // `or` sets the sign bit where one of the three values is negative.
            let or = _mm256_or_si256(_mm256_or_si256(at(0, h), at(1, h)), at(2, h));
            _mm256_castsi256_ps(_mm256_srai_epi32::<31>(or))
        };
        [any(0), any(1)]
    }

    /// As [`DepthPlane::along`], for all rows of a group.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn depths_along(&self, y: i32) -> DepthRow {
        let plane = &self.plane;
        let top = (self.job.origin[1] + y * self.lanes.side) * SUBPIXEL - plane.origin.y;
        let (depth, per_y) = (_mm256_set1_pd(plane.depth), _mm256_set1_pd(plane.per_y));
        let offsets = offsets(&self.lanes.grid_y, top);
        let row = |k: usize| _mm256_add_pd(depth, _mm256_mul_pd(per_y, offsets[k]));
        DepthRow {
            start: [row(0), row(1), row(2), row(3)],
        }
    }

    /// As [`DepthRow::at`](super::depth::DepthRow::at), for all samples of a group.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn depths(&self, row: &DepthRow, x: i32) -> Halves<__m256> {
        let plane = &self.plane;
        let left = (self.job.origin[0] + x * self.lanes.side) * SUBPIXEL - plane.origin.x;
        let offsets = offsets(&self.lanes.grid_x, left);
        let depth = |k: usize| {
            let grown = _mm256_mul_pd(_mm256_set1_pd(plane.per_x), offsets[k]);
            _mm256_cvtpd_ps(_mm256_add_pd(row.start[k], grown))
        };
        [
            _mm256_set_m128(depth(1), depth(0)),
            _mm256_set_m128(depth(3), depth(2)),
        ]
    }
}

/// The samples of a group along one axis, in grid units from `start`: integers, which f64 adds exactly.
#[target_feature(enable = "avx2")]
#[inline]
fn offsets(lanes: &[f64; GROUP], start: i32) -> [__m256d; 4] {
    let start = _mm256_set1_pd(f64::from(start));
    let at = lanes.as_ptr();
    // SAFETY: all quarters are in the array; loads need no alignment.
    let quarters = unsafe {
        [
            _mm256_loadu_pd(at),
            _mm256_loadu_pd(at.add(4)),
            _mm256_loadu_pd(at.add(8)),
            _mm256_loadu_pd(at.add(12)),
        ]
    };
    [
        _mm256_add_pd(quarters[0], start),
        _mm256_add_pd(quarters[1], start),
        _mm256_add_pd(quarters[2], start),
        _mm256_add_pd(quarters[3], start),
    ]
}

/// The bits of a group's numbers.
#[target_feature(enable = "avx2")]
#[inline]
fn halves<T: Copy>(values: &[T; GROUP]) -> Halves<__m256i> {
    const { assert!(size_of::<T>() == 4) };
    let at = values.as_ptr();
    // SAFETY: both halves are in the array; loads need no alignment.
    unsafe {
        [
            _mm256_loadu_si256(at.cast()),
            _mm256_loadu_si256(at.add(8).cast()),
        ]
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn floats(values: &[f32; GROUP]) -> Halves<__m256> {
    let [a, b] = halves(values);
    [_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)]
}

#[target_feature(enable = "avx2")]
#[inline]
fn put(values: &mut [f32; 8], from: __m256) {
    // SAFETY: the array has eight elements; stores need no alignment.
    unsafe { _mm256_storeu_ps(values.as_mut_ptr(), from) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn put_part(values: &mut [f32; GROUP], start: usize, end: usize, from: __m256) {
    if let Ok(part) = <&mut [f32; 8]>::try_from(&mut values[start..end]) {
        put(part, from);
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn put_ids(values: &mut [u32; GROUP], start: usize, end: usize, from: __m256i) {
    if let Ok(part) = <&mut [u32; 8]>::try_from(&mut values[start..end]) {
        // SAFETY: the array has eight elements; stores need no alignment.
        unsafe { _mm256_storeu_si256(part.as_mut_ptr().cast(), from) }
    }
}
