//! The nearest triangle at every sample of a tile.

use std::cmp::Ordering;

use super::cover;
use super::coverage::{BLOCKS, GROUP, GridPoint, NOTHING, PixelBounds, SUBPIXEL, TILE};
use super::kernel::{Job, Lanes, Target, Walker};
use super::shade::{Brush, Shader};
use crate::rig::AlphaMode;

/// Depth and triangle of each sample of a tile, group by group.
#[derive(Debug)]
pub(super) struct Visibility<'a, const N: usize> {
    pattern: &'a [GridPoint; N],
    lanes: Lanes,
    /// The pixels of the tile that are in the image.
    area: PixelBounds,
    /// The triangle of each sample, as an index in the tile's list of opaque triangles.
    triangle: Vec<[u32; GROUP]>,
    depth: Vec<[f32; GROUP]>,
    /// No sample of a block is farther; see [`Target`].
    farthest: [f32; BLOCKS],
    stale: u64,
}

/// Neighbouring pixels of a tile.
#[derive(Debug)]
pub(super) struct Group<'a, const N: usize> {
    /// The first pixel, relative to the tile's.
    at: [usize; 2],
    /// How many of its columns and rows are in the image.
    size: [usize; 2],
    triangle: &'a [u32; GROUP],
    depth: &'a [f32; GROUP],
}

impl<const N: usize> Group<'_, N> {
    const PIXELS: usize = GROUP / N;
    /// Pixels along each axis.
    pub(super) const SIDE: usize = if N == 4 { 2 } else { 4 };

    /// Column and row of the first pixel in the tile, if all of the group is in the image.
    #[inline]
    pub(super) fn whole(&self) -> Option<[u8; 2]> {
        // A tile has 64 columns and rows.
        let at = self.at.map(|pixel| u8::try_from(pixel).unwrap_or_default());
        (self.size == [Self::SIDE; 2]).then_some(at)
    }

    /// The triangle of all samples, if it is the same.
    #[inline]
    pub(super) fn only(&self) -> Option<u32> {
        let first = self.triangle[0];
        let differs = self.triangle.iter().fold(0, |any, id| any | (id ^ first));
        (differs == 0).then_some(first)
    }

    /// Visits the pixels, with column and row in the tile and the lane of the first sample.
    #[inline]
    pub(super) fn each_pixel(&self, mut visit: impl FnMut([u8; 2], usize)) {
        for y in 0..self.size[1] {
            for x in 0..self.size[0] {
                // A tile has 64 columns and rows.
                let byte = |axis: usize, more: usize| {
                    u8::try_from(self.at[axis] + more).unwrap_or_default()
                };
                visit([byte(0, x), byte(1, y)], y * Self::SIDE + x);
            }
        }
    }

    /// The triangle of each sample of the pixel whose first is in `lane`.
    #[inline]
    pub(super) fn triangles(&self, lane: usize) -> [u32; N] {
        of_pixel(self.triangle, lane)
    }

    /// The least depth of each pixel.
    #[inline]
    pub(super) fn nearest(&self) -> [f32; GROUP] {
        let mut nearest = *self.depth;
        for sample in 1..N {
            let others = &self.depth[sample * Self::PIXELS..];
            for (nearest, other) in nearest.iter_mut().zip(others).take(Self::PIXELS) {
                // Written so that it compiles to one instruction for several lanes; no depth is NaN.
                *nearest = if other < nearest { *other } else { *nearest };
            }
        }
        nearest
    }
}

/// The samples of one pixel that a triangle covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cover<const N: usize> {
    /// Bit `s` is set if sample `s` is covered.
    pub(super) mask: u8,
    /// Valid where the mask has a bit.
    pub(super) depth: [f32; N],
}

impl<const N: usize> Cover<N> {
    /// The samples, covered or not, where `self` is nearer than `depths`.
    pub(super) fn nearer_than(&self, depths: &[f32; N]) -> u8 {
        let nearer = |s: &usize| self.depth[*s] < depths[*s];
        (0..N).filter(nearer).fold(0, |mask, s| mask | (1 << s))
    }
}

impl<'a, const N: usize> Visibility<'a, N> {
    /// Pixels of a group along each axis.
    pub(super) const SIDE: usize = if N == 4 { 2 } else { 4 };
    /// Groups of a tile along each axis.
    const GROUPS: usize = TILE / Self::SIDE;

    /// * `pattern` – the samples of a pixel.
    pub(super) fn new(pattern: &'a [GridPoint; N]) -> Self {
        Self {
            pattern,
            lanes: Lanes::new(pattern),
            area: PixelBounds {
                min: [0, 0],
                max: [-1, -1],
            },
            triangle: vec![[NOTHING; GROUP]; Self::GROUPS * Self::GROUPS],
            depth: vec![[f32::INFINITY; GROUP]; Self::GROUPS * Self::GROUPS],
            farthest: [f32::INFINITY; BLOCKS],
            stale: 0,
        }
    }

    /// Clears all buffers for the tile whose pixels in the image are `area`.
    pub(super) fn clear(&mut self, area: PixelBounds) {
        self.area = area;
        self.depth.fill([f32::INFINITY; GROUP]);
        self.triangle.fill([NOTHING; GROUP]);
        self.farthest = [f32::INFINITY; BLOCKS];
        self.stale = 0;
    }

    /// The pixels of the tile that are in the image.
    pub(super) fn area(&self) -> &PixelBounds {
        &self.area
    }

    /// Depth of each sample of the pixel; infinite where nothing is drawn.
    #[inline]
    pub(super) fn depth(&self, column: i32, row: i32) -> [f32; N] {
        let (group, lane) = self.slot(column, row);
        of_pixel(&self.depth[group], lane)
    }

    /// Visits the groups of the tile that show something, or all groups if `all` is set.
    pub(super) fn each_group(&self, all: bool, mut visit: impl FnMut(&Group<'_, N>)) {
        let [columns, rows] = [0, 1].map(|axis| self.area.max[axis] - self.area.min[axis] + 1);
        let [columns, rows] =
            [columns, rows].map(|count| usize::try_from(count).unwrap_or_default());
        for y in (0..rows).step_by(Self::SIDE) {
            for x in (0..columns).step_by(Self::SIDE) {
                let group = y / Self::SIDE * Self::GROUPS + x / Self::SIDE;
                let group = Group {
                    at: [x, y],
                    size: [columns - x, rows - y].map(|left| left.min(Self::SIDE)),
                    triangle: &self.triangle[group],
                    depth: &self.depth[group],
                };
                if all || group.only() != Some(NOTHING) {
                    visit(&group);
                }
            }
        }
    }

    /// The samples of the pixel, on the screen.
    #[inline]
    pub(super) fn samples(&self, column: i32, row: i32) -> [GridPoint; N] {
        samples(self.pattern, column, row)
    }

    /// Draws the opaque triangles `ids` of the tile. Samples store their indices in this list.
    pub(super) fn draw_all(&mut self, ids: &[u32], shader: &Shader<'_>) {
        for (position, &id) in ids.iter().enumerate() {
            // The number of triangles is below 2^32.
            let number = u32::try_from(position).unwrap_or(NOTHING);
            let mut tie = Tie::default();
            let hides = |other: u32| {
                let other = ids[other as usize];
                tie.hides(other, || shader.scene.tie_order(id, other))
            };
            if !self.draw_fast(number, id, shader, hides) {
                self.draw(number, ids, shader);
            }
        }
    }

    /// Draws many samples at a time. Returns whether the triangle can be drawn so.
    fn draw_fast(
        &mut self,
        number: u32,
        id: u32,
        shader: &Shader<'_>,
        hides: impl FnMut(u32) -> bool,
    ) -> bool {
        // A mask needs the texture at each sample, which only the plain path reads.
        let is_masked = matches!(shader.scene.surface(id).alpha, AlphaMode::Mask(_));
        let Some(level) = shader.level.filter(|_| !is_masked) else {
            return false;
        };
        let origin = self.area.min;
        let bounds = shader.scene.bounds(id).common(&self.area);
        let from_origin = |at: [i32; 2]| [at[0] - origin[0], at[1] - origin[1]];
        let target = Target {
            depth: &mut self.depth,
            triangle: &mut self.triangle,
            farthest: &mut self.farthest,
            stale: &mut self.stale,
        };
        let job = Job {
            number,
            corners: shader.scene.corners(id),
            origin,
            pixels: [from_origin(bounds.min), from_origin(bounds.max)],
        };
        cover::draw(level, &self.lanes, &job, target, hides)
    }

    /// Draws pixel by pixel: what has an alpha test, and edges so long that their functions need 64 bits.
    fn draw(&mut self, number: u32, ids: &[u32], shader: &Shader<'_>) {
        let id = ids[number as usize];
        let bounds = shader.scene.bounds(id).common(&self.area);
        // Row by row, so that the part of the depth that depends on the row is computed once.
        let walker = Walker::new(&shader.scene.corners(id), self.pattern);
        let mask = Mask::new(id, shader);
        let mut tie = Tie::default();
        for row in bounds.min[1]..=bounds.max[1] {
            let depths = walker.depths_along(row);
            walker.walk(row, bounds.min[0], bounds.max[0], |column, covered| {
                let mut cover = Cover {
                    mask: covered,
                    depth: depths.at(column),
                };
                if let Some(mask) = &mask {
                    cover.mask = mask.keep(covered, &self.samples(column, row));
                }
                self.keep_nearest(column, row, number, &cover, |other| {
                    let other = ids[other as usize];
                    tie.hides(other, || shader.scene.tie_order(id, other))
                });
            });
        }
    }

    /// * `hides` – whether the triangle is in front of another of the same depth.
    #[inline]
    #[expect(clippy::float_cmp, reason = "a tie is a tie of bits")]
    fn keep_nearest(
        &mut self,
        column: i32,
        row: i32,
        number: u32,
        cover: &Cover<N>,
        mut hides: impl FnMut(u32) -> bool,
    ) {
        let (group, lane) = self.slot(column, row);
        let (depths, triangles) = (&mut self.depth[group], &mut self.triangle[group]);
        for s in 0..N {
            let at = lane + s * Self::SIDE * Self::SIDE;
            let (old, new) = (depths[at], cover.depth[s]);
            // Where depths are equal to the bit, the triangles' attributes decide, not their order.
            let covered = cover.mask & (1 << s) != 0;
            let is_tie = new == old && triangles[at] != NOTHING;
            if covered && (new < old || (is_tie && hides(triangles[at]))) {
                depths[at] = new;
                triangles[at] = number;
            }
        }
        // The bound of the block's farthest sample still holds, since depths only come nearer.
    }

    /// The group of a pixel, and the lane of its first sample.
    #[inline]
    #[expect(clippy::cast_sign_loss, reason = "the pixel is in the tile")]
    fn slot(&self, column: i32, row: i32) -> (usize, usize) {
        let x = (column - self.area.min[0]) as usize;
        let y = (row - self.area.min[1]) as usize;
        let group = y / Self::SIDE * Self::GROUPS + x / Self::SIDE;
        (group, y % Self::SIDE * Self::SIDE + x % Self::SIDE)
    }
}

/// The elements of a group that belong to the samples of the pixel whose first is in `lane`.
#[inline]
fn of_pixel<T: Copy, const N: usize>(group: &[T; GROUP], lane: usize) -> [T; N] {
    // Written out because `from_fn` is not inlined, and then takes most of the time.
    let mut samples = [group[0]; N];
    for (s, sample) in samples.iter_mut().enumerate() {
        *sample = group[(lane + s * (GROUP / N)) % GROUP];
    }
    samples
}

/// The alpha test of a masked surface, at each sample, so that its outline is as smooth as an edge.
struct Mask<'a> {
    brush: Brush<'a>,
    cutoff: f32,
}

impl<'a> Mask<'a> {
    /// `None` if the surface of triangle `id` is not masked.
    fn new(id: u32, shader: &'a Shader<'a>) -> Option<Self> {
        match shader.scene.surface(id).alpha {
            AlphaMode::Mask(cutoff) => Some(Self {
                brush: shader.brush(id),
                cutoff,
            }),
            AlphaMode::Opaque | AlphaMode::Blend => None,
        }
    }

    /// The covered samples whose alpha passes the test.
    fn keep<const N: usize>(&self, covered: u8, samples: &[GridPoint; N]) -> u8 {
        let stays = |s: &usize| self.brush.alpha(samples[*s].into()) >= self.cutoff;
        let covered = (0..N).filter(|s| covered & (1 << s) != 0);
        covered.filter(stays).fold(0, |mask, s| mask | (1 << s))
    }
}

/// Remembers the order of the triangle and the last one of the same depth. Of coplanar triangles, most ties of many
/// samples are with the same one.
#[derive(Debug, Default)]
struct Tie {
    /// The other triangle, and whether it is hidden.
    last: Option<(u32, bool)>,
}

impl Tie {
    /// Whether the triangle is in front of `other`.
    ///
    /// * `order` – compares with `other`; called only if that is not the last one.
    fn hides(&mut self, other: u32, order: impl FnOnce() -> Ordering) -> bool {
        match self.last {
            Some((last, hidden)) if last == other => hidden,
            _ => {
                let hidden = order().is_lt();
                self.last = Some((other, hidden));
                hidden
            }
        }
    }
}

/// The samples `pattern` of a pixel, on the screen.
#[inline]
pub(super) fn samples<const N: usize>(
    pattern: &[GridPoint; N],
    column: i32,
    row: i32,
) -> [GridPoint; N] {
    let mut samples = *pattern;
    for sample in &mut samples {
        sample.x += column * SUBPIXEL;
        sample.y += row * SUBPIXEL;
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_with_the_same_triangle_is_broken_once() {
        let asked = std::cell::RefCell::new(Vec::new());
        let mut tie = Tie::default();
        let mut hides = |other: u32, order| {
            tie.hides(other, || {
                asked.borrow_mut().push(other);
                order
            })
        };
        for (other, order) in [(7, Ordering::Less), (3, Ordering::Greater)] {
            for _ in 0..100 {
                assert_eq!(hides(other, order), order.is_lt());
            }
        }
        assert_eq!(*asked.borrow(), [7, 3]);
    }
}
