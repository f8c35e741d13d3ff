//! OpenGL for tests.

use super::{GlChoice, GlError, Offscreen};

/// A context. Without OpenGL it is `None` and the test is skipped, unless `SKINCHECK_REQUIRE_GL` is set.
#[doc(hidden)]
pub(crate) fn open() -> Option<Offscreen> {
    match Offscreen::open(GlChoice::Auto) {
        Ok(offscreen) => Some(offscreen),
        Err(GlError::Unavailable(missing)) => {
            let required = std::env::var_os("SKINCHECK_REQUIRE_GL").is_some();
            assert!(!required, "OpenGL is required: {missing}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}
