//! The attributes of vertex shaders, and draw calls.

use std::mem::size_of;

use super::buffer::Buffer;
use super::object::{Kind, Object};
use super::{Current, GlError};

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
pub(super) fn draw_points(gl: Current<'_>, count: usize) -> Result<(), GlError> {
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
