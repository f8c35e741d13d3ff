//! What every path must show at each pixel, and where that is open.

use glam::DVec2;
use rayon::prelude::*;

use super::area::Area;
use super::surfaces::Surfaces;
use super::tile::Tile;
use super::triangle::Triangle;
use crate::view::Viewport;

/// What is known about a pixel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PixelClass {
    /// No sample is covered, by any path.
    #[default]
    Empty,
    /// All samples show the same triangles.
    Whole,
    /// Each sample surely shows what it does, and not all the same.
    Mixed,
    /// Rounding decides what some sample shows.
    Open,
}

/// What is known about the pixels of a picture, row by row.
#[derive(Debug)]
pub(super) struct Classes {
    pub(super) width: usize,
    pub(super) pixels: Vec<Pixel>,
}

/// What is known about one pixel.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pixel {
    pub(super) class: PixelClass,
    /// For each sample the group that it shows: surfaces of one are of the same instances.
    pub(super) groups: [u32; MOST_SAMPLES],
    /// What two paths may do otherwise there.
    pub(super) doubt: Doubt,
}

/// What two paths may do otherwise at a pixel.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Doubt {
    /// No path is farther from the right place on the surface, in pixels.
    pub(super) shift: f32,
    /// No path's normal is turned farther, in radians.
    pub(super) turn: f32,
}

impl Doubt {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "small numbers that need not be exact"
    )]
    pub(super) fn include(&mut self, triangle: &Triangle) {
        self.shift = self.shift.max(triangle.radius as f32);
        self.turn = self.turn.max(triangle.turn as f32);
    }
}

/// More are not drawn; with one sample all entries are the same.
pub(super) const MOST_SAMPLES: usize = 4;

/// The group of what is behind everything.
pub(super) const BACKGROUND: u32 = 0;

/// Width and height of a tile in pixels.
const TILE: usize = 64;

/// The centre, relative to itself.
pub(super) const CENTRE: [DVec2; 1] = [DVec2::ZERO];

/// The standard positions of Direct3D 11 for four samples, relative to the centre.
pub(super) const STANDARD: [DVec2; 4] = [
    DVec2::new(-0.125, -0.375),
    DVec2::new(0.375, -0.125),
    DVec2::new(-0.375, 0.125),
    DVec2::new(0.125, 0.375),
];

/// Looks at every pixel.
pub(super) fn classify<const N: usize>(
    surfaces: &Surfaces<'_>,
    viewport: Viewport,
    pattern: &[DVec2; N],
) -> Classes {
    let width = viewport.width as usize;
    let mut pixels = vec![Pixel::default(); width * viewport.height as usize];
    let rows = pixels.par_chunks_mut(TILE * width).enumerate();
    rows.for_each(|(index, pixels)| look_at_row(surfaces, pattern, index * TILE, width, pixels));
    Classes { width, pixels }
}

/// Looks at the tiles from row `top` of the picture on.
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
