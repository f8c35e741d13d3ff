//! Where the camera is and what it shows: everything about a picture that is not the model.

mod camera;
mod style;

pub use camera::{Camera, Viewport};
pub use style::{Background, Overlay, Samples, Show, Style};
