//! Drawing: triangles to pixels.
//!
//! A separate pass for each sample of a pixel finds the visible triangle, with the driver's rasterizer and depth test.
//! Translucent triangles are peeled layer by layer from the front. Then one pass over the pixels shades each triangle
//! once at the mean of its samples, and another converts the result to bytes.

mod paint;
mod painter;
mod passes;
mod programs;
mod textures;
mod tile;
mod triangles;

pub(super) use painter::Painter;
pub use triangles::ImageParams;
