//! Rows of tiles: the unit of parallel work. No tile knows of another.

use glam::Vec4;

use super::blend::Blender;
use super::coverage::GridPoint;
use super::interpolate::mean;
use super::resolve::Resolver;
use super::scene::PixelBounds;
use super::shade::{Brush, Shader};
use super::visibility::{NOTHING, Visibility};

/// Width and height of a tile in pixels: what is written to while its triangles are drawn stays in a core's own cache.
pub(super) const TILE: usize = 64;

/// A row of tiles across the whole picture.
#[derive(Debug)]
pub(super) struct TileRow<'a, const N: usize> {
    shader: &'a Shader<'a>,
    pattern: &'a [GridPoint; N],
    resolver: Resolver,
    /// Counted from the top of the picture.
    index: usize,
    top: i32,
    width: usize,
}

impl<'a, const N: usize> TileRow<'a, N> {
    /// * `index` – counted from the top of the picture.
    /// * `width` – of the picture, in pixels.
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

    /// Draws into the row's part of the picture.
    pub(super) fn draw(&self, rgba: &mut [u8], depth: &mut [f32]) {
        let bottom = self.top + pixel(depth.len() / self.width) - 1;
        let mut work = Work::new(self.pattern);
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
            scene.pane_bins.collect(column, self.index, &mut work.panes);
            if !work.is_empty() {
                self.draw_tile(&tile, &mut work, rgba, depth);
            }
        }
    }

    fn draw_tile(
        &self,
        tile: &PixelBounds,
        work: &mut Work<'a, N>,
        rgba: &mut [u8],
        depth: &mut [f32],
    ) {
        let Work {
            solid,
            panes,
            visibility,
        } = work;
        visibility.clear(*tile);
        visibility.draw_all(solid, self.shader);
        let panes = panes
            .iter()
            .map(|pane| &self.shader.scene.panes[*pane as usize]);
        let mut painter = Painter::new(self.shader, self.resolver.background());
        let mut blender = Blender::new(self.shader, self.resolver, self.pattern, panes);
        for row in tile.min[1]..=tile.max[1] {
            blender.turn_to(row);
            for column in tile.min[0]..=tile.max[0] {
                if blender.is_empty() && visibility.is_empty(column, row) {
                    continue;
                }
                let mut colors = painter.colors(visibility, solid, column, row);
                let front = blender.blend(column, visibility, &mut colors);
                let nearest = nearest(&visibility.depth(column, row)).min(front);
                if nearest < f32::INFINITY {
                    let index = self.position(column, row);
                    depth[index] = nearest.clamp(0.0, 1.0);
                    rgba[4 * index..4 * index + 4].copy_from_slice(&self.resolver.resolve(&colors));
                }
            }
        }
    }

    #[expect(clippy::cast_sign_loss, reason = "the pixel is in the picture")]
    fn position(&self, column: i32, row: i32) -> usize {
        (row - self.top) as usize * self.width + column as usize
    }
}

/// What tiles use one after the other.
#[derive(Debug)]
struct Work<'a, const N: usize> {
    /// The triangles of the tile.
    solid: Vec<u32>,
    /// Positions in the list of panes.
    panes: Vec<u32>,
    visibility: Visibility<'a, N>,
}

impl<'a, const N: usize> Work<'a, N> {
    fn new(pattern: &'a [GridPoint; N]) -> Self {
        Self {
            solid: Vec::new(),
            panes: Vec::new(),
            visibility: Visibility::new(pattern),
        }
    }

    fn is_empty(&self) -> bool {
        self.solid.is_empty() && self.panes.is_empty()
    }
}

/// How many triangles are kept ready to paint: more than a row of a tile shows of a mesh of fair size.
const BRUSHES: usize = 32;

/// Colours what is visible, once a triangle and pixel.
#[derive(Debug)]
struct Painter<'a> {
    shader: &'a Shader<'a>,
    background: Vec4,
    /// Of the triangles painted last: the pixels around mostly show them too. Triangle `id` is in place `id % BRUSHES`.
    brushes: [Option<(u32, Brush<'a>)>; BRUSHES],
}

impl<'a> Painter<'a> {
    fn new(shader: &'a Shader<'a>, background: Vec4) -> Self {
        Self {
            shader,
            background,
            brushes: [const { None }; BRUSHES],
        }
    }

    /// The colour of each sample of a pixel without what is blended: linear, premultiplied.
    fn colors<const N: usize>(
        &mut self,
        visibility: &Visibility<'_, N>,
        solid: &[u32],
        column: i32,
        row: i32,
    ) -> [Vec4; N] {
        let triangles = visibility.triangles(column, row);
        let mut colors = [self.background; N];
        for s in 0..N {
            let number = triangles[s];
            if number == NOTHING {
                continue;
            }
            let earlier = triangles[..s].iter().position(|other| *other == number);
            colors[s] = if let Some(earlier) = earlier {
                colors[earlier]
            } else {
                let samples = visibility.samples(column, row);
                let place = mean(&samples, |k| triangles[k] == number);
                self.brush(solid[number as usize])
                    .color(place)
                    .truncate()
                    .extend(1.0)
            };
        }
        colors
    }

    fn brush(&mut self, id: u32) -> &Brush<'a> {
        let place = &mut self.brushes[id as usize % BRUSHES];
        if place.as_ref().is_none_or(|(own, _)| *own != id) {
            *place = Some((id, self.shader.brush(id)));
        }
        let (_, brush) = place.as_ref().expect("it was filled above");
        brush
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
