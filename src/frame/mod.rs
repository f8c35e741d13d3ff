//! A finished image, and writing it to a file.

mod error;
pub mod png;
mod write;

pub use error::{FrameError, WriteError};
pub use write::{check_size_limit, write_file};

/// Colours and depths of an image, rows from the top.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// sRGB with straight alpha, `4 * width * height` bytes.
    pub rgba: Vec<u8>,
    /// Depth per pixel, 0 at the near and 1 at the far plane; the nearest sample's. 1 where nothing is.
    pub depth: Vec<f32>,
}

impl Frame {
    /// An empty frame: transparent, at the far plane.
    ///
    /// * `width`, `height` – in pixels.
    #[must_use]
    pub fn blank(width: u32, height: u32) -> Self {
        let pixels = width as usize * height as usize;
        Self {
            width,
            height,
            rgba: vec![0; 4 * pixels],
            depth: vec![1.0; pixels],
        }
    }
}
