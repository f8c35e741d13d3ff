//! The choices of skinning, and what can go wrong.

use std::num::NonZeroU32;

use crate::palette::PaletteError;
use crate::rig::InstanceId;

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

/// Why a mesh could not be skinned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinningError {
    /// The skin of an instance does not fit the pose.
    #[error("mesh instance {instance} cannot be posed")]
    Palette {
        /// Which instance.
        instance: InstanceId,
        /// What does not fit.
        source: PaletteError,
    },
    /// The pose is of another skeleton: it lacks the node of an instance.
    #[error("the pose lacks the node of mesh instance {instance}")]
    UnknownNode {
        /// Which instance.
        instance: InstanceId,
    },
    /// A vertex names a palette slot that its skin has not.
    #[error("mesh instance {instance} uses palette slot {slot}, and its skin has {slots}")]
    UnknownSlot {
        /// Which instance.
        instance: InstanceId,
        /// The missing slot.
        slot: u32,
        /// How many slots there are.
        slots: usize,
    },
    /// Instances multiply meshes; this many vertices would not fit in memory.
    #[error("the instances have {vertices} vertices together, more than {limit}")]
    TooManyVertices {
        /// How many vertices.
        vertices: usize,
        /// How many are skinned at most.
        limit: usize,
    },
}
