//! The images that the passes of one tile exchange.

use crate::gl::target::{Framebuffer, PixelFormat, Size, Texture};
use crate::gl::{Current, GlError};

/// The render targets of a tile's passes.
#[derive(Debug)]
pub(super) struct Targets<'gl> {
    pub(super) size: Size,
    pub(super) samples: u8,
    /// The nearest opaque triangle of each sample, and its depth.
    pub(super) solid: Texture<'gl>,
    /// Two layers of translucent triangles: the current one and the one before. Created when needed.
    pub(super) translucent: Option<[Texture<'gl>; 2]>,
    /// Linear colour of each sample, premultiplied.
    pub(super) colors: Texture<'gl>,
    /// Depth of the nearest translucent triangle.
    pub(super) front: Texture<'gl>,
    /// The target of the passes that find triangles.
    pub(super) finding: Framebuffer<'gl>,
    /// The target of the passes that colour samples: `front` and the layers of `colors`.
    pub(super) coloring: Framebuffer<'gl>,
    /// The target of pixels and their depths.
    pub(super) resolving: Framebuffer<'gl>,
    gl: Current<'gl>,
    depth: Texture<'gl>,
    pixels: Texture<'gl>,
    depths: Texture<'gl>,
}

/// The attachments of `resolving`.
pub(super) const PIXELS: u32 = 0;
pub(super) const DEPTHS: u32 = 1;

impl<'gl> Targets<'gl> {
    pub(super) fn new(gl: Current<'gl>, size: Size, samples: u8) -> Result<Self, GlError> {
        let layers = u32::from(samples);
        let targets = Self {
            size,
            samples,
            solid: Texture::layered(gl, PixelFormat::Rg32U, size, layers)?,
            translucent: None,
            colors: Texture::layered(gl, PixelFormat::Rgba32F, size, layers)?,
            front: Texture::new(gl, PixelFormat::R32F, size)?,
            finding: Framebuffer::new(gl),
            coloring: Framebuffer::new(gl),
            resolving: Framebuffer::new(gl),
            gl,
            depth: Texture::new(gl, PixelFormat::Depth32F, size)?,
            pixels: Texture::new(gl, PixelFormat::Rgba8U, size)?,
            depths: Texture::new(gl, PixelFormat::R32F, size)?,
        };
        targets.attach()?;
        Ok(targets)
    }

    fn attach(&self) -> Result<(), GlError> {
        self.finding
            .bind()
            .attach(gl::DEPTH_ATTACHMENT, &self.depth);
        self.coloring
            .bind()
            .attach(gl::COLOR_ATTACHMENT0, &self.front);
        for (attachment, layer) in (gl::COLOR_ATTACHMENT1..).zip(0..self.samples) {
            self.coloring.attach_layer(attachment, &self.colors, layer);
        }
        self.coloring.use_colors(1 + self.samples)?;
        self.resolving
            .bind()
            .attach(gl::COLOR_ATTACHMENT0 + PIXELS, &self.pixels);
        self.resolving
            .attach(gl::COLOR_ATTACHMENT0 + DEPTHS, &self.depths);
        self.resolving.use_colors(2)
    }

    /// Allocates the layers for translucent triangles.
    pub(super) fn make_translucent(&mut self) -> Result<(), GlError> {
        if self.translucent.is_none() {
            let layers = u32::from(self.samples);
            let make = || Texture::layered(self.gl, PixelFormat::Rg32U, self.size, layers);
            self.translucent = Some([make()?, make()?]);
        }
        Ok(())
    }

    /// Clears a sample of `texture` and attaches it as the target of the triangle search.
    pub(super) fn find_in(&self, texture: &Texture<'gl>, sample: u8) -> Result<(), GlError> {
        self.finding
            .bind()
            .attach_layer(gl::COLOR_ATTACHMENT0, texture, sample);
        self.finding.use_colors(1)?;
        self.finding
            .clear_numbers(0, [0, f32::INFINITY.to_bits(), 0, 0]);
        self.finding.clear_depth();
        Ok(())
    }
}
