//! The importer trait, its errors, and what an importer loses.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::text::printable;
use crate::lists::distinct;
use crate::names::is_same;
use crate::rig::Asset;

/// Reads the files of one or more formats. Importers are part of skincheck, so this trait is sealed.
///
/// To add one, write a file next to this one, and add a line to [`IMPORTERS`](super::IMPORTERS).
pub trait Importer: Sync + sealed::Sealed {
    /// Lower case, such as `assimp`; the value of [`Options::importer`](super::Options::importer).
    fn name(&self) -> &'static str;

    /// The extensions that it supports; lower case, without the leading dot. May contain a dot, as `mesh.xml` does.
    fn extensions(&self) -> &'static [&'static str];

    /// The version of the code that reads, such as `6.0.2`.
    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    /// Whether hostile files cannot harm the program that it runs in, so that it needs no child process. Such an
    /// importer is safe Rust, does not recurse, returns [`ImporterError::OutOfMemory`] rather than hold more than
    /// [`Wanted::memory_bytes`], and takes time in proportion to that and to the size of the file.
    fn is_contained(&self) -> bool {
        false
    }

    /// Reads the file at `path`. Runs in a child process, where a crash costs nothing, or [is
    /// contained](Importer::is_contained).
    ///
    /// Images are those of the file ([`ImageData::File`](crate::rig::ImageData::File) and
    /// [`Encoded`](crate::rig::ImageData::Encoded)), or decoded if the importer decodes them anyway.
    ///
    /// # Errors
    ///
    /// [`ImporterError`], in the importer's own words if it has any.
    fn import(&self, path: &Path) -> Result<Asset, ImporterError> {
        self.import_some(path, &Wanted::default())
    }

    /// Reads the file, without the parts that are not `wanted`. May read more.
    ///
    /// # Errors
    ///
    /// As [`Importer::import`], [`ImporterError::OutOfMemory`] past [`Wanted::memory_bytes`], and
    /// [`ImporterError::NeedsProcess`].
    fn import_some(&self, path: &Path, wanted: &Wanted) -> Result<Asset, ImporterError>;
}

/// The wanted parts of a file, and the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The clips to read.
    pub clips: Clips,
    /// The variant of the materials; the default materials if `None` or if the file has no such variant.
    pub variant: Option<String>,
    /// The maximum memory for an importer that [is contained](Importer::is_contained).
    pub memory_bytes: u64,
    /// Whether code in C or C++ may run: not in a thread, whose crash is the program's.
    pub may_run_foreign_code: bool,
    /// Folders besides the model's own whose files it may name.
    pub read_from: Vec<PathBuf>,
    /// Whether the model keeps what codecs decoded ([`Origins::decoded`](crate::rig::Origins::decoded)).
    pub decoded: bool,
}

impl Default for Wanted {
    /// Everything, without limits.
    fn default() -> Self {
        Self {
            clips: Clips::All,
            variant: None,
            memory_bytes: u64::MAX,
            may_run_foreign_code: true,
            read_from: Vec::new(),
            decoded: false,
        }
    }
}

/// The clips of a file to read. Of others, only names may be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Clips {
    /// Every one.
    #[default]
    All,
    /// None.
    None,
    /// The clip with this name (in any case, with or without its prefix) or index (from 0); `default` is the first, whether or
    /// not it moves. Several clips may match.
    One(String),
}

impl Clips {
    /// Whether the clip of this name and index is wanted.
    #[must_use]
    pub fn include(&self, name: &str, index: usize) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::One(wanted) => {
                is_same(wanted, name)
                    || wanted.parse() == Ok(index)
                    || (wanted == "default" && index == 0)
            }
        }
    }
}

/// The reason why an importer could not read a file. Sent from the child process to its parent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum ImporterError {
    /// The importer does not understand the file.
    #[error("{message}")]
    Parse {
        /// In the importer's own words.
        message: String,
        /// Whether the message says what to do.
        has_advice: bool,
    },
    /// The importer succeeded but returned nothing.
    #[error("the file has no scene")]
    NoScene,
    /// The file needs a feature that the importer does not support.
    #[error("{what} is not supported")]
    Unsupported {
        /// The unsupported feature.
        what: String,
    },
    /// The file requires an extension of its format that the importer does not support.
    #[error("the file requires the extension {extension}, which is not supported; {advice}")]
    Extension {
        /// Its name, such as `EXT_texture_avif`.
        extension: String,
        /// How to make a file that can be read.
        advice: String,
    },
    /// The importer cannot open this path.
    #[error("the importer cannot open this path: {reason}; rename the file")]
    Path {
        /// Such as `it is not UTF-8`.
        reason: String,
    },
    /// The importer's result is inconsistent.
    #[error("the importer returned inconsistent data: {what}")]
    Inconsistent {
        /// The mismatch.
        what: String,
    },
    /// There is not enough memory to start.
    #[error("out of memory")]
    OutOfMemory,
    /// The file needs code in C or C++, which [may not run](Wanted::may_run_foreign_code) here.
    #[error("it is read by code in C++, which needs a process of its own")]
    NeedsProcess,
    /// The importer's Rust part panicked.
    #[error("the importer panicked: {message}")]
    Panicked {
        /// The panic's message.
        message: String,
    },
    /// The child process does not have the requested importer.
    #[error("this build has no importer named {name:?}")]
    Unknown {
        /// The requested name.
        name: String,
    },
    /// The model cannot be written to the pipe.
    #[error("the model cannot be sent to the main process: {reason}")]
    Unsendable {
        /// The cause.
        reason: String,
    },
}

/// The longest message of an importer in characters: some quote the rest of the file.
const LONGEST_MESSAGE: usize = 300;

impl ImporterError {
    /// A file that the importer does not understand.
    pub(super) fn parse(why: impl Display) -> Self {
        Self::Parse {
            message: why.to_string(),
            has_advice: false,
        }
    }

    /// As [`ImporterError::parse`], with a message that says what to do.
    pub(super) fn advised(why: impl Display) -> Self {
        Self::Parse {
            message: why.to_string(),
            has_advice: true,
        }
    }

    /// Whether exporting the file again is not what helps, or the message says so.
    pub(super) fn has_advice(&self) -> bool {
        match self {
            Self::Parse { has_advice, .. } => *has_advice,
            Self::NoScene | Self::Inconsistent { .. } | Self::Panicked { .. } => false,
            Self::Unsupported { .. }
            | Self::Extension { .. }
            | Self::Path { .. }
            | Self::OutOfMemory
            | Self::NeedsProcess
            | Self::Unknown { .. }
            | Self::Unsendable { .. } => true,
        }
    }

    /// The error with its texts cut to a readable length, and without control characters.
    pub(super) fn quotable(mut self) -> Self {
        match &mut self {
            Self::Parse { message: text, .. }
            | Self::Unsupported { what: text }
            | Self::Extension {
                extension: text, ..
            }
            | Self::Path { reason: text }
            | Self::Inconsistent { what: text }
            | Self::Panicked { message: text }
            | Self::Unknown { name: text }
            | Self::Unsendable { reason: text } => *text = printable(text.trim(), LONGEST_MESSAGE),
            Self::NoScene | Self::OutOfMemory | Self::NeedsProcess => {}
        }
        self
    }
}

/// All extensions that `importers` support, sorted, each once.
pub(super) fn known_extensions(importers: &[&dyn Importer]) -> Vec<&'static str> {
    let lists = importers.iter().map(|importer| importer.extensions());
    distinct(lists.flatten().copied())
}

/// Seals [`Importer`]: its process runs skincheck itself, so other crates cannot add one.
pub(crate) mod sealed {
    pub trait Sealed {}
}
