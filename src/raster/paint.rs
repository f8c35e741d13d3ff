//! What is seen in a tile, coloured: each triangle once a pixel, all pixels of a triangle together.
//!
//! # Reference
//!
//! C. Burns and W. Hunt, "The Visibility Buffer: A Cache-Friendly Approach to Deferred Shading", JCGT 2 (2013).

use glam::Vec4;

use super::coverage::SUBPIXEL;
use super::grid::{NOTHING, PixelBounds, TILE};
use super::interpolate::{Place, mean};
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
}

/// Colours tiles, one after the other.
#[derive(Debug)]
pub(super) struct Painter<'a, const N: usize> {
    shader: &'a Shader<'a>,
    resolver: Resolver,
    fragments: Vec<Fragment>,
    /// By triangle.
    sorted: Vec<Fragment>,
    /// Where in `sorted` those of each triangle end.
    ends: Vec<u32>,
    /// Linear, premultiplied; only of pixels that several triangles share, unless all are asked for.
    samples: Vec<[Vec4; N]>,
    /// Those pixels.
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

    pub(super) fn new(shader: &'a Shader<'a>, resolver: Resolver) -> Self {
        Self {
            shader,
            resolver,
            fragments: Vec::new(),
            sorted: Vec::new(),
            ends: Vec::new(),
            samples: vec![[Vec4::ZERO; N]; TILE * TILE],
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
        for &at in &self.mixed {
            let samples = &self.samples[index(at)];
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
    /// * `all` – whether all pixels are mixed.
    fn collect(
        &mut self,
        visibility: &Visibility<'_, N>,
        all: bool,
        mut put_depth: impl FnMut([u8; 2], f32),
    ) {
        self.fragments.clear();
        self.mixed.clear();
        let background = [self.resolver.background(); N];
        let PixelBounds { min, max } = *visibility.area();
        for (y, row) in (0_u8..).zip(min[1]..=max[1]) {
            for (x, column) in (0_u8..).zip(min[0]..=max[0]) {
                let (at, numbers) = ([x, y], visibility.triangles(column, row));
                let first = numbers[0];
                let is_whole = numbers == [first; N];
                if all || !is_whole {
                    self.samples[index(at)] = background;
                    self.mixed.push(at);
                }
                if is_whole && first == NOTHING {
                    continue;
                }
                let depths = visibility.depth(column, row);
                put_depth(at, depths.into_iter().fold(f32::INFINITY, f32::min));
                if is_whole {
                    self.fragments.push(Fragment {
                        number: first,
                        at,
                        mask: if all { Self::ALL | SHARED } else { Self::ALL },
                    });
                } else {
                    self.list_each(at, &numbers);
                }
            }
        }
    }

    /// Lists each of the triangles that a pixel shows.
    fn list_each(&mut self, at: [u8; 2], numbers: &[u32; N]) {
        for (s, &number) in numbers.iter().enumerate() {
            if number == NOTHING || numbers[..s].contains(&number) {
                continue;
            }
            let own = (s..N).filter(|k| numbers[*k] == number);
            let mask = own.fold(SHARED, |mask, k| mask | 1 << k);
            self.fragments.push(Fragment { number, at, mask });
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
        let mut start = 0;
        for (number, &end) in self.ends.iter().enumerate() {
            let run = &self.sorted[start..end as usize];
            start = end as usize;
            if run.is_empty() {
                continue;
            }
            let brush = self.shader.brush(solid[number]);
            let place = |fragment: &Fragment| {
                let (x, y) = (i32::from(fragment.at[0]), i32::from(fragment.at[1]));
                if fragment.mask & Self::ALL == Self::ALL {
                    // The mean of all samples.
                    return centre(left + x, top + y);
                }
                let samples = visibility.samples(left + x, top + y);
                mean(&samples, |s| fragment.mask & (1 << s) != 0)
            };
            for fragments in run.chunks(EIGHT) {
                let colors = colors(self.shader.kernel, &brush, fragments, place);
                for (fragment, color) in fragments.iter().zip(colors) {
                    let color = color.truncate().extend(1.0);
                    if fragment.mask & SHARED == 0 {
                        put(fragment.at, self.resolver.pixel(color));
                        continue;
                    }
                    let samples = &mut self.samples[index(fragment.at)];
                    for (s, sample) in samples.iter_mut().enumerate() {
                        if fragment.mask & (1 << s) != 0 {
                            *sample = color;
                        }
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

/// Fragments that are coloured together.
const EIGHT: usize = 8;

/// Fewer are coloured one by one.
const FEW: usize = 2;

/// The colours of up to eight fragments of one triangle: linear, straight alpha.
fn colors(
    kernel: Kernel,
    brush: &Brush<'_>,
    fragments: &[Fragment],
    place: impl Fn(&Fragment) -> Place,
) -> [Vec4; EIGHT] {
    #[cfg(target_arch = "x86_64")]
    if kernel == Kernel::Avx2 && fragments.len() > FEW {
        // Lanes without a fragment repeat the first.
        let mut places = [place(&fragments[0]); EIGHT];
        for (to, fragment) in places.iter_mut().zip(fragments) {
            *to = place(fragment);
        }
        if let Some(colors) = super::shade_avx2::colors(brush, &places) {
            return colors;
        }
    }
    let _ = (kernel, FEW);
    let mut colors = [Vec4::ZERO; EIGHT];
    for (color, fragment) in colors.iter_mut().zip(fragments) {
        *color = brush.color(place(fragment));
    }
    colors
}

#[inline]
fn centre(column: i32, row: i32) -> Place {
    let middle = |pixel: i32| f64::from(pixel * SUBPIXEL + SUBPIXEL / 2);
    Place {
        x: middle(column),
        y: middle(row),
    }
}

fn index([x, y]: [u8; 2]) -> usize {
    usize::from(y) * TILE + usize::from(x)
}
