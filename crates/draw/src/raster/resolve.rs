//! From the samples of a pixel to its bytes, and translucent surfaces, mixed from back to front at every sample.

use fearless_simd::Level;
use glam::{Vec3, Vec4};

use super::batch::{Channels, WIDTH};
use super::coverage::{GridPoint, PixelBounds};
use super::interpolate::Means;
use super::kernel::{DepthRow, Walker};
use super::scene::Translucent;
use super::shade::{self, Brush, Shader};
use super::visibility::{Cover, Visibility};
use crate::look::srgb::{self, Tables};
use crate::view::Background;

/// Averages samples in linear light and writes sRGB.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resolver {
    tables: &'static Tables,
    background: Vec4,
    empty: [u8; 4],
}

impl Resolver {
    /// * `background` – what is behind everything.
    pub(super) fn new(background: Background) -> Self {
        let tables = srgb::tables();
        let (background, empty) = match background {
            Background::Color([r, g, b]) => {
                let light = [r, g, b].map(|channel| tables.decode(channel));
                (Vec3::from(light).extend(1.0), [r, g, b, 255])
            }
            Background::Transparent => (Vec4::ZERO, [0; 4]),
        };
        Self {
            tables,
            background,
            empty,
        }
    }

    /// The background: linear, premultiplied.
    pub(super) fn background(&self) -> Vec4 {
        self.background
    }

    /// Makes all of `rgba` background.
    pub(super) fn fill(&self, rgba: &mut [u8]) {
        for pixel in rgba.chunks_exact_mut(4) {
            pixel.copy_from_slice(&self.empty);
        }
    }

    /// The bytes (sRGB) of pixels that show one opaque colour each: linear.
    pub(super) fn pixels(&self, level: Option<Level>, colors: &Channels) -> [[u8; 4]; WIDTH] {
        if let Some(level) = level {
            return shade::bytes(level, self.tables, colors);
        }
        let [red, green, blue] = colors;
        // The mean of equal samples is their colour.
        let pixel = |k: usize| self.tables.pixel(Vec4::new(red[k], green[k], blue[k], 1.0));
        std::array::from_fn(pixel)
    }

    /// As [`resolve`](Self::resolve), of up to [`WIDTH`] pixels.
    pub(super) fn resolve_all<const N: usize>(
        &self,
        level: Option<Level>,
        pixels: &[[Vec4; N]],
    ) -> [[u8; 4]; WIDTH] {
        // Over an opaque background every mean has alpha 1, so three channels suffice.
        let is_opaque = self.empty[3] == u8::MAX;
        if !is_opaque {
            let mut bytes = [[0; 4]; WIDTH];
            for (bytes, colors) in bytes.iter_mut().zip(pixels) {
                *bytes = self.resolve(colors);
            }
            return bytes;
        }
        let mut channels = Channels::default();
        for (k, colors) in pixels.iter().enumerate().take(WIDTH) {
            let [red, green, blue, _] = mean(colors).to_array();
            (channels[0][k], channels[1][k], channels[2][k]) = (red, green, blue);
        }
        self.pixels(level, &channels)
    }

    /// The bytes (sRGB, straight alpha) of a pixel whose samples are `colors`: linear, premultiplied.
    pub(super) fn resolve<const N: usize>(&self, colors: &[Vec4; N]) -> [u8; 4] {
        self.tables.pixel(mean(colors))
    }
}

/// The mean, summed in pairs, so that the mean of equal values is exactly that value.
fn mean<const N: usize>(colors: &[Vec4; N]) -> Vec4 {
    match colors.as_slice() {
        [a, b, c, d] => ((*a + *b) + (*c + *d)) / 4.0,
        _ => colors[0],
    }
}

/// How many layers of a sample are mixed first. Thirty of alpha 0.5 hide everything behind them.
const FEW_LAYERS: usize = 32;

/// The most layers that a sample mixes. Anything behind them counts as the opaque surface behind all layers.
const MOST_LAYERS: usize = 1024;

/// A translucent triangle in one tile.
#[derive(Debug)]
struct Candidate<'a, const N: usize> {
    copies: u32,
    bounds: PixelBounds,
    walker: Walker<'a, N>,
    brush: Brush<'a>,
}

/// A translucent triangle at one pixel.
#[derive(Debug)]
struct Fragment<const N: usize> {
    candidate: usize,
    cover: Cover<N>,
    /// Linear, straight alpha; computed when the fragment is first mixed.
    color: Option<Vec4>,
}

/// Mixes the translucent triangles of one tile.
#[derive(Debug)]
pub(super) struct Blender<'a, const N: usize> {
    resolver: Resolver,
    /// In the order of [`Scene::translucent`](super::scene::Scene::translucent), like all lists below.
    candidates: Vec<Candidate<'a, N>>,
    means: Means,
    /// The column of the current pixel.
    column: i32,
    row: i32,
    /// The indices of candidates that touch the row, and their depth along it.
    in_row: Vec<(usize, DepthRow<N>)>,
    fragments: Vec<Fragment<N>>,
    /// The fragments of one sample, as keys of [`nearness`].
    order: Vec<u64>,
}

impl<'a, const N: usize> Blender<'a, N> {
    /// * `translucent` – the translucent triangles of the tile, in the order of the scene.
    pub(super) fn new(
        shader: &'a Shader<'a>,
        resolver: Resolver,
        pattern: &'a [GridPoint; N],
        translucent: impl Iterator<Item = &'a Translucent>,
    ) -> Self {
        let candidate = |triangle: &Translucent| Candidate {
            copies: triangle.copies,
            bounds: *shader.scene.bounds(triangle.id),
            walker: Walker::new(&shader.scene.corners(triangle.id), pattern),
            brush: shader.brush(triangle.id),
        };
        Self {
            resolver,
            candidates: translucent.map(candidate).collect(),
            means: Means::new(pattern),
            column: 0,
            row: 0,
            in_row: Vec::new(),
            fragments: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Prepares for the pixels of `row`.
    pub(super) fn turn_to(&mut self, row: i32) {
        // Depth planes are evaluated along the row once, for all its pixels.
        let candidates = self.candidates.iter().enumerate();
        let in_row = candidates
            .filter(|(_, candidate)| {
                candidate.bounds.min[1] <= row && row <= candidate.bounds.max[1]
            })
            .map(|(index, candidate)| (index, candidate.walker.depths_along(row)));
        self.row = row;
        self.in_row.clear();
        self.in_row.extend(in_row);
    }

    /// Mixes the fragments of the pixel in `column` of the row into `colors` (linear, premultiplied; one per sample).
    ///
    /// Returns the depth of the nearest fragment; infinite if there is none.
    pub(super) fn blend(
        &mut self,
        column: i32,
        solid: &Visibility<'_, N>,
        colors: &mut [Vec4; N],
    ) -> f32 {
        self.fragments.clear();
        if self.in_row.is_empty() {
            return f32::INFINITY;
        }
        self.column = column;
        self.collect(column, solid);
        if self.fragments.is_empty() {
            return f32::INFINITY;
        }
        let mut most = FEW_LAYERS;
        while most < MOST_LAYERS && self.fragments.len() > most {
            if let Some(mixed) = self.mix_if_sure(most, colors) {
                *colors = mixed;
                return self.front();
            }
            // Layers farther back still matter: try again with more.
            most *= 4;
        }
        *colors = std::array::from_fn(|s| {
            self.sort(s, MOST_LAYERS);
            self.mix(s, colors[s])
        });
        self.front()
    }

    fn collect(&mut self, column: i32, solid: &Visibility<'_, N>) {
        let behind = solid.depth(column, self.row);
        for (index, depths) in &self.in_row {
            let candidate = &self.candidates[*index];
            if column < candidate.bounds.min[0] || candidate.bounds.max[0] < column {
                continue;
            }
            let mut cover = Cover {
                mask: candidate.walker.mask_at(column, self.row),
                depth: depths.at(column),
            };
            // An opaque surface at the same depth hides it.
            cover.mask &= cover.nearer_than(&behind);
            if cover.mask != 0 {
                self.fragments.push(Fragment {
                    candidate: *index,
                    cover,
                    color: None,
                });
            }
        }
    }

    /// Mixes the `most` nearest layers into each sample. Returns `None` if what is behind them could change a byte.
    ///
    /// A layer maps the colour `x` behind it to `color * alpha + x * (1 - alpha)`, which never decreases with `x`, in
    /// rounded arithmetic too. So the result for any background lies between the results for black and for white. If
    /// these two give the same bytes, every background gives them.
    fn mix_if_sure(&mut self, most: usize, colors: &[Vec4; N]) -> Option<[Vec4; N]> {
        let (mut least, mut largest) = (*colors, *colors);
        for s in 0..N {
            let is_whole = self.sort(s, most);
            let behind = |extreme: Vec4| if is_whole { colors[s] } else { extreme };
            least[s] = self.mix(s, behind(Vec4::ZERO));
            largest[s] = self.mix(s, behind(Vec4::ONE));
        }
        // A byte is a function of colour over alpha. It grows with the colour and falls with alpha, so the extremes are
        // among the four combinations of the least and largest of each.
        let with_alpha_of = |colors: &[Vec4; N], alphas: &[Vec4; N]| -> [Vec4; N] {
            std::array::from_fn(|s| colors[s].truncate().extend(alphas[s].w))
        };
        let bytes = |colors: &[Vec4; N]| self.resolver.resolve(colors);
        let expected = bytes(&least);
        let extremes = [
            largest,
            with_alpha_of(&least, &largest),
            with_alpha_of(&largest, &least),
        ];
        let is_sure = extremes.iter().all(|colors| bytes(colors) == expected);
        is_sure.then_some(least)
    }

    /// Puts the `most` nearest fragments of sample `s` into `order`, farthest last. Returns whether these are all.
    fn sort(&mut self, s: usize, most: usize) -> bool {
        let fragments = self.fragments.iter().enumerate();
        let here = fragments.filter(|(_, fragment)| fragment.cover.mask & (1 << s) != 0);
        self.order.clear();
        self.order
            .extend(here.map(|(index, fragment)| nearness(fragment.cover.depth[s], index)));
        let is_whole = self.order.len() <= most;
        if !is_whole {
            // Selecting the nearest takes linear time; only they are sorted.
            self.order.select_nth_unstable(most);
            self.order.truncate(most);
        }
        self.order.sort_unstable();
        is_whole
    }

    /// Mixes the sorted fragments over `behind`.
    fn mix(&mut self, s: usize, behind: Vec4) -> Vec4 {
        let mut color = behind;
        for key in self.order.iter().rev() {
            let fragment = &mut self.fragments[index_of(*key)];
            debug_assert!(fragment.cover.mask & (1 << s) != 0, "it was sorted for s");
            let candidate = &self.candidates[fragment.candidate];
            let own = *fragment.color.get_or_insert_with(|| {
                let mask = fragment.cover.mask;
                let position = self.means.at(self.column, self.row, mask);
                candidate.brush.color(position)
            });
            color = laid_over(own, candidate.copies, color);
        }
        color
    }

    /// The least depth of all samples.
    fn front(&self) -> f32 {
        let depths = self.fragments.iter().flat_map(|fragment| {
            let covered = (0..N).filter(|s| fragment.cover.mask & (1 << s) != 0);
            covered.map(|s| fragment.cover.depth[s])
        });
        depths.fold(f32::INFINITY, f32::min)
    }
}

/// Lays `color` (straight alpha) over `behind` (premultiplied), `copies` times.
fn laid_over(color: Vec4, copies: u32, behind: Vec4) -> Vec4 {
    let alpha = color.w;
    let over = |behind: Vec4| {
        let own: Vec3 = color.truncate() * alpha;
        own.extend(alpha) + behind * (1.0 - alpha)
    };
    let mut mixed = behind;
    for _ in 0..copies {
        let next = over(mixed);
        // Fixed point: further copies change nothing.
        if next == mixed {
            break;
        }
        mixed = next;
    }
    mixed
}

/// A sort key: the nearest fragment first, and for equal depths the first in the list.
///
/// The bits of positive floats sort as integers; those of negative ones do once they are inverted.
fn nearness(depth: f32, index: usize) -> u64 {
    let bits = depth.to_bits();
    let ordered = if bits >> 31 == 0 {
        bits | 1 << 31
    } else {
        !bits
    };
    // A tile has fewer than 2^32 triangles.
    u64::from(ordered) << 32 | index as u64
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half alone")]
fn index_of(key: u64) -> usize {
    key as u32 as usize
}
