//! What is seen in a tile, coloured: each triangle once a pixel, all pixels of a triangle together.
//!
//! # Reference
//!
//! C. Burns and W. Hunt, "The Visibility Buffer: A Cache-Friendly Approach to Deferred Shading", JCGT 2 (2013).

use glam::Vec4;

use super::batch::{Batch, Channels, WIDTH};
use super::coverage::GridPoint;
use super::grid::{NOTHING, TILE};
use super::interpolate::{Means, Place};
use super::kernel::Kernel;
use super::resolve::Resolver;
use super::shade::{Brush, Shader};
use super::visibility::Visibility;

/// A triangle at one pixel.
#[derive(Debug, Clone, Copy, Default)]
struct Fragment {
    /// Position in the tile's list of triangles.
    number: u32,
    /// Column and row in the tile.
    at: [u8; 2],
    /// The samples that show it.
    mask: u8,
    /// Where the pixel's samples are, if they are kept.
    slot: u16,
}

/// Colours tiles, one after the other.
#[derive(Debug)]
pub(super) struct Painter<'a, const N: usize> {
    shader: &'a Shader<'a>,
    resolver: Resolver,
    means: Means,
    fragments: Vec<Fragment>,
    /// By triangle.
    sorted: Vec<Fragment>,
    /// Where in `sorted` those of each triangle end.
    ends: Vec<u32>,
    /// Linear, premultiplied: of the pixels in `mixed`, or row by row of all.
    samples: Vec<[Vec4; N]>,
    /// Pixels that several triangles share.
    mixed: Vec<[u8; 2]>,
}

/// Where pixels of a tile go: rows of the picture.
#[derive(Debug)]
pub(super) struct Strip<'s> {
    pub(super) rgba: &'s mut [u8],
    pub(super) depth: &'s mut [f32],
    /// Of the picture, in pixels.
    pub(super) width: usize,
    /// The tile's first column.
    pub(super) left: usize,
}

impl Strip<'_> {
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
        let index = self.index(at);
        self.depth[index] = depth.clamp(0.0, 1.0);
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
        self.collect(visibility, false, |at, depth| strip.put_depth(at, depth));
        self.color_all(visibility, solid, |at, bytes| strip.put(at, bytes));
        for (&at, samples) in self.mixed.iter().zip(&self.samples) {
            strip.put(at, self.resolver.resolve(samples));
        }
    }

    /// Colours all samples of the tile, for what is translucent to be mixed in: linear, premultiplied, row by row of
    /// [`TILE`] pixels.
    pub(super) fn paint_samples(
        &mut self,
        visibility: &Visibility<'_, N>,
        solid: &[u32],
    ) -> &mut [[Vec4; N]] {
        self.collect(visibility, true, |_, _| {});
        self.color_all(visibility, solid, |_, _| {});
        &mut self.samples
    }

    /// Lists what is seen, and gives the depth of each pixel that shows something to `put_depth`.
    ///
    /// * `all` – whether the samples of all pixels are kept.
    fn collect(
        &mut self,
        visibility: &Visibility<'_, N>,
        all: bool,
        mut put_depth: impl FnMut([u8; 2], f32),
    ) {
        self.fragments.clear();
        self.mixed.clear();
        self.samples.clear();
        let background = [self.resolver.background(); N];
        if all {
            self.samples.resize(TILE * TILE, background);
        }
        visibility.each_group(all, |group| {
            let (only, nearest) = (group.only(), group.nearest());
            group.each_pixel(|at, lane| {
                let numbers = match only {
                    Some(number) => [number; N],
                    None => group.triangles(lane),
                };
                let first = numbers[0];
                let is_whole = only.is_some() || numbers == [first; N];
                let slot = if all {
                    usize::from(at[1]) * TILE + usize::from(at[0])
                } else {
                    self.mixed.len()
                };
                // There are 4096 pixels.
                let slot = u16::try_from(slot).unwrap_or_default();
                if !(is_whole && first == NOTHING) {
                    put_depth(at, nearest[lane]);
                }
                if !is_whole {
                    if !all {
                        self.mixed.push(at);
                        self.samples.push(background);
                    }
                    self.list_each(at, slot, &numbers);
                } else if first != NOTHING {
                    self.fragments.push(Fragment {
                        number: first,
                        at,
                        mask: if all { Self::ALL | SHARED } else { Self::ALL },
                        slot,
                    });
                }
            });
        });
    }

    /// Lists each of the triangles that a pixel shows.
    fn list_each(&mut self, at: [u8; 2], slot: u16, numbers: &[u32; N]) {
        for (s, &number) in numbers.iter().enumerate() {
            if number == NOTHING || numbers[..s].contains(&number) {
                continue;
            }
            let own = (s..N).filter(|k| numbers[*k] == number);
            let mask = own.fold(SHARED, |mask, k| mask | 1 << k);
            self.fragments.push(Fragment {
                number,
                at,
                mask,
                slot,
            });
        }
    }

    /// Colours everything that was listed. Pixels that one triangle has to itself go to `put`, others to the samples.
    fn color_all(
        &mut self,
        visibility: &Visibility<'_, N>,
        solid: &[u32],
        mut put: impl FnMut([u8; 2], [u8; 4]),
    ) {
        self.sort(solid.len());
        let [left, top] = visibility.area().min;
        let place = |fragment: &Fragment| {
            let (x, y) = (i32::from(fragment.at[0]), i32::from(fragment.at[1]));
            self.means.at(left + x, top + y, fragment.mask & Self::ALL)
        };
        let body = |fragment: &Fragment| self.shader.scene.body_of(solid[fragment.number as usize]);
        let same_surface = |a: &Fragment, b: &Fragment| a.number == b.number || body(a) == body(b);
        let mut of_fragments = FragmentColors::new(self.shader, solid);
        let runs = self.sorted.chunk_by(same_surface);
        for fragments in runs.flat_map(|run| run.chunks(WIDTH)) {
            let colors = of_fragments.colors(fragments, place);
            let [red, green, blue] = &colors;
            let is_own = |fragment: &Fragment| fragment.mask & SHARED == 0;
            let bytes = if fragments.iter().any(is_own) {
                self.resolver.pixels(self.shader.kernel, &colors)
            } else {
                [[0; 4]; WIDTH]
            };
            for (k, fragment) in fragments.iter().enumerate() {
                if is_own(fragment) {
                    put(fragment.at, bytes[k]);
                    continue;
                }
                let color = Vec4::new(red[k], green[k], blue[k], 1.0);
                let samples = &mut self.samples[usize::from(fragment.slot)];
                for (s, sample) in samples.iter_mut().enumerate() {
                    if fragment.mask & (1 << s) != 0 {
                        *sample = color;
                    }
                }
            }
        }
    }

    /// Sorts what was listed by triangle, by counting.
    fn sort(&mut self, triangles: usize) {
        self.ends.clear();
        self.ends.resize(triangles, 0);
        for fragment in &self.fragments {
            self.ends[fragment.number as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut self.ends {
            (*end, sum) = (sum, sum + *end);
        }
        self.sorted.clear();
        self.sorted
            .resize(self.fragments.len(), Fragment::default());
        // Where those of a triangle begin moves on to where they end.
        for fragment in &self.fragments {
            let place = &mut self.ends[fragment.number as usize];
            self.sorted[*place as usize] = *fragment;
            *place += 1;
        }
    }
}

/// A bit of a mask beyond all samples: of a pixel whose samples are kept.
const SHARED: u8 = 1 << 7;

/// Finds the colours of fragments, surface by surface.
struct FragmentColors<'a, 's> {
    shader: &'a Shader<'a>,
    solid: &'s [u32],
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    batch: Batch,
    /// The triangle that was last coloured one place at a time.
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
    fn colors(&mut self, fragments: &[Fragment], place: impl Fn(&Fragment) -> Place) -> Channels {
        #[cfg(target_arch = "x86_64")]
        if self.shader.kernel == Kernel::Avx2
            && let Some(colors) = self.colors_at_once(fragments, &place)
        {
            return colors;
        }
        let mut channels = Channels::default();
        for (k, fragment) in fragments.iter().enumerate() {
            let color = self.brush(fragment.number).color(place(fragment));
            for (lanes, value) in channels.iter_mut().zip(color.to_array()) {
                lanes[k] = value;
            }
        }
        channels
    }

    #[cfg(target_arch = "x86_64")]
    fn colors_at_once(
        &mut self,
        fragments: &[Fragment],
        place: impl Fn(&Fragment) -> Place,
    ) -> Option<Channels> {
        let (scene, batch) = (self.shader.scene, &mut self.batch);
        batch.restart();
        for fragment in fragments {
            let id = self.solid[fragment.number as usize];
            if batch.last() != Some(id) {
                batch.begin(id, &scene.triangle(id));
            }
            batch.add(place(fragment));
        }
        batch.fill();
        let texture = scene.surface(batch.last()?).texture;
        self.shader.colors(texture.as_ref(), batch)
    }

    fn brush(&mut self, number: u32) -> &Brush<'a> {
        let id = self.solid[number as usize];
        if self.brush.as_ref().is_none_or(|(last, _)| *last != id) {
            self.brush = None;
        }
        &self
            .brush
            .get_or_insert_with(|| (id, self.shader.brush(id)))
            .1
    }
}
