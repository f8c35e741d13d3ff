//! Colours the visible surfaces of a tile: each triangle once per pixel, all pixels of a triangle together.
//!
//! # Reference
//!
//! C. Burns and W. Hunt, "The Visibility Buffer: A Cache-Friendly Approach to Deferred Shading", JCGT 2 (2013).

use fearless_simd::Level;
use glam::Vec4;

use super::batch::{Batch, Channels, WIDTH};
use super::coverage::{GridPoint, NOTHING, TILE};
use super::interpolate::{Means, ScreenPosition};
use super::resolve::Resolver;
use super::shade::{Brush, Shader};
use super::visibility::{Group, Visibility};

/// A triangle at one pixel, packed so that sorting moves few bytes. From the lowest bit: column and row in the tile (6
/// bits each), the samples that show the triangle (4), whether it shares the pixel (1), the slot of the pixel's samples
/// (12), and from bit 32 the triangle's index in the tile's list.
#[derive(Debug, Clone, Copy, Default)]
struct Fragment(u64);

impl Fragment {
    /// * `mask` – the samples, and [`SHARED`] if the pixel's samples are kept.
    /// * `slot` – less than the number of pixels in a tile.
    #[inline]
    fn new(number: u32, [x, y]: [u8; 2], mask: u8, slot: usize) -> Self {
        let at = u64::from(x) | u64::from(y) << 6;
        Self(at | u64::from(mask) << 12 | (slot as u64) << 17 | u64::from(number) << 32)
    }

    #[inline]
    fn at(self) -> [u8; 2] {
        [self.bits(0, 63), self.bits(6, 63)]
    }

    /// The samples that show the triangle.
    #[inline]
    fn mask(self) -> u8 {
        self.bits(12, 15)
    }

    #[inline]
    fn is_shared(self) -> bool {
        self.bits(12, SHARED) != 0
    }

    #[inline]
    fn slot(self) -> usize {
        (self.0 >> 17) as usize % (TILE * TILE)
    }

    #[inline]
    fn number(self) -> usize {
        (self.0 >> 32) as usize
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "eight bits at the most")]
    fn bits(self, from: u32, mask: u8) -> u8 {
        (self.0 >> from) as u8 & mask
    }
}

/// A bit of a mask beyond all samples, set if the samples of the pixel are kept.
const SHARED: u8 = 1 << 4;

/// Colours tiles, one after the other.
#[derive(Debug)]
pub(super) struct Painter<'a, const N: usize> {
    shader: &'a Shader<'a>,
    resolver: Resolver,
    means: Means,
    fragments: Vec<Fragment>,
    /// Sorted by triangle.
    sorted: Vec<Fragment>,
    /// Where each triangle's fragments end in `sorted`.
    ends: Vec<u32>,
    /// Linear, premultiplied; one entry per pixel of `mixed`, or per pixel of the tile, row by row.
    samples: Vec<[Vec4; N]>,
    /// Pixels that several triangles share.
    mixed: Vec<[u8; 2]>,
}

/// The rows of the image that a tile is written to.
#[derive(Debug)]
pub(super) struct Strip<'s> {
    pub(super) rgba: &'s mut [u8],
    pub(super) depth: &'s mut [f32],
    /// The width of the image, in pixels.
    pub(super) width: usize,
    /// The tile's first column.
    pub(super) left: usize,
}

impl Strip<'_> {
    #[inline]
    fn index(&self, [x, y]: [u8; 2]) -> usize {
        usize::from(y) * self.width + self.left + usize::from(x)
    }

    /// Writes the bytes of a pixel of the tile.
    pub(super) fn put(&mut self, at: [u8; 2], bytes: [u8; 4]) {
        let index = 4 * self.index(at);
        self.rgba[index..index + 4].copy_from_slice(&bytes);
    }

    /// Writes the depth of a pixel of the tile.
    pub(super) fn put_depth(&mut self, at: [u8; 2], depth: f32) {
        self.put_depths(at, &[depth]);
    }

    /// Writes the depths of neighbouring pixels of the tile, from left to right.
    #[inline]
    fn put_depths(&mut self, at: [u8; 2], depths: &[f32]) {
        let index = self.index(at);
        for (to, depth) in self.depth[index..index + depths.len()]
            .iter_mut()
            .zip(depths)
        {
            *to = depth.clamp(0.0, 1.0);
        }
    }
}

impl<'a, const N: usize> Painter<'a, N> {
    const ALL: u8 = u8::MAX >> (8 - N);

    /// * `pattern` – the samples of a pixel.
    pub(super) fn new(
        shader: &'a Shader<'a>,
        resolver: Resolver,
        pattern: &[GridPoint; N],
    ) -> Self {
        Self {
            shader,
            resolver,
            means: Means::new(pattern),
            fragments: Vec::new(),
            sorted: Vec::new(),
            ends: Vec::new(),
            samples: Vec::new(),
            mixed: Vec::new(),
        }
    }

    /// Writes colours and depths of the opaque triangles `solid`, which `visibility` shows.
    pub(super) fn paint(
        &mut self,
        visibility: &Visibility<'_, N>,
        solid: &[u32],
        strip: &mut Strip<'_>,
    ) {
        self.collect(visibility, false, |at, depths| strip.put_depths(at, depths));
        self.color_all(visibility, solid, |at, bytes| strip.put(at, bytes));
        let mixed = self.mixed.chunks(WIDTH).zip(self.samples.chunks(WIDTH));
        for (pixels, samples) in mixed {
            let bytes = self.resolver.resolve_all(self.shader.level, samples);
            for (at, bytes) in pixels.iter().zip(bytes) {
                strip.put(*at, bytes);
            }
        }
    }

    /// Colours all samples of the tile, so that translucent surfaces can be mixed in. Returns linear, premultiplied
    /// colours, row by row of [`TILE`] pixels.
    pub(super) fn paint_samples(
        &mut self,
        visibility: &Visibility<'_, N>,
        solid: &[u32],
    ) -> &mut [[Vec4; N]] {
        self.collect(visibility, true, |_, _| {});
        self.color_all(visibility, solid, |_, _| {});
        &mut self.samples
    }

    /// Lists the visible fragments, and gives the depths of pixels that show something to `put_depths`.
    ///
    /// * `all` – whether the samples of all pixels are kept.
    fn collect(
        &mut self,
        visibility: &Visibility<'_, N>,
        all: bool,
        mut put_depths: impl FnMut([u8; 2], &[f32]),
    ) {
        self.fragments.clear();
        self.mixed.clear();
        self.samples.clear();
        let background = [self.resolver.background(); N];
        if all {
            self.samples.resize(TILE * TILE, background);
        }
        let whole_mask = if all { Self::ALL | SHARED } else { Self::ALL };
        visibility.each_group(all, |group| {
            let (only, nearest) = (group.only(), group.nearest());
            // Most groups show one triangle.
            if !all && let (Some(number), Some([x, y])) = (only, group.whole()) {
                let side = Group::<N>::SIDE;
                for (row, depths) in (y..).zip(nearest[..side * side].chunks_exact(side)) {
                    put_depths([x, row], depths);
                    let fragment = |column| Fragment::new(number, [column, row], whole_mask, 0);
                    self.fragments.extend((x..).take(side).map(fragment));
                }
                return;
            }
            group.each_pixel(|at, lane| {
                let numbers = match only {
                    Some(number) => [number; N],
                    None => group.triangles(lane),
                };
                let first = numbers[0];
                let is_whole = only.is_some() || numbers == [first; N];
                if !(is_whole && first == NOTHING) {
                    put_depths(at, &nearest[lane..=lane]);
                }
                let slot = if all {
                    usize::from(at[1]) * TILE + usize::from(at[0])
                } else {
                    self.mixed.len()
                };
                if !is_whole {
                    if !all {
                        self.mixed.push(at);
                        self.samples.push(background);
                    }
                    self.list_each(at, slot, &numbers);
                } else if first != NOTHING {
                    let fragment = Fragment::new(first, at, whole_mask, slot);
                    self.fragments.push(fragment);
                }
            });
        });
    }

    /// Lists a fragment for each triangle that a pixel shows.
    #[inline]
    fn list_each(&mut self, at: [u8; 2], slot: usize, numbers: &[u32; N]) {
        let mut left = Self::ALL;
        while left != 0 {
            // Takes the first remaining sample, and all others that show the same triangle.
            let number = numbers[left.trailing_zeros() as usize % N];
            let mut mask = 0;
            for (s, other) in numbers.iter().enumerate() {
                mask |= u8::from(*other == number) << s;
            }
            left &= !mask;
            if number != NOTHING {
                let fragment = Fragment::new(number, at, mask | SHARED, slot);
                self.fragments.push(fragment);
            }
        }
    }

    /// Colours all fragments. Pixels that show one triangle go to `put`, others to their samples.
    fn color_all(
        &mut self,
        visibility: &Visibility<'_, N>,
        solid: &[u32],
        mut put: impl FnMut([u8; 2], [u8; 4]),
    ) {
        self.sort(solid.len());
        let [left, top] = visibility.area().min;
        let position = |fragment: Fragment| {
            let [x, y] = fragment.at().map(i32::from);
            self.means.at(left + x, top + y, fragment.mask())
        };
        let body = |fragment: &Fragment| self.shader.scene.body_of(solid[fragment.number()]);
        let mut of_fragments = FragmentColors::new(self.shader, solid);
        let mut left_over = &*self.sorted;
        while let [first, ..] = left_over {
            // Triangles are sorted by body, so only the end of a batch may be on another surface.
            let batch = &left_over[..left_over.len().min(WIDTH)];
            let own = body(first);
            let is_one = batch.last().is_some_and(|last| body(last) == own);
            let count = if is_one {
                batch.len()
            } else {
                batch.partition_point(|fragment| body(fragment) == own)
            };
            let (fragments, others) = left_over.split_at(count);
            left_over = others;
            let colors = of_fragments.colors(fragments, position);
            let [red, green, blue] = &colors;
            if !fragments.iter().all(|fragment| fragment.is_shared()) {
                let bytes = self.resolver.pixels(self.shader.level, &colors);
                for (fragment, bytes) in fragments.iter().zip(bytes) {
                    if !fragment.is_shared() {
                        put(fragment.at(), bytes);
                    }
                }
            }
            for (k, fragment) in fragments.iter().enumerate() {
                if !fragment.is_shared() {
                    continue;
                }
                let color = Vec4::new(red[k], green[k], blue[k], 1.0);
                let (mask, samples) = (fragment.mask(), &mut self.samples[fragment.slot()]);
                for (s, sample) in samples.iter_mut().enumerate() {
                    if mask & (1 << s) != 0 {
                        *sample = color;
                    }
                }
            }
        }
    }

    /// Sorts the fragments by triangle, with a counting sort.
    fn sort(&mut self, triangles: usize) {
        self.ends.clear();
        self.ends.resize(triangles, 0);
        for fragment in &self.fragments {
            self.ends[fragment.number()] += 1;
        }
        let mut sum = 0;
        for end in &mut self.ends {
            (*end, sum) = (sum, sum + *end);
        }
        // Fragments of an earlier tile are overwritten.
        self.sorted
            .resize(self.fragments.len(), Fragment::default());
        // Each triangle's entry starts at its first fragment and ends up behind its last.
        for fragment in &self.fragments {
            let end = &mut self.ends[fragment.number()];
            self.sorted[*end as usize] = *fragment;
            *end += 1;
        }
    }
}

/// Finds the colours of fragments, surface by surface.
struct FragmentColors<'a, 's> {
    shader: &'a Shader<'a>,
    solid: &'s [u32],
    batch: Batch,
    /// The triangle that was last coloured one position at a time.
    brush: Option<(u32, Brush<'a>)>,
}

impl<'a, 's> FragmentColors<'a, 's> {
    fn new(shader: &'a Shader<'a>, solid: &'s [u32]) -> Self {
        Self {
            shader,
            solid,
            batch: Batch::new(),
            brush: None,
        }
    }

    /// The linear colours of up to eight fragments of one surface.
    #[inline]
    fn colors(
        &mut self,
        fragments: &[Fragment],
        position: impl Fn(Fragment) -> ScreenPosition,
    ) -> Channels {
        if let Some(level) = self.shader.level
            && let Some(colors) = self.colors_at_once(level, fragments, &position)
        {
            return colors;
        }
        let mut channels = Channels::default();
        for (k, fragment) in fragments.iter().enumerate() {
            let color = self.brush(fragment.number()).color(position(*fragment));
            for (lanes, value) in channels.iter_mut().zip(color.to_array()) {
                lanes[k] = value;
            }
        }
        channels
    }

    #[inline]
    fn colors_at_once(
        &mut self,
        level: Level,
        fragments: &[Fragment],
        position: impl Fn(Fragment) -> ScreenPosition,
    ) -> Option<Channels> {
        let (scene, batch) = (self.shader.scene, &mut self.batch);
        batch.restart();
        let (first, last) = (fragments.first()?, fragments.last()?);
        if first.number() == last.number() && fragments.len() == WIDTH {
            let id = self.solid[first.number()];
            batch.add_all(id, |k| position(fragments[k]), || scene.triangle(id));
        } else {
            for fragment in fragments {
                let id = self.solid[fragment.number()];
                batch.add(id, position(*fragment), || scene.triangle(id));
            }
            batch.fill();
        }
        let surface = scene.surface(batch.last()?);
        self.shader.colors(level, surface, batch)
    }

    fn brush(&mut self, number: usize) -> &Brush<'a> {
        let id = self.solid[number];
        if self.brush.as_ref().is_none_or(|(last, _)| *last != id) {
            self.brush = None;
        }
        &self
            .brush
            .get_or_insert_with(|| (id, self.shader.brush(id)))
            .1
    }
}
