//! Tiles of an image, the camera of one, and the images that its passes exchange.

use glam::{DMat4, DVec3, Mat4, Vec2, Vec3, Vec4};

use crate::gl::program::Inputs;
use crate::gl::target::{Framebuffer, PixelFormat, Size, Texture};
use crate::gl::{Current, GlError};
use crate::look::colors;
use crate::view::{Camera, Viewport};

/// The longest side of a tile in pixels.
const LONGEST: u32 = 1024;

/// A rectangle of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tile {
    /// Leftmost column and topmost row.
    pub(super) first: [u32; 2],
    /// Columns and rows, clipped to the image.
    pub(super) size: [u32; 2],
}

/// Columns and rows of the largest tile of an image.
pub(super) fn largest(viewport: Viewport) -> [u32; 2] {
    [viewport.width, viewport.height].map(|side| side.min(LONGEST))
}

/// All tiles of an image.
pub(super) fn tiles(viewport: Viewport) -> Vec<Tile> {
    let parts = |side: u32| (0..side).step_by(LONGEST as usize);
    let tile = |x: u32, y: u32| Tile {
        first: [x, y],
        size: [viewport.width - x, viewport.height - y].map(|side| side.min(LONGEST)),
    };
    let rows = parts(viewport.height);
    rows.flat_map(|y| parts(viewport.width).map(move |x| tile(x, y)))
        .collect()
}

impl Tile {
    /// Copies `pixels`, in rows of `stride` pixels, to the tile's position in `image`, which is `width` pixels wide.
    pub(super) fn copy<T: Copy>(&self, pixels: &[T], stride: u32, image: &mut [T], width: u32) {
        let [columns, rows] = self.size.map(|side| side as usize);
        let [left, top] = self.first.map(|side| side as usize);
        for row in 0..rows {
            let from = row * stride as usize;
            let to = (top + row) * width as usize + left;
            image[to..to + columns].copy_from_slice(&pixels[from..from + columns]);
        }
    }
}

/// A camera as shaders read it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Projector {
    /// For positions relative to `centre`. y points down, so that row 0 is the top.
    clip_from_world: Mat4,
    /// A position in front of the viewer. Subtracting it first keeps precision for positions far from the origin.
    centre: Vec3,
    half_size: Vec2,
}

impl Projector {
    pub(super) fn new(camera: &Camera, viewport: Viewport) -> Self {
        let clip_from_world = camera.clip_from_view.as_dmat4() * camera.view_from_world.as_dmat4();
        let in_world = clip_from_world
            .inverse()
            .project_point3(DVec3::ZERO)
            .as_vec3();
        let centre = if in_world.is_finite() {
            in_world
        } else {
            Vec3::ZERO
        };
        let downwards = DMat4::from_scale(DVec3::new(1.0, -1.0, 1.0));
        let moved = downwards * clip_from_world * DMat4::from_translation(centre.as_dvec3());
        Self {
            clip_from_world: moved.as_mat4(),
            centre,
            half_size: size(viewport) * 0.5,
        }
    }

    /// Sets the inputs of programs that locate triangles.
    pub(super) fn give(&self, inputs: &Inputs<'_, '_>) {
        inputs.mat4(c"u_clip_from_world", &self.clip_from_world);
        inputs.vec3(c"u_centre", self.centre);
    }

    /// Sets the inputs of programs that colour triangles.
    pub(super) fn give_size(&self, inputs: &Inputs<'_, '_>) {
        inputs.vec2(c"u_half_size", self.half_size);
    }

    /// The offset in clip space that moves the sample position `[x, y]` of each pixel to the pixel's centre.
    pub(super) fn shift(&self, [x, y]: [f32; 2]) -> Vec2 {
        (Vec2::splat(0.5) - Vec2::new(x, y)) / self.half_size
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^24")]
fn size(viewport: Viewport) -> Vec2 {
    Vec2::new(viewport.width as f32, viewport.height as f32)
}

/// The camera's own directions in the world.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stand {
    right: Vec3,
    up: Vec3,
    /// Towards the viewer, at the centre of the image.
    back: Vec3,
    eye: Vec3,
    is_orthographic: bool,
    /// The row that yields the distance in front of the viewer.
    ahead: Vec4,
}

impl Stand {
    pub(super) fn new(camera: &Camera) -> Self {
        let view = camera.view_from_world;
        let axis = |row: Vec4| row.truncate().normalize_or_zero();
        Self {
            right: axis(view.row(0)),
            up: axis(view.row(1)),
            back: axis(view.row(2)),
            eye: view
                .as_dmat4()
                .inverse()
                .transform_point3(DVec3::ZERO)
                .as_vec3(),
            is_orthographic: camera.is_orthographic(),
            ahead: -view.row(2),
        }
    }

    /// Distance of `position` in front of the viewer, along the view direction.
    pub(super) fn distance(&self, position: Vec3) -> f32 {
        self.ahead.truncate().dot(position) + self.ahead.w
    }

    /// Sets the inputs of programs that light.
    pub(super) fn give(&self, inputs: &Inputs<'_, '_>) {
        inputs.vec3(c"u_key", self.direction(colors::KEY.0));
        inputs.vec3(c"u_fill", self.direction(colors::FILL.0));
        inputs.vec3(c"u_up", self.up);
        inputs.vec3(c"u_back", self.back);
        inputs.vec3(c"u_eye", self.eye);
        inputs.flag(c"u_orthographic", self.is_orthographic);
        inputs.vec4(c"u_ahead", self.ahead);
    }

    fn direction(&self, in_view: Vec3) -> Vec3 {
        let Vec3 { x, y, z } = in_view.normalize();
        self.right * x + self.up * y + self.back * z
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_every_pixel_once() {
        let viewport = Viewport {
            width: 2050,
            height: 1024,
        };
        let mut image = vec![0_u32; 2050 * 1024];
        for (tile, number) in tiles(viewport).iter().zip(1..) {
            let [width, height] = largest(viewport);
            let pixels = vec![number; (width * height) as usize];
            tile.copy(&pixels, width, &mut image, viewport.width);
        }
        let count = |number: u32| image.iter().filter(|pixel| **pixel == number).count();
        assert_eq!(
            [0, 1, 2, 3, 4].map(count),
            [0, 1024 * 1024, 1024 * 1024, 2 * 1024, 0]
        );
    }
}
