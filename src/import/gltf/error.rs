//! Faults of a glTF file, with their locations.

use super::container::ContainerError;
use crate::import::ImporterError;

/// The reason why a file cannot be read. Locations are written as in JavaScript, such as `accessors[3]`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum GltfError {
    /// The file cannot be read.
    #[error("{reason}")]
    Unreadable {
        /// The error of the operating system.
        reason: String,
    },
    /// The binary container is invalid.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// The text is truncated.
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
    /// A part does not have the form that the standard requires.
    #[error("{location}: {reason}")]
    Malformed {
        /// The part.
        location: String,
        /// In the parser's words.
        reason: String,
    },
    /// A part refers to a missing one.
    #[error("{location}: {kind} {index} is missing; there are {count}")]
    Missing {
        /// The part.
        location: String,
        /// The kind of object it refers to.
        kind: &'static str,
        /// The index.
        index: u64,
        /// The number of parts of that kind.
        count: usize,
    },
    /// Another version of the standard.
    #[error("glTF version {version}")]
    Version {
        /// The stated version.
        version: String,
    },
    /// A required extension that is not supported.
    #[error("the glTF extension {name}, which the file requires ({advice}),")]
    Extension {
        /// Its name.
        name: String,
        /// Advice for the user.
        advice: &'static str,
    },
    /// The data of an accessor cannot be read.
    #[error("{location}: {problem}")]
    Access {
        /// The part.
        location: String,
        /// The cause.
        problem: AccessProblem,
    },
    /// A primitive contradicts itself.
    #[error("{location}: {problem}")]
    Primitive {
        /// Such as `meshes[0].primitives[1]`.
        location: String,
        /// The cause.
        problem: PrimitiveProblem,
    },
}

/// The reason why the numbers of an accessor cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum AccessProblem {
    /// Its component type or element type is unknown.
    #[error("is of an unknown type")]
    UnknownType,
    /// Its type does not fit its use.
    #[error("holds {found} where {expected} is expected")]
    Unfit {
        /// Such as `SCALAR`.
        found: &'static str,
        /// Such as `VEC3`.
        expected: &'static str,
    },
    /// The elements exceed a buffer view or a buffer.
    #[error("needs {needed} bytes of {of}, which has {available}")]
    OutOfRange {
        /// From the start of `of`.
        needed: u64,
        /// The buffer or the view.
        of: String,
        /// The bytes that there are.
        available: u64,
    },
    /// The elements overlap.
    #[error("byteStride is {stride}, less than the {size} bytes of an element")]
    Overlap {
        /// In bytes.
        stride: u64,
        /// The size of an element, in bytes.
        size: usize,
    },
    /// An index of a sparse accessor is out of range.
    #[error("the sparse index {index} is past the end of its {count} elements")]
    SparseOutOfRange {
        /// The index.
        index: u32,
        /// The number of elements.
        count: u64,
    },
    /// More numbers than the size of the file justifies.
    #[error("the file requires {numbers} numbers, more than its size can justify")]
    TooLarge {
        /// The total with this accessor.
        numbers: u64,
    },
    /// The buffer cannot be read.
    #[error("{reason}")]
    Buffer {
        /// The reason.
        reason: String,
    },
}

/// A fault of a primitive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum PrimitiveProblem {
    /// A drawing mode that the standard does not define.
    #[error("its mode is unknown")]
    UnknownMode,
    /// All triangles refer to missing vertices.
    #[error("an index names vertex {index}, but there are {vertices} vertices")]
    NoSuchVertex {
        /// The largest index.
        index: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// An attribute and the positions differ in length.
    #[error("{attribute} has {count} elements for {vertices} vertices")]
    Count {
        /// Such as `NORMAL`.
        attribute: String,
        /// The length of the attribute.
        count: usize,
        /// The number of vertices.
        vertices: usize,
    },
}

impl From<GltfError> for ImporterError {
    fn from(error: GltfError) -> Self {
        match &error {
            GltfError::Version { .. } | GltfError::Extension { .. } => Self::Unsupported {
                what: error.to_string(),
            },
            _ => Self::parse(error),
        }
    }
}
