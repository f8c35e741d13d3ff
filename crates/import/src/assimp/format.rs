//! What assimp does to each format, and the defects that can be detected in it.

use glam::Vec4;
use russimp::sys::aiScene;

use super::raw::{self, Raw};
use crate::rig::{DefectKind, Format};
use crate::surfaces::linear_from_srgb;

/// The format of the importer that assimp chose, by its title.
pub(super) fn of_title(title: &str) -> Format {
    match title {
        "glTF2 Importer" | "glTF Importer" => Format::Gltf,
        "Autodesk FBX Importer" => Format::Fbx { version: None },
        "Collada Importer" => Format::Collada,
        "Quake Mesh / 3D GameStudio Mesh Importer" => Format::Mdl,
        "Doom 3 / MD5 Mesh Importer" => Format::Md5,
        "BVH Importer (MoCap)" => Format::Bvh,
        "Valve SMD Importer" => Format::Smd,
        "Inter-Quake Model Importer" => Format::Iqm,
        "Milkshape 3D Importer" => Format::MilkShape,
        "Model 3D Importer" => Format::Model3d,
        "Direct3D XFile Importer" => Format::DirectX,
        "Wavefront Object Importer" => Format::Wavefront,
        "BlitzBasic 3D Importer" => Format::Blitz,
        "Ogre3D Mesh Importer" => Format::Ogre,
        _ => Format::Other,
    }
}

/// Whether key times in the file are seconds, whatever unit assimp converts them to.
pub(super) fn counts_seconds(format: Format) -> bool {
    matches!(format, Format::Gltf | Format::Collada)
}

/// Whether the format counts in frames. The ticks of other formats may have any length.
pub(super) fn counts_frames(format: Format) -> bool {
    matches!(format, Format::Md5 | Format::Bvh | Format::Smd)
}

/// Whether a clip's duration is the one stated in the file. For MDL it is the number of frames times the rate
/// (`HL1MDLLoader.cpp`, `read_animations`), which is meaningless.
pub(super) fn states_duration(format: Format) -> bool {
    format != Format::Mdl
}

/// Whether the importer keeps the file's list of vertices, so that vertices must not be welded. Other importers deliver
/// one vertex per corner of each polygon.
pub(super) fn keeps_vertices(format: Format) -> bool {
    format == Format::Gltf
}

/// Data of this format that assimp 6.0.2 silently drops; `None` if it drops nothing.
pub(super) fn losses(format: Format) -> Option<&'static str> {
    match format {
        // `IQMImporter.cpp`: "these attributes are not relevant".
        Format::Iqm => {
            Some("assimp reads neither skeleton, weights nor clips of IQM; the importer iqm does")
        }
        // `glTF2Importer.cpp`: `CreateNodeAnim`, `CreateMeshMorphAnim`, `BuildVertexWeightMapping`.
        Format::Gltf => Some(
            "assimp reads step and cubic spline keys as linear, drops weights of 0 and below, and misreads \
            normalized integers; the importer gltf reads them as the file says",
        ),
        // `ColladaLoader.cpp`: `CreateAnimation`, `CreateMesh`; `ColladaParser.cpp`: `ReadAnimationClipLibrary`.
        Format::Collada => Some(
            "assimp reads curves as linear, merges all clips, finds joints by name instead of sid, and rests \
            morph targets at full weight; the importer collada reads them as the file says",
        ),
        // `FBXConverter.cpp`: `ConvertAnimationStack`, `InterpolateKeys`, `ConvertMeshSingleMaterial`.
        Format::Fbx { .. } => Some(
            "assimp starts clips at 0, reads curves as linear, ignores inherit types, and rests blend shapes at \
            full weight; the importer fbx reads them as the file says",
        ),
        // `B3DImporter.cpp`: `ReadVRTS`, `ReadBONE`, `ReadBB3D`.
        Format::Blitz => Some(
            "assimp drops vertex colours, a vertex's weights after the fourth, and all animations if there are \
            several; weights refer to the vertices of all meshes together",
        ),
        // `MD5Parser.cpp`, `ParseSection`; `MD5Loader.cpp`: `LoadMD5MeshFile`, `LoadMD5AnimFile`.
        Format::Md5 => Some(
            "assimp gives each vertex one bind position whatever its weights say, ignores clips with only a base \
            frame, plays all clips at 24 frames per second, and loses joints without a blank line before them; \
            the importer md5 reads them as the file says",
        ),
        // `M3DImporter.cpp`: `importMeshes` makes a vertex without a colour black, `importTextures` reads only names, and
        // `importBones` skips a bone that precedes its parent.
        Format::Model3d => Some(
            "assimp drops the unit, vertex colours, embedded images and bones listed before their parents",
        ),
        _ => None,
    }
}

/// Converts vertex colours to linear light; `None` if assimp invents them. glTF stores linear light (2.0 §3.9.2), every
/// older format sRGB, by the custom of the programs that write them.
pub(super) fn vertex_colors(format: Format) -> Option<fn(Vec4) -> Vec4> {
    match format {
        Format::Gltf => Some(|color| color),
        Format::Model3d => None,
        _ => Some(linear_from_srgb),
    }
}

/// The title of the importer that assimp chose, such as `Autodesk FBX Importer`.
pub(super) fn title(scene: Raw<'_, aiScene>) -> String {
    let entry = scene.metadata();
    let entry = entry.and_then(|metadata| metadata.entry("SourceAsset_Format"));
    let title = entry.and_then(Raw::text).map(raw::text_of);
    title.unwrap_or_default()
}

/// The kinds that cannot be detected.
pub(super) fn hidden(format: Format) -> Vec<DefectKind> {
    // The format holds no rig, only faces and normals, which are not examined (`ObjFileParser.cpp`).
    if format == Format::Wavefront {
        return vec![
            DefectKind::AimlessChannel,
            DefectKind::FaceIndexOutOfRange,
            DefectKind::NonunitNormal,
        ];
    }
    let examined = examined(format);
    let all = DefectKind::ALL.into_iter();
    let is_foreign = |kind| format != Format::Gltf && OF_GLTF.contains(&kind);
    all.filter(|kind| !examined.contains(kind) && !is_foreign(*kind))
        .collect()
}

/// The kinds that can be detected in assimp's output.
fn examined(format: Format) -> &'static [DefectKind] {
    match format {
        Format::DirectX => DIRECT_X,
        Format::Smd => SMD,
        Format::MilkShape => MILK_SHAPE,
        Format::Blitz | Format::Ogre => NUMBERS,
        Format::Bvh | Format::Mdl => KEYS,
        // Formats with native importers, and formats whose importers nobody has studied.
        Format::Collada
        | Format::Gltf
        | Format::Iqm
        | Format::Model3d
        | Format::Md5
        | Format::Fbx { .. }
        | Format::Wavefront
        | Format::Other
        | Format::Memory => &[],
    }
}

/// The examined kinds that no file of the format can have, although assimp's output may show them: it inverts
/// matrices, and converts angles and matrices to quaternions.
pub(super) fn invented(format: Format) -> &'static [DefectKind] {
    match format {
        Format::Smd | Format::MilkShape => &[
            DefectKind::NonaffineInverseBind,
            DefectKind::NonunitKey,
            DefectKind::ZeroQuaternion,
        ],
        // They store no inverse bind matrices.
        Format::Blitz | Format::Ogre | Format::Mdl => &[DefectKind::NonaffineInverseBind],
        _ => &[],
    }
}

/// The kinds that only glTF files can have.
const OF_GLTF: [DefectKind; 8] = [
    DefectKind::SkeletonNotAncestor,
    DefectKind::JointOutsideScene,
    DefectKind::MorphWeightCount,
    DefectKind::UnequalTargets,
    DefectKind::TangentSign,
    DefectKind::StatedBounds,
    DefectKind::ForbiddenStorage,
    DefectKind::BrokenExpression,
];

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
