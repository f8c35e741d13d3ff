//! How an image is divided: into tiles, tiles into blocks, and blocks into groups of samples.

/// Width and height of a tile in pixels. A tile's depths and triangles fit into a core's own cache.
pub(super) const TILE: usize = 64;

/// Stands for a missing triangle.
pub(super) const NOTHING: u32 = u32::MAX;

/// How many samples kernels process together: those of a square of neighbouring pixels.
pub(super) const GROUP: usize = 16;

/// Width and height of a block in pixels. A triangle behind all samples of a block skips the block.
pub(super) const BLOCK: usize = 8;

/// How many blocks there are in a tile.
pub(super) const BLOCKS: usize = (TILE / BLOCK) * (TILE / BLOCK);

/// A rectangle of pixels; both corners belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PixelBounds {
    /// Leftmost column and topmost row.
    pub(super) min: [i32; 2],
    /// Rightmost column and lowest row.
    pub(super) max: [i32; 2],
}

impl PixelBounds {
    /// Whether there is a pixel in both.
    pub(super) fn meets(&self, other: &Self) -> bool {
        (0..2).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    /// The pixels in both.
    pub(super) fn common(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|axis| self.min[axis].max(other.min[axis])),
            max: std::array::from_fn(|axis| self.max[axis].min(other.max[axis])),
        }
    }
}
