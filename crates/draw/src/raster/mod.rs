//! Rasterizes triangles.
//!
//! ```text
//! DeformedMesh --geometry--> vertices --assembly, clip--> screen triangles --visibility--> nearest triangle a sample
//!              --shade, once per triangle and pixel--> linear colours --blend--> --resolve--> sRGB Frame
//! ```
//!
//! Corners are snapped to a grid of 256 units per pixel, and coverage is decided by exact integers with the top-left rule,
//! so that neighbours leave no gap and never overlap. The image depends neither on the order of opaque triangles nor on
//! the number of threads: what happens at a sample is a function of the triangles alone, and tiles share nothing.

#![expect(
    clippy::inline_always,
    reason = "code for an instruction set must be inlined into a function that is compiled for it"
)]

mod assembly;
mod batch;
mod bins;
mod bumps;
mod clip;
mod cover;
mod coverage;
mod geometry;
mod interpolate;
mod kernel;
mod lanes;
mod light;
mod paint;
mod resolve;
mod sample;
mod scene;
mod shade;
mod texture;
mod tile;
mod visibility;

use std::num::NonZeroU32;

use fearless_simd::Level;
use rayon::prelude::*;

use crate::frame::Frame;
use crate::rig::{Asset, DeformedMesh, Visibility};
use crate::simd;
use crate::view::{Camera, Samples, Style, Viewport};
use coverage::{CENTRE, GridPoint, STANDARD, TILE};
use scene::Scene;
use shade::Shader;
use tile::{TileRow, Work};

pub use texture::Textures;

/// Everything that an image depends on.
#[derive(Debug, Clone, Copy)]
pub struct DrawInput<'a> {
    /// The model, for triangles, materials, images and weights; valid by [`Asset::validate`].
    pub asset: &'a Asset,
    /// What to draw: posed vertices in world space (the asset's axes and units).
    pub meshes: &'a [DeformedMesh],
    /// Which of them are shown; of the same pose.
    pub visibility: &'a Visibility,
    /// From where.
    pub camera: &'a Camera,
    /// The size of the image.
    pub viewport: Viewport,
    /// What the surface shows, background and samples.
    pub style: &'a Style,
    /// How many influences images of weights know of each vertex: the largest; `None` for all.
    pub max_influences: Option<NonZeroU32>,
}

/// Draws `input`.
///
/// - [`Lit`](crate::view::Show::LIT) and [`Texture`](crate::view::Show::TEXTURE) show materials: base colour × texture ×
///   first set of vertex colours, with masked and blended alpha; the light of the first follows the material's
///   [finish](crate::rig::Finish). All other modes show the surface itself, whole and opaque.
/// - Back faces are omitted where the material is one-sided. Front is counter-clockwise; clockwise for a mesh that its
///   pose mirrors, which shows in its normals. A mesh without normals or material shows both sides.
/// - A triangle with a corner that is not finite, or without area, is not drawn.
/// - Where two surfaces have the same depth, the instance with the lower id is in front.
///
/// Returns an image of the viewport's size, the same bytes on every machine and for any number of threads.
///
/// ```
/// # mod skincheck { pub use skincheck_rig::{pose, rig, skinning}; pub use skincheck_draw::{frame, raster, view}; }
/// # let asset = skincheck::rig::leg();
/// use skincheck::raster::{self, DrawInput};
/// use skincheck::rig::{SkinningOptions, Visibility};
/// use skincheck::view::{Framing, Projection, Style, ViewDirection, Viewport};
/// use skincheck::{pose, skinning};
///
/// let meshes = skinning::deform(&asset, &pose::bind(&asset), &SkinningOptions::default())?;
/// let viewport = Viewport::new(64, 64)?;
/// let mut framing = Framing::new(&asset.space, ViewDirection::Front, Projection::default(), viewport);
/// framing.include(&meshes[0].positions);
/// let frame = raster::draw(&DrawInput {
///     asset: &asset,
///     meshes: &meshes,
///     visibility: &Visibility::default(),
///     camera: &framing.camera(),
///     viewport,
///     style: &Style::default(),
///     max_influences: None,
/// });
/// let png = skincheck::frame::png::encode(&frame, &[])?;
/// assert!(png.starts_with(b"\x89PNG"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn draw(input: &DrawInput<'_>) -> Frame {
    draw_with(input, &Textures::new(input.asset))
}

/// Draws `input` with textures that were kept from other images of its asset.
///
/// Returns the same as [`draw`].
#[must_use]
pub fn draw_with(input: &DrawInput<'_>, textures: &Textures<'_>) -> Frame {
    draw_by(input, textures, Some(simd::level()))
}

/// As [`draw_with`]; `None` if the triangles cover the image more than `most` times over.
pub(crate) fn draw_within(
    input: &DrawInput<'_>,
    textures: &Textures<'_>,
    most: u64,
) -> Option<Frame> {
    let scene = assembly::assemble(input, textures);
    let pixels = u64::from(input.viewport.width) * u64::from(input.viewport.height);
    let is_within = scene.covered / pixels.max(1) <= most;
    is_within.then(|| draw_scene(input, textures, &scene, Some(simd::level())))
}

/// As [`draw`], one sample and one colour at a time: what every instruction set must match to the bit.
#[cfg(any(test, feature = "testing"))]
#[must_use]
pub fn draw_plain(input: &DrawInput<'_>) -> Frame {
    draw_by(input, &Textures::new(input.asset), None)
}

/// Draws with the instruction set `level`, or one by one; the bytes are the same.
fn draw_by(input: &DrawInput<'_>, textures: &Textures<'_>, level: Option<Level>) -> Frame {
    let scene = assembly::assemble(input, textures);
    draw_scene(input, textures, &scene, level)
}

fn draw_scene(
    input: &DrawInput<'_>,
    textures: &Textures<'_>,
    scene: &Scene<'_>,
    level: Option<Level>,
) -> Frame {
    textures.note_use();
    let shader = Shader::new(input, scene, level);
    match input.style.samples {
        Samples::One => draw_surfaces(input.viewport, &shader, &CENTRE),
        Samples::Four => draw_surfaces(input.viewport, &shader, &STANDARD),
    }
}

fn draw_surfaces<const N: usize>(
    viewport: Viewport,
    shader: &Shader<'_>,
    pattern: &[GridPoint; N],
) -> Frame {
    let mut frame = Frame::blank(viewport.width, viewport.height);
    if frame.depth.is_empty() {
        return frame;
    }
    let width = viewport.width as usize;
    let colors = frame.rgba.par_chunks_mut(TILE * width * 4);
    let depths = frame.depth.par_chunks_mut(TILE * width);
    let rows = colors.zip(depths).enumerate();
    let work = || Work::new(shader, pattern);
    rows.for_each_init(work, |work, (index, (rgba, depth))| {
        let row = TileRow::new(shader, pattern, index, width);
        row.draw(work, rgba, depth);
    });
    frame
}

#[cfg(test)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "numbers of tests are small"
)]
mod tests;
