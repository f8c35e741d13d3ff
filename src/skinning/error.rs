//! Errors of skinning.

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
    /// A vertex refers to a palette slot that its skin does not have.
    #[error("mesh instance {instance} uses palette slot {slot}, but its skin has {slots}")]
    UnknownSlot {
        /// Which instance.
        instance: InstanceId,
        /// The missing slot.
        slot: JointId,
        /// The number of slots.
        slots: usize,
    },
    /// Instances multiply meshes; so many vertices would not fit in memory.
    #[error("the instances have {vertices} vertices in total; the limit is {limit}")]
    TooManyVertices {
        /// The number of vertices.
        vertices: usize,
        /// The largest number that is skinned.
        limit: usize,
    },
}
