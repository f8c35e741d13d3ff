//! The OpenGL path: skinning and drawing in shaders, on an offscreen context.
//!
//! ```text
//! GlModel::load: meshes, weights, morph targets
//! pose --palette.vert, deform.vert--> posed vertices --transform feedback--> DeformedMesh
//!                                           |
//!                                           +--> nearest triangle a sample --> linear colours --> sRGB --> Frame
//! ```
//!
//! A second implementation of what `palette`, `skinning` and `raster` do: it shares with them the posed asset, and the
//! colours and tables of [`look`](crate::look), but no code that computes positions, directions, coverage or light.
#![expect(
    unsafe_code,
    reason = "OpenGL is a C interface: one call a block, on a context that is proved to be current"
)]

mod buffer;
mod context;
mod deformer;
mod draw;
mod error;
mod mesh;
mod model;
mod object;
mod program;
mod target;
#[cfg(test)]
pub(crate) mod testing;

pub use context::{Current, GlChoice, GlInfo, Offscreen, prepare_environment};
pub use draw::ImageParams;
pub use error::{GlError, Missing};
pub use model::GlModel;

#[cfg(test)]
mod tests;
