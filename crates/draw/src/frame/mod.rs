//! A finished image, and writing it to a file.

pub mod png;
mod write;

use std::io;
use std::path::PathBuf;

use crate::shown;

pub use write::{check_size_limit, write_file, write_unsynced};

/// Colours and depths of an image, rows from the top.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// sRGB with straight alpha, `4 * width * height` bytes.
    pub rgba: Vec<u8>,
    /// Depth per pixel, 0 at the near and 1 at the far plane; the nearest sample's. 1 where there is no surface.
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

/// An image that cannot be encoded or decoded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The number of colours does not match the size.
    #[error("{actual} bytes of colour for {width}x{height} pixels")]
    WrongLength {
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
        /// Length of [`Frame::rgba`](Frame::rgba).
        actual: usize,
    },
    /// The PNG states a size beyond what skincheck supports.
    #[error("the image has {width}x{height} pixels; at most {max} are supported")]
    TooLarge {
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
        /// The most pixels supported.
        max: u64,
    },
    /// PNG cannot represent this image, such as one without pixels.
    #[error("cannot encode the image as PNG")]
    Encode(#[source] ::png::EncodingError),
    /// Not a PNG, or a damaged one.
    #[error("cannot decode the PNG image")]
    Decode(#[source] ::png::DecodingError),
}

/// A file that cannot be written. Anything at its path is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The path leads into a folder that does not exist.
    #[error(
        "cannot write {}: the folder {} does not exist",
        shown::path(path),
        shown::path(folder)
    )]
    FolderMissing {
        /// The file.
        path: PathBuf,
        /// The missing folder.
        folder: PathBuf,
    },
    /// The path is a folder.
    #[error("cannot write {}: it is a folder", shown::path(path))]
    IsFolder {
        /// The path.
        path: PathBuf,
    },
    /// The folder does not allow the temporary file to which the bytes are written first.
    #[error(
        "cannot write {}: cannot create a temporary file in the folder {}",
        shown::path(path),
        shown::path(folder)
    )]
    FolderClosed {
        /// The file.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The system refused: no permission, a full disk, ….
    #[error("cannot write {}", shown::path(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}
