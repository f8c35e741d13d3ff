//! A driver's information about itself.

use std::ffi::CStr;

use super::Current;

/// A driver's information about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GlInfo {
    /// `GL_VENDOR`.
    pub vendor: String,
    /// `GL_RENDERER`.
    pub renderer: String,
    /// `GL_VERSION`.
    pub version: String,
    /// Major and minor version of OpenGL.
    pub api: [i32; 2],
    /// Whether it is a software rasterizer.
    pub is_software: bool,
    /// `GL_MAX_SAMPLES`. Images do not depend on it.
    pub max_samples: i32,
    /// Most texels of a buffer texture, which limits influences, joints, triangles and images.
    pub max_buffer_texels: usize,
    /// The longest side of a texture in texels.
    pub max_texture_side: usize,
    /// Bits of a pixel's fraction that corners are rounded to.
    pub subpixel_bits: i32,
}

impl GlInfo {
    pub(super) fn read(gl: Current<'_>) -> Self {
        let renderer = text(gl, gl::RENDERER);
        Self {
            vendor: text(gl, gl::VENDOR),
            version: text(gl, gl::VERSION),
            api: [
                integer(gl, gl::MAJOR_VERSION),
                integer(gl, gl::MINOR_VERSION),
            ],
            is_software: super::choice::is_software(&renderer),
            max_samples: integer(gl, gl::MAX_SAMPLES),
            max_buffer_texels: size(gl, gl::MAX_TEXTURE_BUFFER_SIZE),
            max_texture_side: size(gl, gl::MAX_TEXTURE_SIZE),
            subpixel_bits: integer(gl, gl::SUBPIXEL_BITS),
            renderer,
        }
    }
}

fn size(gl: Current<'_>, name: u32) -> usize {
    usize::try_from(integer(gl, name)).unwrap_or_default()
}

fn integer(_: Current<'_>, name: u32) -> i32 {
    let mut value = 0;
    // SAFETY: the context is current, and all names used here have one value, for which there is room.
    unsafe { gl::GetIntegerv(name, &raw mut value) };
    value
}

fn text(_: Current<'_>, name: u32) -> String {
    // SAFETY: the context is current.
    let text = unsafe { gl::GetString(name) };
    if text.is_null() {
        return String::new();
    }
    // SAFETY: OpenGL returns strings that end with 0 and live as long as the context.
    let text = unsafe { CStr::from_ptr(text.cast()) };
    text.to_string_lossy().into_owned()
}
