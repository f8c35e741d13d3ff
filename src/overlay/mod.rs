//! Overlays on a finished image of any backend: contact shading, a grid on the ground, the skeleton, names, marks,
//! captions and legends.

mod clip;
mod contact;
mod draw;
mod grid;
mod labels;
mod legend;
mod marks;
mod projection;
mod shapes;
mod skeleton;
mod text;

use glam::Vec3;

pub use contact::contact;
pub use draw::draw;
pub use grid::Grid;
pub use labels::draw_labels;
pub use legend::{LEAST_SIDE, draw_legend, with_legend};
pub use marks::{draw_mark, is_hidden};
pub use skeleton::{Joints, skeleton};
pub use text::{caption, glyph_side};

/// A skeleton to be drawn over the model, in world space.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overlay {
    /// From a joint to its child.
    pub bones: Vec<[Vec3; 2]>,
    /// Joints to mark.
    pub joints: Vec<Vec3>,
    /// The label that [`draw_labels`] writes beside each of them.
    pub names: Vec<String>,
}
