//! What can go wrong.

use crate::palette::PaletteError;
use crate::rig::{InstanceId, JointId};

/// Why a mesh could not be skinned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinningError {
    /// The skin of an instance does not fit the pose.
    #[error("mesh instance {instance} cannot be posed")]
    Palette {
        /// Which instance.
        instance: InstanceId,
        /// The mismatch.
        source: PaletteError,
    },
    /// The pose is of another skeleton: it lacks the node of an instance.
    #[error("the pose lacks the node of mesh instance {instance}")]
    UnknownNode {
        /// Which instance.
        instance: InstanceId,
    },
    /// A vertex names a palette slot that its skin has not.
    #[error("mesh instance {instance} uses palette slot {slot}, but its skin has {slots}")]
    UnknownSlot {
        /// Which instance.
        instance: InstanceId,
        /// The missing slot.
        slot: JointId,
        /// How many slots there are.
        slots: usize,
    },
    /// Instances multiply meshes; this many vertices would not fit in memory.
    #[error("the instances have {vertices} vertices in total; the limit is {limit}")]
    TooManyVertices {
        /// How many vertices.
        vertices: usize,
        /// How many are skinned at most.
        limit: usize,
    },
}
