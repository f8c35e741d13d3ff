//! How weights are used by all skinning paths.

use std::num::NonZeroU32;

/// How a vertex's weights are prepared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WeightPolicy {
    /// Divided by their sum, as engines do. A vertex whose weights sum to 0 follows its mesh's node.
    #[default]
    Normalize,
    /// Used as stored: a sum below 1 pulls the vertex towards the origin. Only a vertex without a nonzero weight
    /// follows its mesh's node.
    AsIs,
}

/// How the motions of a vertex's joints are blended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SkinningMethod {
    /// As [`Mesh::blending`](super::Mesh::blending) says: FBX files may ask for dual quaternions, everything else is linear.
    #[default]
    AsInFile,
    /// Linear blend skinning for every mesh.
    Linear,
    /// Dual quaternion skinning for every mesh.
    DualQuaternion,
}

/// How vertices are skinned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SkinningOptions {
    /// The normalization of weights.
    pub weights: WeightPolicy,
    /// Keeps this many of the largest influences of each vertex, the earlier of equal ones, as an engine with that
    /// limit would. The kept weights are scaled up to 1, or, with [`WeightPolicy::AsIs`], to the file's sum.
    pub max_influences: Option<NonZeroU32>,
    /// The skinning method.
    pub method: SkinningMethod,
}
