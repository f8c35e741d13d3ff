//! What can go wrong.

use crate::skinning::SkinningError;

/// Why a backend gave up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The vertices could not be skinned.
    #[error(transparent)]
    Skinning(#[from] SkinningError),
    /// OpenGL is not to be had, or failed.
    #[cfg(feature = "gl")]
    #[error(transparent)]
    Gl(#[from] crate::gl::GlError),
    /// Instances multiply meshes; this many triangles would not fit in memory.
    #[error("the instances have {triangles} triangles in total; the limit is {limit}")]
    TooManyTriangles {
        /// How many triangles.
        triangles: usize,
        /// How many are drawn at most.
        limit: usize,
    },
}
