//! What there is to tell of a file besides its model.

use crate::import::defects::Defects;
use crate::import::notes::Notes;
use crate::rig::DefectKind;

/// Notes for whoever looks at the model, and defects for whoever judges the file.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) notes: Notes,
    pub(super) defects: Defects,
}

/// Every kind: those that are not looked for cannot occur in the format. It binds no vertices by number, has one way to
/// inherit scale, and does not state the end of a clip.
pub(super) const EXAMINED: &[DefectKind] = &[
    DefectKind::NonfiniteWeight,
    DefectKind::NegativeWeight,
    DefectKind::WeightsNotNormalized,
    DefectKind::DuplicateInfluence,
    DefectKind::JointIndexOutOfRange,
    DefectKind::VertexIndexOutOfRange,
    DefectKind::WeightSetMismatch,
    DefectKind::NonaffineInverseBind,
    DefectKind::InverseBindCount,
    DefectKind::SkinWithoutWeights,
    DefectKind::JointWithoutNode,
    DefectKind::HierarchyCycle,
    DefectKind::NonunitRotation,
    DefectKind::SegmentScaleCompensate,
    DefectKind::EmptyChannel,
    DefectKind::UnorderedKeys,
    DefectKind::ConflictingKeys,
    DefectKind::NegativeTime,
    DefectKind::KeyPastEnd,
    DefectKind::NonfiniteKey,
    DefectKind::NonunitKey,
    DefectKind::ZeroQuaternion,
    DefectKind::InterpolationLost,
    DefectKind::DuplicateChannel,
    DefectKind::TargetMissing,
    DefectKind::ChannelOnMatrixNode,
    DefectKind::FaceIndexOutOfRange,
    DefectKind::NonunitNormal,
];
