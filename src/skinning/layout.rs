//! The memory layout of a block of vertices between the steps of the kernel.

use super::packed::BLOCK;

/// A number for each vertex of a block.
type Lanes = [f32; BLOCK];

/// A vector for each vertex of a block, by coordinate.
pub(super) type Vectors = [Lanes; 3];

/// A matrix for each vertex of a block, columns one after the other.
pub(super) type Matrices = [[f32; 16]; BLOCK];

/// The same matrices by column and row, without the last row.
pub(super) type Columns = [Vectors; 4];
