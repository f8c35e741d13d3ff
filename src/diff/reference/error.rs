//! Why a reference cannot be read.

use std::fmt;
use std::io;

use super::SCHEMA;
use crate::shown::escaped;

/// Why a reference cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The file cannot be read.
    #[error("the file cannot be read")]
    Io(#[from] io::Error),
    /// The line of JSON is missing or invalid.
    #[error("its first line is not a header with the schema {SCHEMA}")]
    Header(#[source] Option<serde_json::Error>),
    /// The header contradicts itself.
    #[error("{0}")]
    Inconsistent(String),
    /// The number of values differs from the header's.
    #[error("expected {expected} bytes of numbers after the header, found {found}")]
    Length {
        /// According to the header.
        expected: u64,
        /// In the file.
        found: u64,
    },
    /// A packed reference that is cut off or changed.
    #[error("its packed numbers are damaged")]
    Damaged,
    /// The header announces more than may be read.
    #[error(
        "its numbers take {} MiB of memory, more than the limit for a file of its size, {} MiB",
        bytes >> 20,
        limit >> 20
    )]
    TooLarge {
        /// Memory for what the header announces.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The numbers make sense in reverse byte order only.
    #[error("its numbers are big-endian; write them little-endian (\"<f4\" and \"<u4\" in NumPy)")]
    BigEndian,
    /// A triangle or an influence refers to a vertex or node that does not exist.
    #[error("mesh \"{mesh}\": {user} refers to {target} {index}, but there are only {count}")]
    OutOfRange {
        /// The name of the mesh.
        mesh: String,
        /// The triangle, or the vertex with the influence.
        user: String,
        /// `vertex` or `node`.
        target: &'static str,
        /// The index.
        index: u32,
        /// One more than the largest valid index.
        count: usize,
    },
    /// A number is NaN, infinite, or larger than in any scene.
    #[error("{place} is not finite or is beyond 1e9, which references do not allow")]
    Implausible {
        /// What it belongs to.
        place: String,
    },
    /// Translations are in the last row of matrices.
    #[error(
        "{what} are stored by rows; write them by columns, so that the last four numbers are x, y, z and 1"
    )]
    Rows {
        /// The matrices.
        what: &'static str,
    },
    /// The stored positions show that matrices are not `world_from_node` by columns.
    #[error(
        "it contradicts itself: skinning its meshes misses its positions by {stated:.3} % of the size, but by {found:.3} \
         % if {mistake}; every matrix must be world_from_node by columns, and `rest` the pose that meshes are bound in"
    )]
    Matrices {
        /// What the matrices seem to be.
        mistake: Mistake,
        /// The mean distance between skinned and stored positions, in percent of the size of the meshes.
        stated: f64,
        /// The same if the mistake is taken into account.
        found: f64,
    },
}

/// What stored matrices seem to be.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Mistake {
    /// They follow other conventions.
    Conventions {
        /// Those of `rest`.
        rest: Convention,
        /// Those of the frames.
        frames: Convention,
    },
    /// `rest` is the pose of a frame, while the mesh is bound in another pose.
    Posed {
        /// The name of the clip.
        clip: String,
        /// The time of the frame in seconds.
        time: f64,
    },
}

/// How a matrix is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Convention {
    /// `world_from_node` by columns.
    World,
    /// `world_from_node` by rows.
    Rows,
    /// `node_from_world`.
    Inverse,
    /// `parent_from_node`.
    Local,
}

impl Convention {
    fn words(self) -> &'static str {
        match self {
            Self::World => "world matrices by columns",
            Self::Rows => "stored by rows",
            Self::Inverse => "inverse matrices, as inverse bind matrices are",
            Self::Local => "relative to the parent node",
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Convention::World;
        match self {
            Self::Conventions { rest, frames } if rest == frames => {
                write!(
                    formatter,
                    "`rest` and the matrices of frames are {}",
                    rest.words()
                )
            }
            Self::Conventions {
                rest,
                frames: World,
            } => {
                write!(formatter, "the matrices in `rest` are {}", rest.words())
            }
            Self::Conventions {
                rest: World,
                frames,
            } => {
                write!(formatter, "the matrices of frames are {}", frames.words())
            }
            Self::Conventions { rest, frames } => write!(
                formatter,
                "the matrices in `rest` are {} and those of frames {}",
                rest.words(),
                frames.words()
            ),
            Self::Posed { clip, time } => write!(
                formatter,
                "`rest` is the pose of clip \"{}\" at {time} s instead of the one that the mesh is bound in",
                escaped(clip)
            ),
        }
    }
}
