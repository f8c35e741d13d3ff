//! Faults of a glTF file, with their locations.

use std::io;

use crate::ImporterError;

/// The reason why a file cannot be read. Locations are written as in JavaScript, such as `accessors[3]`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum GltfError {
    /// The operating system cannot read the file.
    #[error("{reason}")]
    Unreadable { reason: String },
    /// The binary file is truncated.
    #[error("the binary file ends inside its {part}; copy or export it again")]
    Torn {
        /// Such as `header`.
        part: &'static str,
    },
    /// The binary file has version 1, or a future one.
    #[error("the binary file has version {version}; only version 2 is supported")]
    Container { version: u32 },
    /// The first chunk of the binary file is not JSON.
    #[error("the binary file does not begin with a JSON chunk")]
    NoJson,
    /// The text is truncated. Lines and columns count from 1.
    #[error(
        "the JSON text is cut off at line {line}, column {column}; copy or export the file again"
    )]
    CutOff { line: usize, column: usize },
    /// The text is not JSON.
    #[error("the JSON text cannot be read: {reason}")]
    Syntax {
        /// In the parser's words, with line and column.
        reason: String,
    },
    /// A part does not have the form that the standard requires.
    #[error("{location}: {reason}")]
    Malformed {
        location: String,
        /// In the parser's words.
        reason: String,
    },
    /// A part refers to a missing one.
    #[error("{location}: {kind} {index} is missing; there are {count}")]
    Missing {
        location: String,
        /// The kind of object it refers to.
        kind: &'static str,
        index: u64,
        /// The number of parts of that kind.
        count: usize,
    },
    /// Another version of the standard.
    #[error("glTF version {version}")]
    Version { version: String },
    /// A required extension that is not supported.
    #[error("the extension {name} is not supported; {advice}")]
    Extension { name: String, advice: &'static str },
    /// The data of an accessor cannot be read.
    #[error("{location}: {problem}")]
    Access {
        location: String,
        problem: AccessProblem,
    },
    /// A primitive contradicts itself.
    #[error("{location}: {problem}")]
    Primitive {
        /// Such as `meshes[0].primitives[1]`.
        location: String,
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
        available: u64,
    },
    /// The elements overlap.
    #[error("byteStride is {stride}, less than the {size} bytes of an element")]
    Overlap { stride: u64, size: usize },
    /// An index of a sparse accessor is out of range.
    #[error("the sparse index {index} is past the end of its {count} elements")]
    SparseOutOfRange { index: u32, count: u64 },
    /// More numbers than the size of the file justifies.
    #[error("the file requires {numbers} numbers, more than its size can justify")]
    TooLarge {
        /// The total with this accessor.
        numbers: u64,
    },
    /// The buffer cannot be read.
    #[error("{reason}")]
    Buffer { reason: String },
    /// A compressed stream cannot be decoded.
    #[error("it cannot be decoded: {reason}")]
    Stream { reason: String },
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
        vertices: usize,
    },
    /// An attribute and the positions differ in length.
    #[error("{attribute} has {count} elements for {vertices} vertices")]
    Count {
        /// Such as `NORMAL`.
        attribute: String,
        count: usize,
        vertices: usize,
    },
}

impl From<io::Error> for GltfError {
    fn from(error: io::Error) -> Self {
        let reason = error.to_string();
        Self::Unreadable { reason }
    }
}

impl From<GltfError> for ImporterError {
    fn from(error: GltfError) -> Self {
        match &error {
            GltfError::Version { .. } => Self::Unsupported {
                what: error.to_string(),
            },
            GltfError::Extension { name, advice } => Self::Extension {
                extension: name.clone(),
                advice: (*advice).to_owned(),
            },
            GltfError::Unreadable { .. }
            | GltfError::Torn { .. }
            | GltfError::CutOff { .. }
            | GltfError::Access {
                problem: AccessProblem::Buffer { .. },
                ..
            } => Self::advised(error),
            _ => Self::parse(error),
        }
    }
}
