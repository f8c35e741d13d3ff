//! What is added to a finished image of any backend: contact shading, a grid on the ground, a skeleton.

mod clip;
mod contact;
mod draw;
mod grid;
mod shapes;
mod skeleton;

use glam::Vec3;

pub use contact::contact;
pub use draw::draw;
pub use grid::Grid;
pub use skeleton::skeleton;

/// A skeleton to be drawn over the model, in world space.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overlay {
    /// From a joint to its child.
    pub bones: Vec<[Vec3; 2]>,
    /// Joints to mark.
    pub joints: Vec<Vec3>,
}
