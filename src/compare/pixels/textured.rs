//! The textured triangles of pixels.

use std::sync::OnceLock;

use glam::{DVec2, Vec4};

use super::class::{BACKGROUND, CENTRE, MOST_SAMPLES, STANDARD};
use super::surfaces::Surfaces;
use super::triangle::{Touch, Triangle};
use crate::view::{Samples, Viewport};

/// Width and height of a tile in pixels.
const TILE: u32 = 16;

/// Finds the textured triangles of pixels.
#[derive(Debug)]
pub(super) struct Textured<'a> {
    surfaces: &'a Surfaces<'a>,
    samples: Samples,
    /// In tiles.
    size: [i32; 2],
    /// Indices of the triangles that touch each tile, row by row.
    tiles: OnceLock<Vec<Vec<u32>>>,
}

impl<'a> Textured<'a> {
    pub(super) fn new(surfaces: &'a Surfaces<'a>, viewport: Viewport, samples: Samples) -> Self {
        let tiles = |side: u32| i32::try_from(side.div_ceil(TILE)).unwrap_or(i32::MAX);
        Self {
            surfaces,
            samples,
            size: [tiles(viewport.width), tiles(viewport.height)],
            tiles: OnceLock::new(),
        }
    }

    /// How far apart two paths may read textures in a pixel, in light and alpha.
    ///
    /// * `groups` – of its samples.
    pub(super) fn apart(&self, x: usize, y: usize, groups: &[u32; MOST_SAMPLES]) -> Vec4 {
        let tiles = self.tiles.get_or_init(|| self.sort());
        let tile = y / TILE as usize * index(self.size[0]) + x / TILE as usize;
        #[expect(clippy::cast_precision_loss, reason = "pixels are few")]
        let centre = DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
        let triangles = tiles[tile].iter();
        let triangles = triangles.map(|id| &self.surfaces.triangles[*id as usize]);
        // All triangles that may be visible, not only the nearest: in a mixed pixel, samples show different ones.
        let shown = triangles.filter(|triangle| {
            may_show(groups, triangle) && self.touch(triangle, centre) != Touch::default()
        });
        shown.fold(Vec4::ZERO, |apart, triangle| {
            let at = |position: DVec2| self.surfaces.texels_apart(triangle, centre + position);
            // A path reads at the mean of some of the samples: any subset is possible.
            match self.samples {
                Samples::One => apart.max(at(DVec2::ZERO)),
                Samples::Four => (1..16_u8).map(mean).map(at).fold(apart, Vec4::max),
            }
        })
    }

    fn touch(&self, triangle: &Triangle, centre: DVec2) -> Touch {
        match self.samples {
            Samples::One => triangle.touch(centre, &CENTRE),
            Samples::Four => triangle.touch(centre, &STANDARD),
        }
    }

    fn sort(&self) -> Vec<Vec<u32>> {
        let [width, height] = self.size;
        let mut tiles = vec![Vec::new(); index(width) * index(height)];
        for (id, triangle) in self.surfaces.triangles.iter().enumerate() {
            if self.surfaces.list[triangle.surface].texels.is_none() {
                continue;
            }
            let [left, top, right, bottom] = triangle.bounds;
            let tile = |pixel: i32, tiles: i32| (pixel / TILE.cast_signed()).clamp(0, tiles - 1);
            for row in tile(top, height)..=tile(bottom, height) {
                for column in tile(left, width)..=tile(right, width) {
                    let id = u32::try_from(id).unwrap_or(u32::MAX);
                    tiles[index(row) * index(width) + index(column)].push(id);
                }
            }
        }
        tiles
    }
}

/// Whether a sample shows the instance of a triangle. Groups of several layers do not identify their instances.
fn may_show(groups: &[u32; MOST_SAMPLES], triangle: &Triangle) -> bool {
    let own = u32::try_from(triangle.surface).unwrap_or(u32::MAX);
    let mut shown = groups.iter().filter(|group| **group != BACKGROUND);
    shown.any(|group| group >> 31 == 1 || *group == own.wrapping_add(1))
}

/// The mean of the samples in `mask`, relative to the centre.
fn mean(mask: u8) -> DVec2 {
    let samples = STANDARD.iter().enumerate();
    let chosen = samples.filter(|(s, _)| mask & (1 << s) != 0);
    let sum: DVec2 = chosen.map(|(_, position)| *position).sum();
    sum / f64::from(mask.count_ones())
}

fn index(tile: i32) -> usize {
    usize::try_from(tile).unwrap_or_default()
}
