//! What can go wrong.

use crate::skinning::SkinningError;

/// An error of a backend.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The vertices could not be skinned.
    #[error(transparent)]
    Skinning(#[from] SkinningError),
    /// OpenGL is not available, or failed.
    #[cfg(feature = "gl")]
    #[error(transparent)]
    Gl(#[from] crate::gl::GlError),
    /// Instances multiply meshes: that many triangles would not fit into memory.
    #[error("the instances have {triangles} triangles in total; the limit is {limit}")]
    TooManyTriangles {
        /// How many triangles.
        triangles: usize,
        /// The most supported.
        limit: usize,
    },
}
