//! Camera and style: everything about an image except the model.

mod camera;
mod direction;
mod error;
mod framing;
mod show;
mod style;

pub use camera::{Camera, Projection, Viewport};
pub use direction::ViewDirection;
pub use error::ViewError;
pub use framing::Framing;
#[doc(hidden)]
pub use show::{Appearance, Vertices};
pub(crate) use show::{ColorSource, Sides};
pub use show::{Legend, Measured, Show, Swatch, Tick};
pub use style::{Background, Samples, Style};
