//! Rows of tiles: the unit of parallel work. Tiles are independent.

use super::coverage::{GridPoint, PixelBounds, TILE};
use super::paint::{Painter, Strip};
use super::resolve::{Blender, Resolver};
use super::shade::Shader;
use super::visibility::Visibility;

/// A row of tiles across the whole image.
#[derive(Debug)]
pub(super) struct TileRow<'a, const N: usize> {
    shader: &'a Shader<'a>,
    pattern: &'a [GridPoint; N],
    resolver: Resolver,
    /// Counted from the top of the image.
    index: usize,
    top: i32,
    width: usize,
}

impl<'a, const N: usize> TileRow<'a, N> {
    /// * `index` – counted from the top of the image.
    /// * `width` – of the image, in pixels.
    pub(super) fn new(
        shader: &'a Shader<'a>,
        pattern: &'a [GridPoint; N],
        index: usize,
        width: usize,
    ) -> Self {
        Self {
            shader,
            pattern,
            resolver: Resolver::new(shader.background),
            index,
            top: pixel(index * TILE),
            width,
        }
    }

    /// Draws into the row's part of the image.
    pub(super) fn draw(&self, work: &mut Work<'a, N>, rgba: &mut [u8], depth: &mut [f32]) {
        let bottom = self.top + pixel(depth.len() / self.width) - 1;
        self.resolver.fill(rgba);
        for (column, left) in (0..self.width).step_by(TILE).enumerate() {
            let right = (left + TILE).min(self.width) - 1;
            let tile = PixelBounds {
                min: [pixel(left), self.top],
                max: [pixel(right), bottom],
            };
            let scene = self.shader.scene;
            scene
                .solid_bins
                .collect(column, self.index, &mut work.solid);
            scene
                .translucent_bins
                .collect(column, self.index, &mut work.translucent);
            if !work.is_empty() {
                let mut strip = Strip {
                    rgba: &mut *rgba,
                    depth: &mut *depth,
                    width: self.width,
                    left,
                };
                self.draw_tile(&tile, work, &mut strip);
            }
        }
    }

    fn draw_tile(&self, tile: &PixelBounds, work: &mut Work<'a, N>, strip: &mut Strip<'_>) {
        let Work {
            solid,
            translucent,
            visibility,
            painter,
        } = work;
        visibility.clear(*tile);
        visibility.draw_all(solid, self.shader);
        // Without translucent triangles, a pixel that shows one triangle needs no samples.
        if translucent.is_empty() {
            painter.paint(visibility, solid, strip);
            return;
        }
        let samples = painter.paint_samples(visibility, solid);
        let translucent = translucent.iter();
        let translucent =
            translucent.map(|triangle| &self.shader.scene.translucent[*triangle as usize]);
        let mut blender = Blender::new(self.shader, self.resolver, self.pattern, translucent);
        for (y, row) in (0_u8..).zip(tile.min[1]..=tile.max[1]) {
            blender.turn_to(row);
            for (x, column) in (0_u8..).zip(tile.min[0]..=tile.max[0]) {
                let colors = &mut samples[usize::from(y) * TILE + usize::from(x)];
                let front = blender.blend(column, visibility, colors);
                let nearest = nearest(&visibility.depth(column, row)).min(front);
                if nearest < f32::INFINITY {
                    strip.put_depth([x, y], nearest);
                    strip.put([x, y], self.resolver.resolve(colors));
                }
            }
        }
    }
}

/// Buffers that tiles use one after the other.
#[derive(Debug)]
pub(super) struct Work<'a, const N: usize> {
    /// The triangles of the tile.
    solid: Vec<u32>,
    /// Indices in the list of translucent triangles.
    translucent: Vec<u32>,
    visibility: Visibility<'a, N>,
    painter: Painter<'a, N>,
}

impl<'a, const N: usize> Work<'a, N> {
    /// * `pattern` – the samples of a pixel.
    pub(super) fn new(shader: &'a Shader<'a>, pattern: &'a [GridPoint; N]) -> Self {
        let resolver = Resolver::new(shader.background);
        Self {
            solid: Vec::new(),
            translucent: Vec::new(),
            visibility: Visibility::new(pattern),
            painter: Painter::new(shader, resolver, pattern),
        }
    }

    fn is_empty(&self) -> bool {
        self.solid.is_empty() && self.translucent.is_empty()
    }
}

fn nearest<const N: usize>(depths: &[f32; N]) -> f32 {
    depths.iter().copied().fold(f32::INFINITY, f32::min)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "pictures that fit into memory are smaller"
)]
fn pixel(index: usize) -> i32 {
    index as i32
}
