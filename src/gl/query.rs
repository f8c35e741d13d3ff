//! Queries about a draw call.

use super::Current;
use super::object::{Kind, Object};

/// Counts events between begin and end.
#[derive(Debug)]
pub(super) struct Query<'gl> {
    object: Object<'gl>,
    target: u32,
}

impl<'gl> Query<'gl> {
    /// Counts the primitives that transform feedback writes.
    pub(super) fn written(gl: Current<'gl>) -> Self {
        Self::new(gl, gl::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN)
    }

    /// Is 1 if any sample passes.
    pub(super) fn any_drawn(gl: Current<'gl>) -> Self {
        Self::new(gl, gl::ANY_SAMPLES_PASSED)
    }

    fn new(gl: Current<'gl>, target: u32) -> Self {
        let object = Object::new(gl, Kind::Query);
        Self { object, target }
    }

    /// Runs `calls` and waits for the result of the query.
    pub(super) fn during<E>(&self, calls: impl FnOnce() -> Result<(), E>) -> Result<u32, E> {
        let gl = self.object.gl();
        gl.begin_query(self.target, self.object.id());
        let outcome = calls();
        gl.end_query(self.target);
        outcome?;
        let mut result = 0;
        // SAFETY: the context is current and the query live and ended; one number is written to one local.
        unsafe { gl::GetQueryObjectuiv(self.object.id(), gl::QUERY_RESULT, &raw mut result) };
        Ok(result)
    }
}
