//! Camera and style: everything about an image except the model.

mod background;
mod camera;
mod direction;
mod error;
mod framing;
mod projection;
mod show;
mod style;
mod viewport;
mod words;

pub use background::Background;
pub use camera::Camera;
pub use direction::ViewDirection;
pub use error::ViewError;
pub use framing::Framing;
pub use projection::Projection;
pub(crate) use show::{Appearance, ColorSource, Sides, Vertices};
pub use show::{Legend, Measured, Show, Swatch, Tick};
pub use style::{Samples, Style};
pub use viewport::Viewport;
