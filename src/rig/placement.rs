//! Where in the world an engine holds a model.

use glam::Vec3;

/// Where a model is, for an engine whose matrices lose digits there. Poses keep the axes and the origin of the model, and have
/// the rounding errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// The position of the model's origin, in its unit.
    pub at: Vec3,
    /// The world transform of each node is f32, and its children are placed by it.
    pub nodes: bool,
    /// Skinning matrices are f32 and lead to world space.
    pub palette: bool,
}
