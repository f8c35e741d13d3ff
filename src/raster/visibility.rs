//! The nearest triangle at every sample of a tile.

use std::cmp::Ordering;

use super::coverage::{Edges, GridPoint, SUBPIXEL};
use super::depth::{DepthPlane, DepthRow};
use super::scene::{PixelBounds, Triangle};
use super::shade::{Brush, Shader};
use crate::rig::AlphaMode;

/// In place of a triangle where there is none.
pub(super) const NOTHING: u32 = u32::MAX;

/// Depth and triangle of each sample of the pixels in `area`, row by row.
#[derive(Debug)]
pub(super) struct Visibility<'a, const N: usize> {
    pattern: &'a [GridPoint; N],
    area: PixelBounds,
    depth: Vec<[f32; N]>,
    triangle: Vec<[u32; N]>,
}

/// What a triangle covers of one pixel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cover<const N: usize> {
    /// Bit `s` for sample `s`.
    pub(super) mask: u8,
    /// Where the mask has a bit.
    pub(super) depth: [f32; N],
}

impl<const N: usize> Cover<N> {
    /// The samples, covered or not, at which this is nearer than `depths`.
    pub(super) fn nearer_than(&self, depths: &[f32; N]) -> u8 {
        let nearer = |s: &usize| self.depth[*s] < depths[*s];
        (0..N).filter(nearer).fold(0, |mask, s| mask | (1 << s))
    }
}

impl<'a, const N: usize> Visibility<'a, N> {
    /// * `pattern` – the samples of a pixel.
    pub(super) fn new(pattern: &'a [GridPoint; N]) -> Self {
        Self {
            pattern,
            area: PixelBounds {
                min: [0, 0],
                max: [-1, -1],
            },
            depth: Vec::new(),
            triangle: Vec::new(),
        }
    }

    /// Forgets everything and turns to the pixels of `area`.
    #[expect(clippy::cast_sign_loss, reason = "a tile is not empty")]
    pub(super) fn clear(&mut self, area: PixelBounds) {
        self.area = area;
        let size = |axis: usize| (area.max[axis] - area.min[axis] + 1) as usize;
        let pixels = size(0) * size(1);
        self.depth.clear();
        self.depth.resize(pixels, [f32::INFINITY; N]);
        self.triangle.clear();
        self.triangle.resize(pixels, [NOTHING; N]);
    }

    /// Depth of each sample of the pixel; infinite where nothing is.
    pub(super) fn depth(&self, column: i32, row: i32) -> &[f32; N] {
        &self.depth[self.index(column, row)]
    }

    /// Triangle of each sample of the pixel, or [`NOTHING`].
    pub(super) fn triangles(&self, column: i32, row: i32) -> &[u32; N] {
        &self.triangle[self.index(column, row)]
    }

    /// Whether nothing is at any sample of the pixel.
    pub(super) fn is_empty(&self, column: i32, row: i32) -> bool {
        *self.triangles(column, row) == [NOTHING; N]
    }

    /// The samples of the pixel, on the screen.
    pub(super) fn samples(&self, column: i32, row: i32) -> [GridPoint; N] {
        samples(self.pattern, column, row)
    }

    /// Draws triangle `id` where it is nearer than what is there.
    pub(super) fn draw(&mut self, id: u32, shader: &Shader<'_>) {
        let triangle = &shader.scene.triangles[id as usize];
        let bounds = shader.scene.bounds[id as usize].common(&self.area);
        let walker = Walker::new(triangle, self.pattern);
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
                let index = self.index(column, row);
                self.keep_nearest(index, id, &cover, |other| {
                    tie.hides(other, || shader.scene.tie_order(id, other))
                });
            });
        }
    }

    /// * `index` – of the pixel.
    /// * `hides` – whether the triangle is in front of another that is as deep.
    #[inline]
    #[expect(clippy::float_cmp, reason = "a tie is a tie of bits")]
    fn keep_nearest(
        &mut self,
        index: usize,
        id: u32,
        cover: &Cover<N>,
        mut hides: impl FnMut(u32) -> bool,
    ) {
        let (depths, triangles) = (&mut self.depth[index], &mut self.triangle[index]);
        for s in 0..N {
            let (old, new) = (depths[s], cover.depth[s]);
            let covered = cover.mask & (1 << s) != 0;
            if covered && (new < old || (new == old && hides(triangles[s]))) {
                depths[s] = new;
                triangles[s] = id;
            }
        }
    }

    #[inline]
    #[expect(clippy::cast_sign_loss, reason = "the pixel is in the area")]
    fn index(&self, column: i32, row: i32) -> usize {
        let (x, y) = (column - self.area.min[0], row - self.area.min[1]);
        let width = self.area.max[0] - self.area.min[0] + 1;
        y as usize * width as usize + x as usize
    }
}

/// The alpha of a masked surface, looked at sample by sample so that its outline is as smooth as an edge.
struct Mask<'a> {
    brush: Brush<'a>,
    cutoff: f32,
}

impl<'a> Mask<'a> {
    /// `None` if the surface of triangle `id` is not masked.
    fn new(id: u32, shader: &'a Shader<'a>) -> Option<Self> {
        let triangle = &shader.scene.triangles[id as usize];
        match shader.scene.surface_of(triangle).alpha {
            AlphaMode::Mask(cutoff) => Some(Self {
                brush: shader.brush(id),
                cutoff,
            }),
            AlphaMode::Opaque | AlphaMode::Blend => None,
        }
    }

    /// Those of the covered `samples` at which there is a surface.
    fn keep<const N: usize>(&self, covered: u8, samples: &[GridPoint; N]) -> u8 {
        let stays = |s: &usize| self.brush.alpha(samples[*s].into()) >= self.cutoff;
        let covered = (0..N).filter(|s| covered & (1 << s) != 0);
        covered.filter(stays).fold(0, |mask, s| mask | (1 << s))
    }
}

/// How a triangle stands to the one that it was last found as deep as: of those that lie upon each other at many samples,
/// most ties are with one and the same.
#[derive(Debug, Default)]
struct Tie {
    /// That other one, and whether it is hidden.
    last: Option<(u32, bool)>,
}

impl Tie {
    /// Whether the triangle is in front of `other`.
    ///
    /// * `order` – how it compares with that; asked for only if it is another than before.
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

/// Where the samples `pattern` of a pixel are on the screen.
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

/// Finds the pixels of one triangle.
#[derive(Debug)]
pub(super) struct Walker<'a, const N: usize> {
    pattern: &'a [GridPoint; N],
    edges: Edges<N>,
    depth: DepthPlane,
}

impl<'a, const N: usize> Walker<'a, N> {
    /// * `triangle` – clockwise and not without area.
    /// * `pattern` – the samples of a pixel.
    pub(super) fn new(triangle: &Triangle, pattern: &'a [GridPoint; N]) -> Self {
        Self {
            pattern,
            edges: Edges::new(triangle.corners.map(|corner| corner.at), pattern),
            depth: DepthPlane::new(triangle),
        }
    }

    /// Calls `visit` with column and mask for each pixel of a row that has a covered sample.
    #[inline]
    pub(super) fn walk(&self, row: i32, first: i32, last: i32, mut visit: impl FnMut(i32, u8)) {
        let mut at = self.edges.at_pixel(first, row);
        let mut column = first;
        while column <= last && self.edges.miss(&at) {
            self.edges.step_right(&mut at);
            column += 1;
        }
        while column <= last && !self.edges.miss(&at) {
            let mask = self.edges.mask(&at);
            if mask != 0 {
                visit(column, mask);
            }
            self.edges.step_right(&mut at);
            column += 1;
        }
    }

    /// The covered samples of one pixel: bit `s` for sample `s`.
    #[inline]
    pub(super) fn mask_at(&self, column: i32, row: i32) -> u8 {
        self.edges.mask(&self.edges.at_pixel(column, row))
    }

    /// Depth at the samples of the pixels in `row`, covered or not.
    #[inline]
    pub(super) fn depths_along(&self, row: i32) -> DepthRow<N> {
        self.depth.along(row, self.pattern)
    }
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
