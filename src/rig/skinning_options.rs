//! How weights are used, for everyone who skins.

use std::num::NonZeroU32;

/// What is done to a vertex's weights before they are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WeightPolicy {
    /// Divided by their sum, as engines do. A vertex whose weights sum to nothing keeps to its mesh's node.
    #[default]
    Normalize,
    /// Taken as the file has them: a sum below 1 pulls the vertex towards the origin. Only a vertex without any weight
    /// other than 0 keeps to its mesh's node.
    AsIs,
}

/// How vertices are skinned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SkinningOptions {
    /// What is done to the weights.
    pub weights: WeightPolicy,
    /// Keeps the so many largest influences of each vertex, as an engine with that limit would; of equal ones the
    /// earlier. The kept ones are scaled up to 1, or, with [`WeightPolicy::AsIs`], to the sum that the file has.
    pub max_influences: Option<NonZeroU32>,
}
