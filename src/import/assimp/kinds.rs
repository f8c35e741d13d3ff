//! The defects that can be detected in each format.
//!
//! Each importer of assimp silently repairs, drops and invents data in its own way. A kind is checkable if assimp 6.0.2
//! delivers the relevant data unchanged, or if no file of the format can have the defect. Channels without keys are not
//! checkable in any format with clips: `ScenePreprocessor.cpp`, `ProcessAnimation`, adds a key. The lists below name the
//! functions that decide.

use crate::rig::DefectKind;
use crate::rig::Format;

impl Format {
    /// The kinds that cannot be detected.
    pub(super) fn hidden(self) -> Vec<DefectKind> {
        // The format holds no rig, only faces and normals, which are not examined (`ObjFileParser.cpp`).
        if self == Self::Wavefront {
            return vec![
                DefectKind::AimlessChannel,
                DefectKind::FaceIndexOutOfRange,
                DefectKind::NonunitNormal,
            ];
        }
        let examined = self.examined();
        let all = DefectKind::ALL.into_iter();
        let is_foreign = |kind| self != Self::Gltf && DefectKind::OF_GLTF.contains(&kind);
        all.filter(|kind| !examined.contains(kind) && !is_foreign(*kind))
            .collect()
    }

    /// The kinds that can be detected in assimp's output.
    fn examined(self) -> &'static [DefectKind] {
        match self {
            Self::DirectX => DIRECT_X,
            Self::Smd => SMD,
            Self::MilkShape => MILK_SHAPE,
            Self::Blitz | Self::Ogre => NUMBERS,
            Self::Bvh | Self::Mdl => KEYS,
            // Formats with native importers, and formats whose importers nobody has studied.
            Self::Collada
            | Self::Gltf
            | Self::Iqm
            | Self::Model3d
            | Self::Md5
            | Self::Fbx { .. }
            | Self::Wavefront
            | Self::Other
            | Self::Memory => &[],
        }
    }

    /// The examined kinds that no file of the format can have, although assimp's output may show them: it inverts
    /// matrices, and converts angles and matrices to quaternions.
    pub(super) fn invented(self) -> &'static [DefectKind] {
        match self {
            Self::Smd | Self::MilkShape => &[
                DefectKind::NonaffineInverseBind,
                DefectKind::NonunitKey,
                DefectKind::ZeroQuaternion,
            ],
            _ => &[],
        }
    }
}

/// `XFileParser.cpp`, `XFileImporter.cpp`. Bones are named and have one matrix and equally many weights and vertices
/// (`ParseDataObjectSkinWeights`). Matrices and keys keep their values and order (`ParseDataObjectAnimationKey`,
/// `CreateAnimations`). Nodes are matrices, which a clip may drive. No clip states its end.
///
/// Bones that move no vertex are omitted, with their defects (`CreateMeshes`).
///
/// Not detectable: weights of NaN, 0 or less are omitted, and the last of two for one joint is used (`CreateMeshes`, which
/// does not check vertex indices either). Face indices past the end are omitted (`ParseDataObjectMesh`). A normal that no
/// face names is 0. A frame named inside another one, as its second parent, is skipped (`ParseDataObjectFrame`,
/// `ParseUnknownDataObject`). Animation sets without animations are omitted. Negative times become very large
/// (`ReadInt`). Rotation keys become matrices and then quaternions. A matrix key with a scale of 0 becomes a rotation of
/// NaN. `AnimationOptions` (linear or spline) is not read. Two animations of one frame look like two frames of one name.
const DIRECT_X: &[DefectKind] = &[
    DefectKind::WeightsNotNormalized,
    DefectKind::JointIndexOutOfRange,
    DefectKind::WeightSetMismatch,
    DefectKind::NonaffineInverseBind,
    DefectKind::InverseBindCount,
    DefectKind::JointWithoutNode,
    DefectKind::NonunitRotation,
    DefectKind::SegmentScaleCompensate,
    DefectKind::UnorderedKeys,
    DefectKind::ConflictingKeys,
    DefectKind::KeyPastEnd,
    DefectKind::TargetMissing,
    DefectKind::ChannelOnMatrixNode,
];

/// `SMDLoader.cpp`. Rotations are angles (`ParseSkeletonElement`), and triangles contain their vertices and normals
/// (`ParseVertex`, `CreateOutputMeshes`). Bind matrices are computed from the nodes (`AddBoneChildren`), which hold their
/// keys in the file's order (`CreateOutputAnimation`). No file states its end.
///
/// Not detectable: a vertex's own joint gets the rest of a sum below 1; its other weight is omitted, as are weights of
/// missing joints (`CreateOutputMeshes`). Missing weights are 0 (`ParseVertex`). A joint that is its own ancestor is
/// omitted (`AddBoneChildren`), and so are keys of missing joints (`ParseSkeletonElement`). Times are shifted to begin at
/// 0 (`FixTimeValues`).
const SMD: &[DefectKind] = &[
    DefectKind::VertexIndexOutOfRange,
    DefectKind::NonaffineInverseBind,
    DefectKind::InverseBindCount,
    DefectKind::JointWithoutNode,
    DefectKind::NonunitRotation,
    DefectKind::SegmentScaleCompensate,
    DefectKind::UnorderedKeys,
    DefectKind::ConflictingKeys,
    DefectKind::KeyPastEnd,
    DefectKind::NonfiniteKey,
    DefectKind::NonunitKey,
    DefectKind::ZeroQuaternion,
    DefectKind::InterpolationLost,
    DefectKind::DuplicateChannel,
    DefectKind::ChannelOnMatrixNode,
    DefectKind::FaceIndexOutOfRange,
    DefectKind::NonunitNormal,
];

/// `MS3DLoader.cpp`. Rotations are angles, vertices hold the indices of their joints, and joints hold their keys. A file
/// with a triangle of missing vertices is refused (`InternReadFile`). Weights are bytes.
///
/// Not detectable: only the first joint of a vertex is read, without its weight (`ReadComments`). A joint that is its own
/// ancestor is omitted (`CollectChildJoints`). The stated end is not read (`InternReadFile`). Times are multiplied by the
/// rate, whatever it is. Positions are interpolated linearly, in MilkShape smoothly. Normals are not examined.
const MILK_SHAPE: &[DefectKind] = &[
    DefectKind::NonfiniteWeight,
    DefectKind::NegativeWeight,
    DefectKind::VertexIndexOutOfRange,
    DefectKind::WeightSetMismatch,
    DefectKind::NonaffineInverseBind,
    DefectKind::InverseBindCount,
    DefectKind::JointWithoutNode,
    DefectKind::NonunitRotation,
    DefectKind::SegmentScaleCompensate,
    DefectKind::NonfiniteKey,
    DefectKind::NonunitKey,
    DefectKind::ZeroQuaternion,
    DefectKind::DuplicateChannel,
    DefectKind::TargetMissing,
    DefectKind::ChannelOnMatrixNode,
    DefectKind::FaceIndexOutOfRange,
];

/// Weights and keys keep their values, including NaN and infinity: `B3DImporter.cpp`, `ReadBONE` and `ReadKEYS`;
/// `OgreXmlSerializer.cpp`, `ReadBoneAssignments` and `ReadAnimationKeyFrames`, where an infinite sum gives NaN.
///
/// Not detectable: whatever depends on weights that are omitted (the fifth of a vertex) or divided (if the sum is off by
/// more than 0.05).
const NUMBERS: &[DefectKind] = &[DefectKind::NonfiniteWeight, DefectKind::NonfiniteKey];

/// Keys are computed from the file's numbers by sums, products and sines, which keep NaN and turn infinity into NaN:
/// `BVHLoader.cpp`, `CreateAnimation`; `HL1MDLLoader.cpp`, `read_animations`.
const KEYS: &[DefectKind] = &[DefectKind::NonfiniteKey];
