//! Buffers, and buffers that shaders read by index.

use std::mem::{size_of, size_of_val};

use super::calls::SCRATCH_UNIT;
use super::object::{Kind, Object};
use super::{Current, GlError};

/// Element types of buffers: plain numbers without padding, valid for any bits.
pub(super) trait Plain: Copy + Default {}

impl Plain for u8 {}
impl Plain for u32 {}
impl Plain for f32 {}
impl<T: Plain, const N: usize> Plain for [T; N] where [T; N]: Default {}

/// An OpenGL buffer object, deleted on drop.
#[derive(Debug)]
pub(super) struct Buffer<'gl> {
    object: Object<'gl>,
    bytes: usize,
}

/// The least size of a buffer: OpenGL need not accept empty ones everywhere.
const LEAST_BYTES: usize = 16;

impl<'gl> Buffer<'gl> {
    /// An uninitialized buffer of `bytes` bytes.
    pub(super) fn empty(gl: Current<'gl>, bytes: usize) -> Result<Self, GlError> {
        let object = Object::new(gl, Kind::Buffer);
        let bytes = bytes.max(LEAST_BYTES);
        gl.bind_buffer(gl::ARRAY_BUFFER, object.id());
        let size = bytes.cast_signed(); // Sizes in memory are below `isize::MAX`.
        // SAFETY: the context is current, and without a source nothing is read.
        unsafe { gl::BufferData(gl::ARRAY_BUFFER, size, std::ptr::null(), gl::DYNAMIC_COPY) };
        gl.check("glBufferData")?;
        Ok(Self { object, bytes })
    }

    /// A buffer with `data`.
    pub(super) fn upload<T: Plain>(gl: Current<'gl>, data: &[T]) -> Result<Self, GlError> {
        let buffer = Self::empty(gl, size_of_val(data))?;
        buffer.write(0, data)?;
        Ok(buffer)
    }

    /// Overwrites the elements from `first` on.
    pub(super) fn write<T: Plain>(&self, first: usize, data: &[T]) -> Result<(), GlError> {
        let gl = self.object.gl();
        if data.is_empty() {
            return Ok(());
        }
        gl.bind_buffer(gl::ARRAY_BUFFER, self.id());
        let offset = (first * size_of::<T>()).cast_signed();
        let size = size_of_val(data).cast_signed(); // A slice never exceeds `isize::MAX` bytes.
        // SAFETY: `data` is alive for the call and `size` bytes long; OpenGL copies it before returning, and refuses a
        // range that is not in the buffer.
        unsafe { gl::BufferSubData(gl::ARRAY_BUFFER, offset, size, data.as_ptr().cast()) };
        gl.check("glBufferSubData")
    }

    /// The first `count` elements.
    pub(super) fn read<T: Plain>(&self, count: usize) -> Result<Vec<T>, GlError> {
        let gl = self.object.gl();
        let mut data = vec![T::default(); count];
        if data.is_empty() {
            return Ok(data);
        }
        gl.bind_buffer(gl::ARRAY_BUFFER, self.id());
        let size = size_of_val(&data[..]).cast_signed();
        // SAFETY: `data` is writable and `size` bytes long, any bits are values of it, and OpenGL refuses a range that is
        // not in the buffer.
        unsafe { gl::GetBufferSubData(gl::ARRAY_BUFFER, 0, size, data.as_mut_ptr().cast()) };
        gl.check("glGetBufferSubData")?;
        Ok(data)
    }

    pub(super) fn id(&self) -> u32 {
        self.object.id()
    }

    pub(super) fn gl(&self) -> Current<'gl> {
        self.object.gl()
    }

    /// The size in bytes; at least the requested one.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The format in which a shader reads a buffer, one texel at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TexelFormat {
    /// `float`.
    R32F,
    /// `vec2`.
    Rg32F,
    /// `vec4`.
    Rgba32F,
    /// `uint`.
    R32U,
    /// `uvec2`.
    Rg32U,
    /// `uvec4`.
    Rgba32U,
    /// `uvec4` of bytes.
    Rgba8U,
}

impl TexelFormat {
    fn name(self) -> u32 {
        match self {
            Self::R32F => gl::R32F,
            Self::Rg32F => gl::RG32F,
            Self::Rgba32F => gl::RGBA32F,
            Self::R32U => gl::R32UI,
            Self::Rg32U => gl::RG32UI,
            Self::Rgba32U => gl::RGBA32UI,
            Self::Rgba8U => gl::RGBA8UI,
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::R32F | Self::R32U | Self::Rgba8U => 4,
            Self::Rg32F | Self::Rg32U => 8,
            Self::Rgba32F | Self::Rgba32U => 16,
        }
    }
}

/// A buffer that shaders read by index: of any size, unlike uniforms.
#[derive(Debug)]
pub(super) struct TexelBuffer<'gl> {
    texture: Object<'gl>,
    buffer: Buffer<'gl>,
}

impl<'gl> TexelBuffer<'gl> {
    /// Lets shaders read `buffer`.
    ///
    /// * `what` – for the error, such as `the influences`.
    ///
    /// # Errors
    ///
    /// [`GlError::TooLarge`] if it has more texels than shaders can address.
    pub(super) fn new(
        buffer: Buffer<'gl>,
        format: TexelFormat,
        what: &'static str,
    ) -> Result<Self, GlError> {
        let gl = buffer.gl();
        let texels = buffer.bytes() / format.bytes();
        check_count(texels, gl.info().max_buffer_texels, what)?;
        let texture = Object::new(gl, Kind::Texture);
        gl.active_texture(SCRATCH_UNIT);
        gl.bind_texture(gl::TEXTURE_BUFFER, texture.id());
        gl.tex_buffer(gl::TEXTURE_BUFFER, format.name(), buffer.id());
        gl.check("glTexBuffer")?;
        Ok(Self { texture, buffer })
    }

    /// Uploads `data` for shaders to read.
    ///
    /// # Errors
    ///
    /// As [`TexelBuffer::new`].
    pub(super) fn upload<T: Plain>(
        gl: Current<'gl>,
        data: &[T],
        format: TexelFormat,
        what: &'static str,
    ) -> Result<Self, GlError> {
        Self::new(Buffer::upload(gl, data)?, format, what)
    }

    pub(super) fn texture(&self) -> u32 {
        self.texture.id()
    }

    pub(super) fn buffer(&self) -> &Buffer<'gl> {
        &self.buffer
    }
}

/// Refuses more of `what` than `limit`.
pub(super) fn check_count(needed: usize, limit: usize, what: &'static str) -> Result<(), GlError> {
    if needed > limit {
        return Err(GlError::TooLarge {
            what,
            needed,
            limit,
        });
    }
    Ok(())
}
