//! What assimp does to each format.

use glam::Vec4;
use russimp::sys::aiScene;

use super::names;
use super::raw::Raw;
use crate::import::color::linear_from_srgb;
use crate::rig::Format;

impl Format {
    /// The format of the importer that assimp chose, by its title.
    pub(super) fn of_title(title: &str) -> Self {
        match title {
            "glTF2 Importer" | "glTF Importer" => Self::Gltf,
            "Autodesk FBX Importer" => Self::Fbx { version: None },
            "Collada Importer" => Self::Collada,
            "Quake Mesh / 3D GameStudio Mesh Importer" => Self::Mdl,
            "Doom 3 / MD5 Mesh Importer" => Self::Md5,
            "BVH Importer (MoCap)" => Self::Bvh,
            "Valve SMD Importer" => Self::Smd,
            "Inter-Quake Model Importer" => Self::Iqm,
            "Milkshape 3D Importer" => Self::MilkShape,
            "Model 3D Importer" => Self::Model3d,
            "Direct3D XFile Importer" => Self::DirectX,
            "Wavefront Object Importer" => Self::Wavefront,
            "BlitzBasic 3D Importer" => Self::Blitz,
            "Ogre3D Mesh Importer" => Self::Ogre,
            _ => Self::Other,
        }
    }

    /// Whether key times in the file are seconds, whatever unit assimp converts them to.
    pub(super) fn counts_seconds(self) -> bool {
        matches!(self, Self::Gltf | Self::Collada)
    }

    /// Whether the format counts in frames and states their rate. The ticks of other formats may have any length.
    pub(super) fn counts_frames(self) -> bool {
        matches!(self, Self::Md5 | Self::Bvh)
    }

    /// Whether a clip's duration is the one stated in the file. For MDL it is the number of frames times the rate
    /// (`HL1MDLLoader.cpp`, `read_animations`), which is meaningless.
    pub(super) fn states_duration(self) -> bool {
        self != Self::Mdl
    }

    /// Whether the importer keeps the file's list of vertices, so that vertices must not be welded. Other importers deliver
    /// one vertex per corner of each polygon.
    pub(super) fn keeps_vertices(self) -> bool {
        self == Self::Gltf
    }

    /// Data of this format that assimp 6.0.2 silently drops; `None` if it drops nothing.
    pub(super) fn losses(self) -> Option<&'static str> {
        match self {
            // `IQMImporter.cpp`: "these attributes are not relevant".
            Self::Iqm => Some(
                "assimp reads neither skeleton, weights nor clips of IQM; the importer iqm does",
            ),
            // `glTF2Importer.cpp`: `CreateNodeAnim`, `CreateMeshMorphAnim`, `BuildVertexWeightMapping`.
            Self::Gltf => Some(
                "assimp reads step and cubic spline keys as linear, drops weights of 0 and below, and misreads \
                normalized integers; the importer gltf reads them as the file says",
            ),
            // `ColladaLoader.cpp`: `CreateAnimation`, `CreateMesh`; `ColladaParser.cpp`: `ReadAnimationClipLibrary`.
            Self::Collada => Some(
                "assimp reads curves as linear, merges all clips, finds joints by name instead of sid, and rests \
                morph targets at full weight; the importer collada reads them as the file says",
            ),
            // `FBXConverter.cpp`: `ConvertAnimationStack`, `InterpolateKeys`, `ConvertMeshSingleMaterial`.
            Self::Fbx { .. } => Some(
                "assimp starts clips at 0, reads curves as linear, ignores inherit types, and rests blend shapes at \
                full weight; the importer fbx reads them as the file says",
            ),
            // `B3DImporter.cpp`: `ReadVRTS`, `ReadBONE`, `ReadBB3D`.
            Self::Blitz => Some(
                "assimp drops vertex colours, a vertex's weights after the fourth, and all animations if there are \
                several; weights refer to the vertices of all meshes together",
            ),
            // `MD5Parser.cpp`, `ParseSection`; `MD5Loader.cpp`: `LoadMD5MeshFile`, `LoadMD5AnimFile`.
            Self::Md5 => Some(
                "assimp gives each vertex one bind position whatever its weights say, ignores clips with only a base \
                frame, plays all clips at 24 frames per second, and loses joints without a blank line before them; \
                the importer md5 reads them as the file says",
            ),
            // `MS3DLoader.cpp`: `ReadComments` reads a count of 32 bits where the file has 16, and `InternReadFile` adds position
            // keys to the rest position.
            Self::MilkShape => Some(
                "assimp reads only the first joint of each vertex, and adds position keys in the axes of the parent \
                instead of the joint",
            ),
            // `M3DImporter.cpp`: `importMeshes` makes a vertex without a colour black, `importTextures` reads only names, and
            // `importBones` skips a bone that precedes its parent.
            Self::Model3d => Some(
                "assimp drops the unit, vertex colours, embedded images and bones listed before their parents",
            ),
            _ => None,
        }
    }

    /// Converts vertex colours to linear light; `None` if assimp invents them. glTF stores linear light (2.0 §3.9.2), every
    /// older format sRGB, by the custom of the programs that write them.
    pub(super) fn vertex_colors(self) -> Option<fn(Vec4) -> Vec4> {
        match self {
            Self::Gltf => Some(|color| color),
            Self::Model3d => None,
            _ => Some(linear_from_srgb),
        }
    }
}

/// The title of the importer that assimp chose, such as `Autodesk FBX Importer`.
pub(super) fn title(scene: Raw<'_, aiScene>) -> String {
    let entry = scene.metadata();
    let entry = entry.and_then(|metadata| metadata.entry("SourceAsset_Format"));
    let title = entry.and_then(Raw::text).map(names::text);
    title.unwrap_or_default()
}
