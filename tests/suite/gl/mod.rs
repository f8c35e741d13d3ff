//! The OpenGL path compared with the CPU path, from outside.
#![expect(
    clippy::print_stdout,
    reason = "what was measured, and what an inner run found, is told on standard output"
)]

mod images;
mod memory;
mod missing;
mod textures;

use skincheck::backend::{Backend, BackendError, Device, Driver, Gl};
use skincheck::gl::GlError;

/// `None` without OpenGL, unless `SKINCHECK_REQUIRE_GL` is set.
fn open() -> Option<Box<dyn Device>> {
    match Gl.open(Driver::Auto) {
        Ok(device) => Some(device),
        Err(BackendError::Gl(GlError::Unavailable(missing))) => {
            let required = std::env::var_os("SKINCHECK_REQUIRE_GL").is_some();
            assert!(!required, "OpenGL is required: {missing}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}
