//! What there is to tell of a file besides its model.

use crate::import::defects::Defects;
use crate::import::notes::Notes;
use crate::rig::DefectKind::{self, *};

/// Notes for whoever looks at the model, and defects for whoever judges the file.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) notes: Notes,
    pub(super) defects: Defects,
}

/// Every kind: those that are not looked for cannot occur in the format. It binds no vertices by number, has one way to
/// inherit scale, and states neither the end of a clip nor an interpolation that is not read.
pub(super) const EXAMINED: &[DefectKind] = &[
    JointIndexOutOfRange,
    VertexIndexOutOfRange,
    WeightSetMismatch,
    NonaffineInverseBind,
    InverseBindCount,
    SkinWithoutWeights,
    JointWithoutNode,
    HierarchyCycle,
    NonunitRotation,
    SegmentScaleCompensate,
    EmptyChannel,
    UnorderedKeys,
    ConflictingKeys,
    NegativeTime,
    KeyPastEnd,
    NonfiniteKey,
    NonunitKey,
    ZeroQuaternion,
    InterpolationLost,
    DuplicateChannel,
    TargetMissing,
    ChannelOnMatrixNode,
    FaceIndexOutOfRange,
    NonunitNormal,
];
