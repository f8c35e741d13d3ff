//! The triangles that touch each tile.
//!
//! A counting sort assigns triangles to tiles once, so that no tile scans the triangles of another. A triangle that
//! touches many tiles would need as many entries. A mesh has few of those and testing one is cheap, so they go into one
//! list that all tiles scan.

use super::coverage::{PixelBounds, TILE};
use crate::view::Viewport;

/// A triangle that touches more tiles goes into the shared list.
const MANY_TILES: usize = 16;

/// The triangles of each tile of an image.
#[derive(Debug, Default)]
pub(super) struct Bins {
    /// Tiles in a row.
    columns: usize,
    /// Where each tile begins in `ids`, row by row, and where the last ends.
    starts: Vec<u32>,
    ids: Vec<u32>,
    large: Vec<(u32, TileBounds)>,
}

/// A rectangle of tiles; both corners belong to it.
#[derive(Debug, Clone, Copy)]
struct TileBounds {
    min: [usize; 2],
    max: [usize; 2],
}

impl Bins {
    /// * `triangles` – ids and the pixels that they may touch, at least one of them in the image.
    pub(super) fn new<'a>(
        viewport: Viewport,
        triangles: impl Iterator<Item = (usize, &'a PixelBounds)> + Clone,
    ) -> Self {
        let size = [viewport.width, viewport.height].map(|side| (side as usize).div_ceil(TILE));
        let [columns, rows] = size;
        let mut starts = vec![0_u32; columns * rows + 1];
        let mut large = Vec::new();
        // A counting sort in two passes. The first counts, and prefix sums make `starts` the ends of the tiles. The
        // second fills each tile from its end, which leaves `starts` at the beginnings.
        for (id, bounds) in triangles.clone() {
            let tiles = TileBounds::new(bounds, size);
            if tiles.count() > MANY_TILES {
                large.push((number(id), tiles));
            } else {
                tiles.each(columns, |tile| starts[tile] += 1);
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut ids = vec![0; sum as usize];
        for (id, bounds) in triangles {
            let tiles = TileBounds::new(bounds, size);
            if tiles.count() <= MANY_TILES {
                tiles.each(columns, |tile| {
                    starts[tile] -= 1;
                    ids[starts[tile] as usize] = number(id);
                });
            }
        }
        Self {
            columns,
            starts,
            ids,
            large,
        }
    }

    /// Puts the ids of the triangles that may touch a tile into `ids`, in ascending order.
    pub(super) fn collect(&self, column: usize, row: usize, ids: &mut Vec<u32>) {
        ids.clear();
        let tile = row * self.columns + column;
        if let Some(&[start, end]) = self.starts.get(tile..tile + 2) {
            // Tiles were filled backwards, so this order is ascending.
            ids.extend(self.ids[start as usize..end as usize].iter().rev());
        }
        if !self.large.is_empty() {
            let large = self.large.iter();
            let here = large.filter(|(_, tiles)| tiles.contains(column, row));
            // Large triangles belong between the others. Without any, the list is sorted already.
            ids.extend(here.map(|(id, _)| *id));
            ids.sort_unstable();
        }
    }
}

impl TileBounds {
    /// * `size` – of the image in tiles; tiles outside it are omitted.
    #[inline]
    fn new(bounds: &PixelBounds, size: [usize; 2]) -> Self {
        let tile = |pixel: i32, axis: usize| {
            let pixel = usize::try_from(pixel).unwrap_or_default();
            (pixel / TILE).min(size[axis] - 1)
        };
        Self {
            min: [tile(bounds.min[0], 0), tile(bounds.min[1], 1)],
            max: [tile(bounds.max[0], 0), tile(bounds.max[1], 1)],
        }
    }

    #[inline]
    fn count(&self) -> usize {
        (self.max[0] - self.min[0] + 1) * (self.max[1] - self.min[1] + 1)
    }

    #[inline]
    fn each(&self, columns: usize, mut visit: impl FnMut(usize)) {
        for row in self.min[1]..=self.max[1] {
            for column in self.min[0]..=self.max[0] {
                visit(row * columns + column);
            }
        }
    }

    fn contains(&self, column: usize, row: usize) -> bool {
        let inside = |axis: usize, at: usize| self.min[axis] <= at && at <= self.max[axis];
        inside(0, column) && inside(1, row)
    }
}

/// The number of triangles is below 2^32, so ids fit.
fn number(id: usize) -> u32 {
    u32::try_from(id).unwrap_or(u32::MAX)
}
