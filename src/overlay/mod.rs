//! A skeleton drawn over a finished image of any backend.

mod clip;
mod draw;
mod shapes;
mod skeleton;

use glam::Vec3;

pub use draw::draw;
pub use skeleton::skeleton;

/// A skeleton to be drawn over the model, in world space.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overlay {
    /// From a joint to its child.
    pub bones: Vec<[Vec3; 2]>,
    /// Joints to mark.
    pub joints: Vec<Vec3>,
}
