//! Transform feedback: vertex shaders that compute without drawing.

use super::buffer::Buffer;
use super::query::Query;
use super::vertex_array::draw_points;
use super::{Current, GlError};

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
pub(super) fn run<'gl>(
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
