//! Buffers, the attributes of vertex shaders, draw calls, and shaders that compute without drawing.

use std::mem::{size_of, size_of_val};

use super::object::{Kind, Object, Query, SCRATCH_UNIT};
use super::{Current, GlError};
use crate::account::Unallocated;

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
    _memory: Option<Unallocated>,
}

/// The least size of a buffer: OpenGL need not accept empty ones everywhere.
const LEAST_BYTES: usize = 16;

/// About what Mesa holds for a buffer besides its bytes: the object, the texture through which shaders read it, their views.
pub(super) const OBJECT_BYTES: usize = 16 << 10;

impl<'gl> Buffer<'gl> {
    /// An uninitialized buffer of `bytes` bytes.
    pub(super) fn empty(gl: Current<'gl>, bytes: usize) -> Result<Self, GlError> {
        let object = Object::new(gl, Kind::Buffer);
        let bytes = bytes.max(LEAST_BYTES);
        let memory = gl.book(bytes.saturating_add(OBJECT_BYTES));
        gl.bind_buffer(gl::ARRAY_BUFFER, object.id());
        let size = bytes.cast_signed(); // Sizes in memory are below `isize::MAX`.
        // SAFETY: the context is current, and without a source nothing is read.
        unsafe { gl::BufferData(gl::ARRAY_BUFFER, size, std::ptr::null(), gl::DYNAMIC_COPY) };
        gl.check("glBufferData")?;
        Ok(Self {
            object,
            bytes,
            _memory: memory,
        })
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

/// Attributes 0, 1, … of a vertex: three floats each, one after the other.
#[derive(Debug)]
pub(super) struct VertexArray<'gl> {
    object: Object<'gl>,
}

/// A vector of the vertices, in bytes.
const VECTOR: usize = 3 * size_of::<f32>();

impl<'gl> VertexArray<'gl> {
    /// No attributes: the shader reads only the vertex index.
    pub(super) fn bare(gl: Current<'gl>) -> Self {
        let object = Object::new(gl, Kind::VertexArray);
        Self { object }
    }

    /// * `vertices` – `stride` vectors per vertex; the first `attributes` are read.
    /// * `elements` – for draw calls by index.
    pub(super) fn new(
        vertices: &Buffer<'gl>,
        attributes: u8,
        stride: u8,
        elements: Option<&Buffer<'gl>>,
    ) -> Result<Self, GlError> {
        let gl = vertices.gl();
        let array = Self::bare(gl);
        array.bind();
        gl.bind_buffer(gl::ARRAY_BUFFER, vertices.id());
        for index in 0..attributes {
            attribute(gl, index, stride);
        }
        if let Some(elements) = elements {
            gl.bind_buffer(gl::ELEMENT_ARRAY_BUFFER, elements.id());
        }
        gl.check("glVertexAttribPointer")?;
        Ok(array)
    }

    pub(super) fn bind(&self) {
        self.object.gl().bind_vertex_array(self.object.id());
    }
}

fn attribute(gl: Current<'_>, index: u8, stride: u8) {
    let offset = std::ptr::without_provenance(usize::from(index) * VECTOR);
    let (index, stride) = (u32::from(index), i32::from(stride) * signed(VECTOR));
    // SAFETY: the context is current; a buffer is bound, so the pointer is an offset into it and read by no one here.
    unsafe { gl::VertexAttribPointer(index, 3, gl::FLOAT, gl::FALSE, stride, offset) };
    gl.enable_attribute(index);
}

/// Runs the bound program's vertex shader for `count` vertices of the bound array, as points.
fn draw_points(gl: Current<'_>, count: usize) -> Result<(), GlError> {
    // SAFETY: the context is current; the bound array's attributes hold as many vertices, or the shader reads none.
    unsafe { gl::DrawArrays(gl::POINTS, 0, signed(count)) };
    gl.check("glDrawArrays")
}

/// Runs the bound program for every pixel of the viewport.
pub(super) fn draw_everywhere(gl: Current<'_>) -> Result<(), GlError> {
    // SAFETY: the context is current; the shader that makes the triangle around the viewport reads no attributes.
    unsafe { gl::DrawArrays(gl::TRIANGLES, 0, 3) };
    gl.check("glDrawArrays")
}

/// Draws `count` triangles of the bound array's elements, from triangle `first` on.
///
/// All elements are vertices of the array's buffers.
pub(super) fn draw_triangles(gl: Current<'_>, first: usize, count: usize) -> Result<(), GlError> {
    let offset = std::ptr::without_provenance(first * size_of::<[u32; 3]>());
    let count = signed(3 * count);
    // SAFETY: the context is current; an element buffer is bound, so the pointer is an offset into it. OpenGL refuses or
    // ignores what is outside it, and its elements were validated with the asset.
    unsafe { gl::DrawElements(gl::TRIANGLES, count, gl::UNSIGNED_INT, offset) };
    gl.check("glDrawElements")
}

/// Counts are limited earlier.
fn signed(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// A range of a buffer, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) first: usize,
    pub(super) bytes: usize,
}

/// Runs the bound program on `count` vertices of the bound array and stores its output in `part` of `into`.
///
/// # Errors
///
/// [`GlError::Feedback`] if not everything was written.
pub(super) fn run_feedback<'gl>(
    gl: Current<'gl>,
    count: usize,
    into: &Buffer<'gl>,
    part: Part,
) -> Result<(), GlError> {
    if count == 0 {
        return Ok(());
    }
    let (first, bytes) = (part.first.cast_signed(), part.bytes.cast_signed());
    gl.bind_buffer_range(gl::TRANSFORM_FEEDBACK_BUFFER, 0, into.id(), first, bytes);
    gl.enable(gl::RASTERIZER_DISCARD);
    let written = Query::written(gl).during(|| {
        gl.begin_transform_feedback(gl::POINTS);
        let drawn = draw_points(gl, count);
        gl.end_transform_feedback();
        drawn
    });
    gl.disable(gl::RASTERIZER_DISCARD);
    gl.bind_buffer(gl::TRANSFORM_FEEDBACK_BUFFER, 0);
    gl.check("glEndTransformFeedback")?;
    let (written, sent) = (u64::from(written?), count as u64);
    if written == sent {
        Ok(())
    } else {
        Err(GlError::Feedback { written, sent })
    }
}
