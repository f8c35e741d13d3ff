//! Drawing: triangles to pixels.
//!
//! For each sample of a pixel a pass of its own finds the triangle that shows, with the driver's rasterizer and depth test;
//! translucent triangles are found a layer at a time, from the front. Then one pass over the pixels colours each triangle
//! once at the mean of its samples, and another makes bytes of them.

mod camera;
mod colors;
mod mipmap;
mod paint;
mod painter;
mod passes;
mod picture;
mod programs;
mod samples;
mod sides;
mod srgb;
mod targets;
mod textures;
mod tile;
mod triangles;

pub(super) use painter::Painter;
pub use picture::Picture;
