//! Tiles of an image, which bound the memory for images of any size.

use crate::view::Viewport;

/// The longest side of a tile in pixels.
const LONGEST: u32 = 1024;

/// A rectangle of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tile {
    /// Leftmost column and topmost row.
    pub(super) first: [u32; 2],
    /// Columns and rows, clipped to the image.
    pub(super) size: [u32; 2],
}

/// Columns and rows of the largest tile of an image.
pub(super) fn largest(viewport: Viewport) -> [u32; 2] {
    [viewport.width, viewport.height].map(|side| side.min(LONGEST))
}

/// All tiles of an image.
pub(super) fn tiles(viewport: Viewport) -> Vec<Tile> {
    let parts = |side: u32| (0..side).step_by(LONGEST as usize);
    let tile = |x: u32, y: u32| Tile {
        first: [x, y],
        size: [viewport.width - x, viewport.height - y].map(|side| side.min(LONGEST)),
    };
    let rows = parts(viewport.height);
    rows.flat_map(|y| parts(viewport.width).map(move |x| tile(x, y)))
        .collect()
}

impl Tile {
    /// Copies `pixels`, in rows of `stride` pixels, to the tile's position in `image`, which is `width` pixels wide.
    pub(super) fn copy<T: Copy>(&self, pixels: &[T], stride: u32, image: &mut [T], width: u32) {
        let [columns, rows] = self.size.map(|side| side as usize);
        let [left, top] = self.first.map(|side| side as usize);
        for row in 0..rows {
            let from = row * stride as usize;
            let to = (top + row) * width as usize + left;
            image[to..to + columns].copy_from_slice(&pixels[from..from + columns]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_every_pixel_once() {
        let viewport = Viewport {
            width: 2050,
            height: 1024,
        };
        let mut image = vec![0_u32; 2050 * 1024];
        for (tile, number) in tiles(viewport).iter().zip(1..) {
            let [width, height] = largest(viewport);
            let pixels = vec![number; (width * height) as usize];
            tile.copy(&pixels, width, &mut image, viewport.width);
        }
        let count = |number: u32| image.iter().filter(|pixel| **pixel == number).count();
        assert_eq!(
            [0, 1, 2, 3, 4].map(count),
            [0, 1024 * 1024, 1024 * 1024, 2 * 1024, 0]
        );
    }
}
