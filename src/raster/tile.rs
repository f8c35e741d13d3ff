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
            top: pixel(index * TILE),
            width,
        }
    }

    /// Draws into the row's part of the picture.
    pub(super) fn draw(&self, rgba: &mut [u8], depth: &mut [f32]) {
        let bottom = self.top + pixel(depth.len() / self.width) - 1;
        let row = PixelBounds {
            min: [0, self.top],
            max: [pixel(self.width) - 1, bottom],
        };
        // Ids end before the one that stands for nothing; memory ends long before.
        let all = 0..u32::try_from(self.shader.scene.bounds.len()).unwrap_or(NOTHING);
        let here = self.touching(all, &row);
        let mut visibility = Visibility::new(self.pattern);
        self.resolver.fill(rgba);
        for left in (0..self.width).step_by(TILE) {
            let right = (left + TILE).min(self.width) - 1;
            let tile = PixelBounds {
                min: [pixel(left), self.top],
                max: [pixel(right), bottom],
            };
            let triangles = self.touching(here.iter().copied(), &tile);
            if !triangles.is_empty() {
                self.draw_tile(&tile, &triangles, &mut visibility, rgba, depth);
            }
        }
    }

    fn touching(&self, ids: impl Iterator<Item = u32>, area: &PixelBounds) -> Vec<u32> {
        let bounds = &self.shader.scene.bounds;
        ids.filter(|id| bounds[*id as usize].meets(area)).collect()
    }

    fn draw_tile(
        &self,
        tile: &PixelBounds,
        triangles: &[u32],
        visibility: &mut Visibility<'a, N>,
        rgba: &mut [u8],
        depth: &mut [f32],
    ) {
        let scene = self.shader.scene;
        visibility.clear(*tile);
        for &id in triangles.iter().filter(|id| !scene.is_blended(**id)) {
            visibility.draw(id, self.shader);
        }
        let panes = scene.panes.iter();
        let panes = panes.filter(|pane| scene.bounds[pane.id as usize].meets(tile));
        let mut painter = Painter::new(self.shader, self.resolver.background());
        let mut blender = Blender::new(self.shader, self.resolver, self.pattern, panes);
        for row in tile.min[1]..=tile.max[1] {
            blender.turn_to(row);
            for column in tile.min[0]..=tile.max[0] {
                if blender.is_empty() && visibility.is_empty(column, row) {
                    continue;
                }
                let mut colors = painter.colors(visibility, column, row);
                let front = blender.blend(column, visibility, &mut colors);
                let nearest = nearest(visibility.depth(column, row)).min(front);
                if nearest < f32::INFINITY {
                    let index = self.index(column, row);
                    depth[index] = nearest.clamp(0.0, 1.0);
                    rgba[4 * index..4 * index + 4].copy_from_slice(&self.resolver.resolve(&colors));
                }
            }
        }
    }

    #[expect(clippy::cast_sign_loss, reason = "the pixel is in the picture")]
    fn index(&self, column: i32, row: i32) -> usize {
        (row - self.top) as usize * self.width + column as usize
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
        column: i32,
        row: i32,
    ) -> [Vec4; N] {
        let triangles = visibility.triangles(column, row);
        let mut colors = [self.background; N];
        for s in 0..N {
            let id = triangles[s];
            if id == NOTHING {
                continue;
            }
            let earlier = triangles[..s].iter().position(|other| *other == id);
            colors[s] = if let Some(earlier) = earlier {
                colors[earlier]
            } else {
                let samples = visibility.samples(column, row);
                let place = mean(&samples, |k| triangles[k] == id);
                self.brush(id).color(place).truncate().extend(1.0)
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
