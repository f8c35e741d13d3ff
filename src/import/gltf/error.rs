//! What can be wrong with a glTF file, and where.

use super::container::ContainerError;
use crate::import::ImporterError;

/// Why a file makes no model. Places are written as in JavaScript, such as `accessors[3]`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum GltfError {
    /// The file itself.
    #[error("{reason}")]
    Unreadable {
        /// The error of the operating system.
        reason: String,
    },
    /// The binary container.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// The text ends in the middle.
    #[error(
        "the JSON text is cut off at line {line}, column {column}; copy or export the file again"
    )]
    CutOff {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// The text is not JSON.
    #[error("the JSON text cannot be read: {reason}")]
    Syntax {
        /// In the parser's words, with line and column.
        reason: String,
    },
    /// A part has not the form that the standard asks for.
    #[error("{location}: {reason}")]
    Malformed {
        /// Which part.
        location: String,
        /// In the parser's words.
        reason: String,
    },
    /// A part refers to another that is not there.
    #[error("{location}: {kind} {index} is missing; there are {count}")]
    Missing {
        /// Which part.
        location: String,
        /// The kind of object it refers to.
        kind: &'static str,
        /// By this number.
        index: u64,
        /// How many of that kind there are.
        count: usize,
    },
    /// Another version of the standard.
    #[error("glTF version {version}")]
    Version {
        /// The stated version.
        version: String,
    },
    /// Something that only an unknown extension can tell.
    #[error("the glTF extension {name}, which the file requires ({advice}),")]
    Extension {
        /// Its name.
        name: String,
        /// Advice for the user.
        advice: &'static str,
    },
    /// Data behind an accessor.
    #[error("{location}: {problem}")]
    Access {
        /// Which part.
        location: String,
        /// The cause.
        problem: AccessProblem,
    },
    /// A mesh that contradicts itself.
    #[error("{location}: {problem}")]
    Primitive {
        /// Such as `meshes[0].primitives[1]`.
        location: String,
        /// The cause.
        problem: PrimitiveProblem,
    },
}

/// Why the numbers of an accessor cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum AccessProblem {
    /// Of component or element.
    #[error("is of an unknown type")]
    UnknownType,
    /// Not what it is used for.
    #[error("holds {found} where {expected} is expected")]
    Unfit {
        /// Such as `SCALAR`.
        found: &'static str,
        /// Such as `VEC3`.
        expected: &'static str,
    },
    /// Past the end of a buffer view or a buffer.
    #[error("needs {needed} bytes of {of}, which has {available}")]
    OutOfRange {
        /// From the start of `of`.
        needed: u64,
        /// Where they are to be.
        of: String,
        /// How many there are.
        available: u64,
    },
    /// Elements on top of each other.
    #[error("byteStride is {stride}, less than the {size} bytes of an element")]
    Overlap {
        /// In bytes.
        stride: u64,
        /// The size of an element, in bytes.
        size: usize,
    },
    /// Exceptions of a sparse accessor.
    #[error("the sparse index {index} is past the end of its {count} elements")]
    SparseOutOfRange {
        /// Which element it is for.
        index: u32,
        /// How many there are.
        count: u64,
    },
    /// Numbers that are not in the file, or used over and over.
    #[error("the file requires {numbers} numbers, more than its size can justify")]
    TooLarge {
        /// How many with this accessor.
        numbers: u64,
    },
    /// The bytes of a buffer.
    #[error("{reason}")]
    Buffer {
        /// Why they cannot be had.
        reason: String,
    },
}

/// A fault of a primitive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum PrimitiveProblem {
    /// A drawing mode that the standard does not know.
    #[error("its mode is unknown")]
    UnknownMode,
    /// Every one of its triangles.
    #[error("an index names vertex {index}, but there are {vertices} vertices")]
    NoSuchVertex {
        /// The largest index.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// An attribute with another number of elements than the positions.
    #[error("{attribute} has {count} elements for {vertices} vertices")]
    Count {
        /// Such as `NORMAL`.
        attribute: String,
        /// How many it has.
        count: usize,
        /// How many it has to have.
        vertices: usize,
    },
}

impl From<GltfError> for ImporterError {
    fn from(error: GltfError) -> Self {
        match &error {
            GltfError::Version { .. } | GltfError::Extension { .. } => Self::Unsupported {
                what: error.to_string(),
            },
            _ => Self::Parse {
                message: error.to_string(),
            },
        }
    }
}
