//! The class of each pixel, tile by tile.

use glam::DVec2;
use rayon::prelude::*;

use super::Area;
use super::alpha::{Brush, Presence};
use super::class::{BACKGROUND, Classes, Doubt, Pixel, PixelClass};
use super::surfaces::Surfaces;
use super::triangle::{Touch, Triangle};
use crate::rig::AlphaMode;
use crate::view::Viewport;

/// The surface that a sample shows.
#[derive(Debug, Clone, Copy)]
struct Sample {
    /// Nearest and farthest depth of the surface on any path; infinite without one.
    depth: [f64; 2],
    /// The index of the triangle.
    triangle: u32,
    is_open: bool,
}

const NOTHING: u32 = u32::MAX;

const EMPTY: Sample = Sample {
    depth: [f64::INFINITY; 2],
    triangle: NOTHING,
    is_open: false,
};

/// A translucent surface before a sample.
#[derive(Debug, Clone, Copy)]
struct Layer {
    sample: usize,
    depth: [f64; 2],
    triangle: u32,
}

/// Identifies the layers that a sample shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stack {
    /// A hash of the triangles.
    exact: u64,
    /// A hash of the instances: surfaces of a group look alike.
    group: u32,
}

impl Stack {
    const BACKGROUND: Self = Self {
        exact: 0,
        group: BACKGROUND,
    };

    /// The stack with one more triangle in front.
    fn before(self, id: u32, triangle: &Triangle) -> Self {
        let surface = u32::try_from(triangle.surface).unwrap_or(u32::MAX);
        let mixed = self.exact.wrapping_add(u64::from(id) + 1);
        Self {
            // Different for any two single triangles, and almost always for stacks of several.
            exact: mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23),
            group: match self.group {
                BACKGROUND => surface.wrapping_add(1),
                below => (below.wrapping_mul(0x9e37_79b1).rotate_left(11) ^ surface) | 1 << 31,
            },
        }
    }
}

/// Classifies the pixels of one tile; reused to keep its memory.
pub(super) struct Tile<'a, const N: usize> {
    surfaces: &'a Surfaces<'a>,
    pattern: &'a [DVec2; N],
    area: Area,
    samples: Vec<[Sample; N]>,
    layers: Vec<Layer>,
    doubts: Vec<Doubt>,
    stacks: Vec<[Stack; N]>,
}

impl<'a, const N: usize> Tile<'a, N> {
    pub(super) fn new(surfaces: &'a Surfaces<'a>, pattern: &'a [DVec2; N]) -> Self {
        Self {
            surfaces,
            pattern,
            area: Area::default(),
            samples: Vec::new(),
            layers: Vec::new(),
            doubts: Vec::new(),
            stacks: Vec::new(),
        }
    }

    /// Starts on the pixels of `area`.
    ///
    /// * `triangles` – all triangles that touch it.
    pub(super) fn look(&mut self, area: Area, triangles: &[usize]) {
        self.area = area;
        let pixels = area.len();
        self.samples.clear();
        self.samples.resize(pixels, [EMPTY; N]);
        self.doubts.clear();
        self.doubts.resize(pixels, Doubt::default());
        self.layers.clear();
        let is_blended = |id: &&usize| self.surfaces.triangles[**id].alpha == AlphaMode::Blend;
        let (translucent, solid): (Vec<usize>, Vec<usize>) = triangles.iter().partition(is_blended);
        for &id in &solid {
            // The nearest opaque surfaces must be known before others can be compared with them, hence two passes.
            self.each(id, Self::keep_nearest);
        }
        for &id in &solid {
            self.each(id, Self::doubt);
        }
        for &id in &translucent {
            // After the opaque surfaces: translucent ones behind them are hidden.
            self.each(id, Self::lay_over);
        }
        self.pile_up();
        self.veil();
    }

    /// Calls `act` for each pixel of the tile that a triangle touches, with its index and the touched samples.
    fn each(&mut self, id: usize, act: fn(&mut Self, usize, u32, DVec2, Touch)) {
        let surfaces = self.surfaces;
        let triangle = &surfaces.triangles[id];
        let brush = match surfaces.list[triangle.surface].mask {
            Some(_) => surfaces.brush(triangle),
            None => None,
        };
        let is_masked = matches!(triangle.alpha, AlphaMode::Mask(_));
        let number = u32::try_from(id).unwrap_or(NOTHING);
        let (area, pattern) = (self.area, self.pattern);
        area.each(&triangle.bounds, |index, x, y| {
            let centre = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
            let mut touch = triangle.touch(centre, pattern);
            if is_masked && touch != Touch::default() {
                touch = masked(touch, brush.as_ref(), centre);
            }
            if touch != Touch::default() {
                act(self, index, number, centre, touch);
            }
        });
    }

    /// First pass: the nearest surface that certainly covers each sample.
    fn keep_nearest(&mut self, index: usize, id: u32, centre: DVec2, touch: Touch) {
        let triangle = &self.surfaces.triangles[id as usize];
        for s in bits::<N>(touch.inside) {
            let depth = triangle.depth_at(centre + self.pattern[s]);
            let sample = &mut self.samples[index][s];
            // Surfaces are ordered by the middles of their depths. The second pass tests whether the intervals overlap.
            let middle = |depth: [f64; 2]| depth[0] + depth[1];
            if sample.triangle == NOTHING || middle(depth) < middle(sample.depth) {
                (sample.depth, sample.triangle) = (depth, id);
            }
        }
    }

    /// Second pass: opens samples at which another surface may be in front of the nearest one.
    fn doubt(&mut self, index: usize, id: u32, centre: DVec2, touch: Touch) {
        let triangle = &self.surfaces.triangles[id as usize];
        for s in bits::<N>(touch.inside | touch.open) {
            let sample = &mut self.samples[index][s];
            // The nearest surface itself is certain, but its colour is not if its normals may flip.
            if sample.triangle == id {
                sample.is_open |= triangle.rotation.is_infinite();
                self.doubts[index].include(triangle);
            } else if !sample.is_open {
                // A path may cover the sample with this triangle, at a depth in front of that one.
                let nearest = triangle.depth_at(centre + self.pattern[s])[0];
                sample.is_open = nearest <= sample.depth[1];
            }
        }
    }

    /// Third pass: collects the translucent surfaces in front of the opaque one.
    fn lay_over(&mut self, index: usize, id: u32, centre: DVec2, touch: Touch) {
        let triangle = &self.surfaces.triangles[id as usize];
        for s in bits::<N>(touch.inside | touch.open) {
            let sample = &mut self.samples[index][s];
            let depth = triangle.depth_at(centre + self.pattern[s]);
            // Hidden on every path.
            if depth[0] > sample.depth[1] {
                continue;
            }
            // Visible on every path: it covers the sample, and its farthest depth is before the surface.
            let is_sure = touch.inside & (1 << s) != 0 && depth[1] < sample.depth[0];
            sample.is_open |= !is_sure || triangle.rotation.is_infinite();
            self.doubts[index].include(triangle);
            self.layers.push(Layer {
                sample: index * N + s,
                depth,
                triangle: id,
            });
        }
    }

    /// Sorts the translucent surfaces of each sample, and records the result of each pixel.
    fn pile_up(&mut self) {
        let triangles = &self.surfaces.triangles;
        let solid = |sample: &Sample| match sample.triangle {
            NOTHING => Stack::BACKGROUND,
            id => Stack::BACKGROUND.before(id, &triangles[id as usize]),
        };
        let pixels = self.samples.iter();
        self.stacks.clear();
        self.stacks
            .extend(pixels.map(|samples| std::array::from_fn(|s| solid(&samples[s]))));
        let middle = |layer: &Layer| layer.depth[0] + layer.depth[1];
        // By sample, from back to front, as stacks grow. The triangle's index breaks ties, so that the order does not depend on
        // the order of threads.
        let by_depth = |a: &Layer, b: &Layer| {
            let farther_first = middle(b).total_cmp(&middle(a));
            a.sample
                .cmp(&b.sample)
                .then(farther_first)
                .then(a.triangle.cmp(&b.triangle))
        };
        self.layers.sort_unstable_by(by_depth);
        for (k, layer) in self.layers.iter().enumerate() {
            let (index, s) = (layer.sample / N, layer.sample % N);
            let stack = &mut self.stacks[index][s];
            *stack = stack.before(layer.triangle, &triangles[layer.triangle as usize]);
            let near = self
                .layers
                .get(k + 1)
                .filter(|next| next.sample == layer.sample);
            // Two layers whose depths overlap may be blended in either order. Testing neighbours suffices: if this layer overlaps
            // one farther along but not the next, the next overlaps that one, because its middle is between theirs.
            if near.is_some_and(|next| next.depth[1] >= layer.depth[0]) {
                self.samples[index][s].is_open = true;
            }
        }
    }

    /// Marks pixels that clipped triangles may cover as open.
    fn veil(&mut self) {
        for veil in &self.surfaces.veils {
            let samples = &mut self.samples;
            self.area
                .each(veil, |index, _, _| samples[index][0].is_open = true);
        }
    }

    /// The classification of a pixel of the tile.
    pub(super) fn pixel(&self, index: usize) -> Pixel {
        let stacks = &self.stacks[index];
        let is_open = self.samples[index].iter().any(|sample| sample.is_open);
        let all = |stack: Stack| stacks.iter().all(|other| *other == stack);
        let class = if is_open {
            PixelClass::Open
        } else if all(Stack::BACKGROUND) {
            PixelClass::Empty
        } else if all(stacks[0]) {
            PixelClass::Whole
        } else {
            PixelClass::Mixed
        };
        Pixel {
            class,
            groups: std::array::from_fn(|s| stacks[s % N].group),
            doubt: self.doubts[index],
        }
    }
}

fn masked(touch: Touch, brush: Option<&Brush<'_>>, centre: DVec2) -> Touch {
    match brush.map_or(Presence::Open, |brush| brush.presence(centre)) {
        Presence::Sure => touch,
        Presence::None => Touch::default(),
        Presence::Open => Touch {
            inside: 0,
            open: touch.inside | touch.open,
        },
    }
}

fn bits<const N: usize>(mask: u8) -> impl Iterator<Item = usize> {
    (0..N).filter(move |s| mask & (1 << s) != 0)
}

/// Width and height of a tile in pixels.
const TILE: usize = 64;

/// Classifies every pixel.
pub(super) fn classify<const N: usize>(
    surfaces: &Surfaces<'_>,
    viewport: Viewport,
    pattern: &[DVec2; N],
) -> Classes {
    let width = viewport.width as usize;
    let mut pixels = vec![Pixel::default(); width * viewport.height as usize];
    if pixels.is_empty() {
        return Classes { width, pixels };
    }
    let rows = pixels.par_chunks_mut(TILE * width).enumerate();
    rows.for_each(|(index, pixels)| look_at_row(surfaces, pattern, index * TILE, width, pixels));
    Classes { width, pixels }
}

/// Classifies the tiles from row `top` of the image on.
fn look_at_row<const N: usize>(
    surfaces: &Surfaces<'_>,
    pattern: &[DVec2; N],
    top: usize,
    width: usize,
    pixels: &mut [Pixel],
) {
    let mut tile = Tile::new(surfaces, pattern);
    let bottom = top + pixels.len() / width;
    let all = 0..surfaces.triangles.len();
    // Triangles are first filtered by row, so that each tile only tests those of its row.
    let in_row = touching(surfaces, all, Area::new(0, top, width, bottom));
    for left in (0..width).step_by(TILE) {
        let right = width.min(left + TILE);
        let area = Area::new(left, top, right, bottom);
        tile.look(area, &touching(surfaces, in_row.iter().copied(), area));
        let lines = pixels.chunks_exact_mut(width);
        let here = lines.flat_map(|line| &mut line[left..right]);
        for (index, pixel) in here.enumerate() {
            *pixel = tile.pixel(index);
        }
    }
}

fn touching(surfaces: &Surfaces<'_>, ids: impl Iterator<Item = usize>, area: Area) -> Vec<usize> {
    ids.filter(|id| area.meets(&surfaces.triangles[*id].bounds))
        .collect()
}
