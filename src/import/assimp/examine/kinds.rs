//! What is looked for in which format.
//!
//! A kind stands here if the importer of assimp 6.0.2 hands it on as the file has it, or if no file of the format can
//! have it. What is neither is not checkable with assimp, such as, in all formats, a channel without keys
//! (`ScenePreprocessor.cpp`, `ProcessAnimation`, gives it one).

use super::Format;
use crate::rig::DefectKind;

impl Format {
    /// Sorted as they are declared.
    pub(super) fn examined(self) -> &'static [DefectKind] {
        match self {
            Self::DirectX => DIRECT_X,
            Self::Md5 => MD5,
            Self::Smd => SMD,
            Self::MilkShape => MILK_SHAPE,
            Self::Collada => COLLADA,
            Self::Fbx => FBX,
            Self::Wavefront => WAVEFRONT,
            // glTF: numbers in normalized integers, weights and interpolations come out wrong, so that what is seen need
            // not be the file's. IQM: assimp reads no rig. MDL and others: not studied.
            Self::Gltf | Self::Iqm | Self::Mdl | Self::Other => &[],
        }
    }
}

/// `XFileImporter.cpp`. Bones and channels keep their names, matrices and keys. Bones are called by name and have a matrix
/// each; nodes are matrices, which a clip may drive; no clip states its end; every Animation is of one frame.
///
/// Not here: indices of vertices are followed unchecked; rotation keys become matrices and quaternions again; a normal
/// that a face does not name is 0; a matrix key with a scale of 0 becomes a rotation of NaN; the choice between straight and spline in `AnimationOptions` is not read.
const DIRECT_X: &[DefectKind] = &[
    DefectKind::JointIndexOutOfRange,
    DefectKind::WeightSetMismatch,
    DefectKind::NonaffineInverseBind,
    DefectKind::InverseBindCount,
    DefectKind::JointWithoutNode,
    DefectKind::HierarchyCycle,
    DefectKind::NonunitRotation,
    DefectKind::SegmentScaleCompensate,
    DefectKind::UnorderedKeys,
    DefectKind::ConflictingKeys,
    DefectKind::NegativeTime,
    DefectKind::KeyPastEnd,
    DefectKind::TargetMissing,
    DefectKind::ChannelOnMatrixNode,
];

/// `MD5Loader.cpp`, `MD5Parser.h`. Joints are nodes by construction, bind matrices are made of them, the fourth number of a
/// quaternion is computed (so that none is 0, and one too long is kept), frames run straight, and there are no normals.
///
/// Not here: numbers of joints, weights and vertices are followed unchecked; parents are; joints become matrices; frames
/// past the stated number are read like others.
const MD5: &[DefectKind] = &[
    DefectKind::WeightSetMismatch,
    DefectKind::NonaffineInverseBind,
    DefectKind::InverseBindCount,
    DefectKind::JointWithoutNode,
    DefectKind::SegmentScaleCompensate,
    DefectKind::UnorderedKeys,
    DefectKind::ConflictingKeys,
    DefectKind::NegativeTime,
    DefectKind::NonfiniteKey,
    DefectKind::NonunitKey,
    DefectKind::ZeroQuaternion,
    DefectKind::InterpolationLost,
    DefectKind::DuplicateChannel,
    DefectKind::TargetMissing,
    DefectKind::ChannelOnMatrixNode,
    DefectKind::NonunitNormal,
];

/// `SMDLoader.cpp`. Rotations are angles, triangles hold their vertices, bind matrices are made of the nodes.
///
/// Not here: numbers of bones that are not there are left out; times are moved to begin at 0.
const SMD: &[DefectKind] = &[
    DefectKind::VertexIndexOutOfRange,
    DefectKind::WeightSetMismatch,
    DefectKind::NonaffineInverseBind,
    DefectKind::InverseBindCount,
    DefectKind::JointWithoutNode,
    DefectKind::NonunitRotation,
    DefectKind::SegmentScaleCompensate,
    DefectKind::NonunitKey,
    DefectKind::ZeroQuaternion,
    DefectKind::InterpolationLost,
    DefectKind::DuplicateChannel,
    DefectKind::ChannelOnMatrixNode,
    DefectKind::FaceIndexOutOfRange,
    DefectKind::NonunitNormal,
];

/// `MS3DLoader.cpp`. Rotations are angles, vertices hold the numbers of their joints, joints hold their keys.
const MILK_SHAPE: &[DefectKind] = &[
    DefectKind::VertexIndexOutOfRange,
    DefectKind::WeightSetMismatch,
    DefectKind::NonaffineInverseBind,
    DefectKind::InverseBindCount,
    DefectKind::JointWithoutNode,
    DefectKind::NonunitRotation,
    DefectKind::SegmentScaleCompensate,
    DefectKind::NonunitKey,
    DefectKind::ZeroQuaternion,
    DefectKind::InterpolationLost,
    DefectKind::DuplicateChannel,
    DefectKind::TargetMissing,
    DefectKind::ChannelOnMatrixNode,
];

/// `ColladaLoader.cpp`. A bone that names no node keeps its name; rotations are angles; any transform may be driven. What
/// the reader of its curves looks for comes to this.
///
/// Not here: of bind matrices the last row is not read; Maya's `segment_scale_compensate` is in an `extra`.
const COLLADA: &[DefectKind] = &[
    DefectKind::VertexIndexOutOfRange,
    DefectKind::JointWithoutNode,
    DefectKind::NonunitRotation,
    DefectKind::NonunitKey,
    DefectKind::ZeroQuaternion,
    DefectKind::ChannelOnMatrixNode,
];

/// `FBXConverter.cpp`. Nodes and rotations are angles, joints are meant by connections. Nothing is looked for: nodes of its
/// own making stand for the file's, curves are cut and moved.
const FBX: &[DefectKind] = &[
    DefectKind::JointIndexOutOfRange,
    DefectKind::NonunitRotation,
    DefectKind::NonunitKey,
    DefectKind::ZeroQuaternion,
    DefectKind::ChannelOnMatrixNode,
];

/// No rig at all, only faces and normals, which are not looked for.
const WAVEFRONT: &[DefectKind] = &[
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
];
