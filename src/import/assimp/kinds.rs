//! Which defects can be detected in which format.
//!
//! Each importer of assimp silently repairs, drops and invents data in its own way. A kind is checkable if the importer
//! of assimp 6.0.2 passes it on as the file has it, or if no file of the format can have it. In all formats with clips, a
//! channel without keys is not checkable: `ScenePreprocessor.cpp`, `ProcessAnimation`, gives it one. The lists name the
//! functions that decide.

use super::format::Format;
use crate::rig::DefectKind;

impl Format {
    /// The kinds that assimp does not pass on.
    pub(super) fn hidden(self) -> Vec<DefectKind> {
        // No rig at all, only faces and normals, which are not examined (`ObjFileParser.cpp`).
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

    /// The kinds that show in what assimp passes on.
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
            | Self::Fbx
            | Self::Wavefront
            | Self::Other => &[],
        }
    }

    /// Of those the kinds that no file can have, though what assimp makes of one may look so: matrices that it inverts, and
    /// quaternions that it makes of angles and matrices.
    pub(super) fn made_up(self) -> &'static [DefectKind] {
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

/// `XFileParser.cpp`, `XFileImporter.cpp`. Bones are called by name and have a matrix and as many weights as vertices each
/// (`ParseDataObjectSkinWeights`); matrices and keys keep their numbers and order (`ParseDataObjectAnimationKey`,
/// `CreateAnimations`); nodes are matrices, which a clip may drive; no clip states its end.
///
/// Bones that move no vertex are omitted (`CreateMeshes`), and what is wrong with them with them.
///
/// Not here: weights of 0 and below and of NaN are omitted, and of two for one joint the last counts (`CreateMeshes`);
/// vertices of weights are followed unchecked (there); indices of faces past the end are omitted
/// (`ParseDataObjectMesh`); a normal that a face does not name is 0; a frame that is named within another, as its second
/// parent, is skipped (`ParseDataObjectFrame`, `ParseUnknownDataObject`); animation sets without animations are omitted;
/// times below 0 become very large (`ReadInt`); rotation keys become matrices and quaternions again; a matrix key with a
/// scale of 0 becomes a rotation of NaN; `AnimationOptions`, straight or spline, is not read; two animations of a frame
/// cannot be told from two frames of a name.
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

/// `SMDLoader.cpp`. Rotations are angles (`ParseSkeletonElement`), triangles hold their vertices with their normals
/// (`ParseVertex`, `CreateOutputMeshes`), bind matrices are made of the nodes (`AddBoneChildren`), which hold their keys in
/// the file's order (`CreateOutputAnimation`); no file states its end.
///
/// Not here: what the weights of a vertex lack of 1 goes to its own joint, whose other weight is omitted, and weights of
/// joints that are not there too (`CreateOutputMeshes`); missing weights are 0 (`ParseVertex`); a joint that is its own
/// ancestor is omitted (`AddBoneChildren`), and so are keys of joints that are not there (`ParseSkeletonElement`); times
/// are moved to begin at 0 (`FixTimeValues`).
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

/// `MS3DLoader.cpp`. Rotations are angles, vertices hold the numbers of their joints, joints hold their keys; a file with
/// a triangle with vertices that do not exist is refused (`InternReadFile`). Weights are bytes.
///
/// Not here: all joints of a vertex but the first are lost with their weights (`ReadComments`); a joint that is its own
/// ancestor is omitted (`CollectChildJoints`); the stated end is not read (`InternReadFile`); times are multiplied by the
/// rate, whatever it is; MilkShape runs smoothly between positions, and here it is straight; normals are not looked at.
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

/// Weights and keys keep their numbers, NaN and infinity among them: `B3DImporter.cpp`, `ReadBONE` and `ReadKEYS`;
/// `OgreXmlSerializer.cpp`, `ReadBoneAssignments` and `ReadAnimationKeyFrames`, where a sum of infinity makes NaN.
///
/// Not here: all that follows from which weights are omitted (a fifth of a vertex) or divided (sums off by more than 0.05).
const NUMBERS: &[DefectKind] = &[DefectKind::NonfiniteWeight, DefectKind::NonfiniteKey];

/// Keys are made of the file's numbers by sums, products and sines, which keep NaN and make it of infinity: `BVHLoader.cpp`,
/// `CreateAnimation`; `HL1MDLLoader.cpp`, `read_animations`.
const KEYS: &[DefectKind] = &[DefectKind::NonfiniteKey];
