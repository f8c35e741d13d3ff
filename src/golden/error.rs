//! Errors of testing and approving models.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use crate::backend::BackendError;
use crate::check::WalkError;
use crate::check::config::{ConfigError, Position};
use crate::compare::PixelError;
use crate::diff::DiffError;
use crate::diff::reference::ReferenceError;
use crate::frame::{FrameError, WriteError};
use crate::import::ImportError;
use crate::pose::{PlaybackError, SelectError};
use crate::shown;
use crate::skinning::SkinningError;
use crate::units::first_few;
use crate::view::ViewError;
use crate::work::Ended;

/// The reason why models could not be tested or approved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GoldenError {
    /// There is no configuration.
    #[error(
        "no skincheck.toml in this folder or above it; write one that names models, such as:\n[[test]]\nmodel = \
        \"characters/*.glb\""
    )]
    NoConfig,
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The configuration has no tests.
    #[error(
        "{}: this configuration names no models to test; add a table, such as:\n[[test]]\nmodel = \"characters/*.glb\"",
        shown::path(path)
    )]
    NoTests {
        /// The configuration.
        path: PathBuf,
    },
    /// A test matches no model.
    #[error("{}:{position}: no model matches {pattern:?}", shown::path(path))]
    NoModel {
        /// The configuration.
        path: PathBuf,
        /// The location of the test.
        position: Position,
        /// The pattern.
        pattern: String,
    },
    /// A filter matches no model.
    #[error("no tested model matches {filter:?}; {}", listed(known))]
    UnknownModel {
        /// The filter.
        filter: String,
        /// The tested models.
        known: Vec<String>,
    },
    /// A folder cannot be read.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The model cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// No clip of the model is tested.
    #[error("no clip is named {}; the model has {}", .patterns.join(" or "), listed_clips(.clips))]
    NoClip {
        /// The patterns in the configuration, in quotes.
        patterns: Vec<String>,
        /// The names of the model's clips.
        clips: Vec<String>,
    },
    /// There is nothing to approve.
    #[error("the model has neither nodes nor vertices to test; exclude it, or name other models")]
    Empty,
    /// Approved numbers or an approved image are damaged.
    #[error(
        "{}: {source}; restore it from version control, or delete it, check the model and approve it again with \
        skincheck accept",
        shown::path(path)
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The cause: a [`ReferenceError`] or a [`FrameError`].
        source: Box<dyn Error + Send + Sync>,
    },
    /// There are more poses than an approval may hold.
    #[error(
        "its approval could not be read again: {0}; select fewer clips or times in skincheck.toml"
    )]
    TooLarge(#[source] ReferenceError),
    /// The approval is a Git LFS pointer.
    #[error(
        "{}: this is a Git LFS pointer; fetch the file with git lfs pull",
        shown::path(path)
    )]
    Pointer {
        /// The file.
        path: PathBuf,
    },
    /// The approval is a link, a pipe or a device.
    #[error(
        "{}: approvals must be regular files in regular folders, not links, pipes or devices; remove it and approve the \
        model again with skincheck accept",
        shown::path(path)
    )]
    NotPlain {
        /// The file or folder.
        path: PathBuf,
    },
    /// The approval cannot be read from the disk.
    #[error("cannot read {}", shown::path(path))]
    Unreadable {
        /// The path of the file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The approval cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A folder cannot be created, or a file not removed.
    #[error("cannot {what} {}; check its permissions", shown::path(path))]
    Folder {
        /// `create` or `remove`.
        what: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Numbers cannot be compared.
    #[error(transparent)]
    Diff(#[from] DiffError),
    /// An earlier attempt of this run has ended at the model.
    #[error(transparent)]
    Ended(#[from] Ended),
    /// The model cannot be posed or drawn.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The model cannot be skinned.
    #[error(transparent)]
    Skinning(#[from] SkinningError),
    /// A sample time in the configuration is not valid.
    #[error(transparent)]
    Time(#[from] PlaybackError),
    /// A joint of `show` does not exist in the model.
    #[error(transparent)]
    Joint(#[from] SelectError),
    /// `show` is invalid.
    #[error(transparent)]
    View(#[from] ViewError),
    /// An image cannot be encoded.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// Images cannot be compared.
    #[error(transparent)]
    Pixels(#[from] PixelError),
}

/// The most names in a message.
const MOST: usize = 12;

fn listed(names: &[String]) -> String {
    format!(
        "the tested models are {}",
        first_few(names.iter().cloned(), MOST)
    )
}

fn listed_clips(names: &[String]) -> String {
    if names.is_empty() {
        return "no clips".to_owned();
    }
    first_few(names.iter().map(|name| format!("{name:?}")), MOST)
}
