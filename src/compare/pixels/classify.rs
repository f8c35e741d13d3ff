//! The class of each pixel, tile by tile.

use glam::DVec2;
use rayon::prelude::*;

use super::Area;
use super::class::{Classes, Pixel};
use super::surfaces::Surfaces;
use super::tile::Tile;
use crate::view::Viewport;

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
