//! What can go wrong between a picture and its file.

use std::io;
use std::path::PathBuf;

use crate::shown;

/// A picture that cannot be encoded or decoded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The colours are more or fewer than the size asks for.
    #[error("{actual} bytes of color for {width}x{height} pixels")]
    WrongLength {
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
        /// Length of [`Frame::rgba`](super::Frame::rgba).
        actual: usize,
    },
    /// The PNG says that it is larger than any picture that skincheck draws.
    #[error("the image has {width}x{height} pixels; at most {max} are supported")]
    TooLarge {
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
        /// The most pixels that are read.
        max: u64,
    },
    /// No PNG can hold this picture, such as one without pixels.
    #[error("cannot encode the image as PNG")]
    Encode(#[source] ::png::EncodingError),
    /// No PNG, or a damaged one.
    #[error("cannot decode the PNG image")]
    Decode(#[source] ::png::DecodingError),
}

/// A file that cannot be written. Whatever was at its path before is still there.
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
        /// The folder that it was to be in.
        folder: PathBuf,
    },
    /// The path is that of a folder.
    #[error("cannot write {}: it is a folder", shown::path(path))]
    IsFolder {
        /// The alleged file.
        path: PathBuf,
    },
    /// No file can be made in the folder, where the bytes go first, so that there is never a part of a file.
    #[error(
        "cannot write {}: cannot create a temporary file in the folder {}",
        shown::path(path),
        shown::path(folder)
    )]
    FolderClosed {
        /// The file.
        path: PathBuf,
        /// The folder that it is in, or was to be in.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The system refused: no permission, a full disk, ….
    #[error("cannot write {}", shown::path(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}
