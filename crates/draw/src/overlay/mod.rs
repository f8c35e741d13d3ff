//! Overlays on a finished image of any backend: contact shading, a shadow and a grid on the ground, the skeleton, names, marks,
//! captions and legends.

mod contact;
mod font;
mod grid;
mod legend;
mod marks;
mod shadow;
mod shapes;
mod skeleton;

use glam::Vec3;

pub use contact::contact;
pub use grid::Grid;
pub use legend::{
    LEAST_SIDE, LegendStrip, caption, caption_height, caption_strip, with_legend, with_strip,
    with_strip_above,
};
pub use marks::{count_seen, draw_dots, draw_labels, draw_lines, draw_marks, draw_triangles};
pub use shadow::shadow;
pub use skeleton::{Joints, bones, draw, skeleton};

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
