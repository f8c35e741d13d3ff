//! Render targets that later passes read.

use super::buffer::Plain;
use super::object::{Kind, Object, SCRATCH_UNIT};
use super::{Current, GlError};
use crate::account::Unallocated;

/// The format of a target's pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PixelFormat {
    /// Two numbers.
    Rg32U,
    /// Linear light.
    Rgba32F,
    /// One float.
    R32F,
    /// Four bytes.
    Rgba8U,
    /// Depth for the depth test.
    Depth32F,
}

impl PixelFormat {
    /// Its internal format, and the format and type of client pixels.
    fn names(self) -> (u32, u32, u32) {
        match self {
            Self::Rg32U => (gl::RG32UI, gl::RG_INTEGER, gl::UNSIGNED_INT),
            Self::Rgba32F => (gl::RGBA32F, gl::RGBA, gl::FLOAT),
            Self::R32F => (gl::R32F, gl::RED, gl::FLOAT),
            Self::Rgba8U => (gl::RGBA8UI, gl::RGBA_INTEGER, gl::UNSIGNED_BYTE),
            Self::Depth32F => (gl::DEPTH_COMPONENT32F, gl::DEPTH_COMPONENT, gl::FLOAT),
        }
    }

    /// Of one pixel.
    fn bytes(self) -> usize {
        match self {
            Self::Rg32U => 8,
            Self::Rgba32F => 16,
            Self::R32F | Self::Rgba8U | Self::Depth32F => 4,
        }
    }
}

/// Width and height in pixels.
pub(super) type Size = [u32; 2];

/// An image, or several of the same size.
#[derive(Debug)]
pub(super) struct Texture<'gl> {
    object: Object<'gl>,
    target: u32,
    _memory: Option<Unallocated>,
}

impl<'gl> Texture<'gl> {
    /// An uninitialized image.
    pub(super) fn new(gl: Current<'gl>, format: PixelFormat, size: Size) -> Result<Self, GlError> {
        let texture = Self::of_kind(gl, gl::TEXTURE_2D, bytes(format, size, 1));
        let ([width, height], (internal, external, kind)) = (size.map(signed), format.names());
        let internal = internal.cast_signed();
        let none = std::ptr::null();
        // SAFETY: the context is current, and without a source nothing is read.
        unsafe {
            gl::TexImage2D(
                gl::TEXTURE_2D,
                0,
                internal,
                width,
                height,
                0,
                external,
                kind,
                none,
            );
        };
        gl.check("glTexImage2D")?;
        Ok(texture)
    }

    /// `layers` uninitialized images.
    pub(super) fn layered(
        gl: Current<'gl>,
        format: PixelFormat,
        size: Size,
        layers: u32,
    ) -> Result<Self, GlError> {
        let texture = Self::of_kind(gl, gl::TEXTURE_2D_ARRAY, bytes(format, size, layers));
        let ([width, height], (internal, external, kind)) = (size.map(signed), format.names());
        let (layers, internal) = (signed(layers), internal.cast_signed());
        let (target, none) = (gl::TEXTURE_2D_ARRAY, std::ptr::null());
        // SAFETY: the context is current, and without a source nothing is read.
        unsafe {
            gl::TexImage3D(
                target, 0, internal, width, height, layers, 0, external, kind, none,
            );
        };
        gl.check("glTexImage3D")?;
        Ok(texture)
    }

    /// Without mipmaps, because a texture that lacks some is incomplete.
    fn of_kind(gl: Current<'gl>, target: u32, bytes: usize) -> Self {
        let memory = gl.book(bytes);
        let object = Object::new(gl, Kind::Texture);
        gl.active_texture(SCRATCH_UNIT);
        gl.bind_texture(target, object.id());
        for (name, value) in [
            (gl::TEXTURE_MIN_FILTER, gl::NEAREST),
            (gl::TEXTURE_MAG_FILTER, gl::NEAREST),
            (gl::TEXTURE_MAX_LEVEL, 0),
        ] {
            gl.tex_parameter(target, name, value.cast_signed());
        }
        Self {
            object,
            target,
            _memory: memory,
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.object.id()
    }

    pub(super) fn target(&self) -> u32 {
        self.target
    }
}

/// Of `layers` images.
fn bytes(format: PixelFormat, size: Size, layers: u32) -> usize {
    let [width, height, layers] = [size[0], size[1], layers].map(|count| count as usize);
    [width, height, layers]
        .into_iter()
        .fold(format.bytes(), usize::saturating_mul)
}

/// A framebuffer.
#[derive(Debug)]
pub(super) struct Framebuffer<'gl> {
    object: Object<'gl>,
}

impl<'gl> Framebuffer<'gl> {
    pub(super) fn new(gl: Current<'gl>) -> Self {
        let object = Object::new(gl, Kind::Framebuffer);
        Self { object }
    }

    /// Binds this framebuffer.
    pub(super) fn bind(&self) -> &Self {
        self.object
            .gl()
            .bind_framebuffer(gl::FRAMEBUFFER, self.object.id());
        self
    }

    /// Attaches a whole image to the bound framebuffer.
    pub(super) fn attach(&self, attachment: u32, texture: &Texture<'gl>) -> &Self {
        let (target, kind) = (gl::FRAMEBUFFER, texture.target());
        self.object
            .gl()
            .framebuffer_texture(target, attachment, kind, texture.id(), 0);
        self
    }

    /// Attaches one layer to the bound framebuffer.
    pub(super) fn attach_layer(&self, attachment: u32, texture: &Texture<'gl>, layer: u8) -> &Self {
        let (target, layer) = (gl::FRAMEBUFFER, i32::from(layer));
        self.object
            .gl()
            .framebuffer_layer(target, attachment, texture.id(), 0, layer);
        self
    }

    /// Draws into the first `count` colour attachments.
    ///
    /// # Errors
    ///
    /// [`GlError::Framebuffer`] if the driver cannot.
    pub(super) fn use_colors(&self, count: u8) -> Result<(), GlError> {
        let gl = self.object.gl();
        let attachments: Vec<u32> = (0..u32::from(count))
            .map(|k| gl::COLOR_ATTACHMENT0 + k)
            .collect();
        // SAFETY: the context is current; `count` numbers are read.
        unsafe { gl::DrawBuffers(i32::from(count), attachments.as_ptr()) };
        // SAFETY: the context is current; the argument is a number.
        let status = unsafe { gl::CheckFramebufferStatus(gl::FRAMEBUFFER) };
        if status != gl::FRAMEBUFFER_COMPLETE {
            return Err(GlError::Framebuffer { status });
        }
        gl.check("glDrawBuffers")
    }

    /// Fills colour attachment `index`, which has an integer format.
    pub(super) fn clear_numbers(&self, index: i32, value: [u32; 4]) {
        self.bind();
        // SAFETY: the context is current; four numbers are read.
        unsafe { gl::ClearBufferuiv(gl::COLOR, index, value.as_ptr()) };
    }

    /// Fills colour attachment `index`, which has a float format.
    pub(super) fn clear_floats(&self, index: i32, value: [f32; 4]) {
        self.bind();
        // SAFETY: the context is current; four numbers are read.
        unsafe { gl::ClearBufferfv(gl::COLOR, index, value.as_ptr()) };
    }

    /// Clears depth to the far plane.
    pub(super) fn clear_depth(&self) {
        self.bind();
        let far = 1.0_f32;
        // SAFETY: the context is current; one number is read from one local.
        unsafe { gl::ClearBufferfv(gl::DEPTH, 0, &raw const far) };
    }

    /// Reads colour attachment `index` of the bound framebuffer, row 0 first.
    pub(super) fn read<T: Plain>(
        &self,
        index: u32,
        format: PixelFormat,
        size: Size,
    ) -> Result<Vec<T>, GlError> {
        let gl = self.object.gl();
        let mut pixels = vec![T::default(); size[0] as usize * size[1] as usize];
        let ([width, height], (_, external, kind)) = (size.map(signed), format.names());
        assert_eq!(
            size_of::<T>(),
            4,
            "pixels that are read back have four bytes"
        );
        gl.read_buffer(gl::COLOR_ATTACHMENT0 + index);
        let into = pixels.as_mut_ptr().cast();
        // SAFETY: the context is current; rows of pixels of four bytes need no padding, and there is room for all.
        unsafe { gl::ReadPixels(0, 0, width, height, external, kind, into) };
        gl.check("glReadPixels")?;
        Ok(pixels)
    }
}

/// For tile sizes, which are far below the limit.
fn signed(size: u32) -> i32 {
    i32::try_from(size).unwrap_or(i32::MAX)
}
