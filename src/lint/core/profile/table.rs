//! The profiles, each statement with its source.

use std::num::NonZeroU32;

use crate::lens::{self, Stated};
use crate::lint::core::profile::{Axes, Profile, Sources};
use crate::units::{Handedness, LengthUnit, SignedAxis};

/// Every profile, in the order of the documentation.
///
/// The limits are defaults that a project can change. Where no number is published, there is none: engines that split a
/// mesh into sections have no limit of joints per skin.
pub static PROFILES: &[Profile] = &[GLTF, UNITY, UNREAL, GODOT, BEVY, VRM, ROBLOX];

/// +Y up, right-handed, and characters look along +Z: the axes of glTF files, as they are.
const AS_GLTF: Axes = Axes {
    up: SignedAxis::PlusY,
    forward: SignedAxis::PlusZ,
    front: SignedAxis::PlusZ,
    handedness: Handedness::Right,
};

/// As glTF, but an unrotated object looks along -Z, so that imported characters look backwards.
const BACK_TO_FRONT: Axes = Axes {
    forward: SignedAxis::MinusZ,
    ..AS_GLTF
};

/// The number of influences that a lens states.
const fn number(stated: Stated<Option<NonZeroU32>>) -> Option<u32> {
    match stated.value {
        Some(number) => Some(number.get()),
        None => None,
    }
}

/// The source that a lens names.
const fn source(source: Option<&'static str>) -> &'static str {
    source.expect("these statements of lenses have a source")
}

const GLTF: Profile = Profile {
    name: "gltf",
    title: "glTF 2.0",
    max_influences: Some(4),
    max_joints: None,
    unit: LengthUnit::Metre,
    axes: AS_GLTF,
    conversion: "the format fixes unit and axes; the exporter must convert",
    sources: Sources {
        max_influences: "glTF 2.0 §3.7.3.3: clients SHOULD support at least one set of four influences",
        max_joints: "glTF 2.0 §3.7.3.3 requires no number of joints of clients",
        unit: "glTF 2.0 §3.4: the units for all linear distances are metres",
        axes: "glTF 2.0 §3.4: right-handed, +Y up, +Z forward; the front of an asset faces +Z",
        conversion: "glTF 2.0 §3.4",
    },
};

const UNITY: Profile = Profile {
    name: "unity",
    title: "Unity, default import settings",
    max_influences: number(lens::unity::LENS.influences),
    max_joints: None,
    unit: LengthUnit::Metre,
    axes: Axes {
        up: SignedAxis::PlusY,
        forward: SignedAxis::PlusZ,
        front: SignedAxis::PlusZ,
        handedness: Handedness::Left,
    },
    conversion: "Convert Units scales by the file's stated unit; other axes rotate the root object or, with Bake Axis \
                 Conversion, the data",
    sources: Sources {
        max_influences: source(lens::unity::LENS.influences.source),
        max_joints: "no limit is published",
        unit: "Unity manual, Model tab, Scale Factor: physics expects 1 m to be 1 unit; ModelImporter.fileScale: the factor \
               to metres",
        axes: "Unity scripting reference, ModelImporter.bakeAxisConversion: left-handed, Z forward, Y up; Vector3.forward: \
               (0, 0, 1)",
        conversion: "Unity manual, Model tab, Convert Units and Bake Axis Conversion; ModelImporter.bakeAxisConversion",
    },
};

const UNREAL: Profile = Profile {
    name: "unreal",
    title: "Unreal Engine 5, without unlimited bone influences",
    max_influences: number(lens::unreal::LENS.influences),
    max_joints: None,
    unit: LengthUnit::Centimetre,
    axes: Axes {
        up: SignedAxis::PlusZ,
        forward: SignedAxis::PlusX,
        front: SignedAxis::PlusY,
        handedness: Handedness::Left,
    },
    conversion: "Convert Scene rotates an FBX file to the engine's axes; Convert Scene Unit scales it to centimetres. \
                 Convert Scene Unit is on by default in Interchange, and off in the importer before it, which imports a \
                 file in metres a hundred times too small",
    sources: Sources {
        max_influences: source(lens::unreal::LENS.influences.source),
        max_joints: "Unreal Engine documentation, Skeletal Mesh Rendering Paths, Max Bones Per Section: a section with more \
                     bones than the platform skins in one draw call (65,536; mobile 75) is divided into chunks",
        unit: "Unreal Engine documentation, Units of Measurement: distance and length in centimetres",
        axes: "Unreal Engine documentation, Coordinate System and Spaces: left-handed, Z up, X forward; Interchange, \
               FbxConvert.cpp, ConvertScene: without Force Front X Axis the front becomes -Y, right-handed, and \
               ConvertPos mirrors that to +Y",
        conversion: "Interchange: FbxConvert.cpp, ConvertScene; InterchangeFbxTranslator.h, bConvertSceneUnit = true. \
                     The importer before it: FbxAssetImportData.cpp, bConvertSceneUnit(false)",
    },
};

const GODOT: Profile = Profile {
    name: "godot",
    title: "Godot 4",
    max_influences: number(lens::godot::LENS.influences),
    max_joints: None,
    unit: LengthUnit::Metre,
    axes: BACK_TO_FRONT,
    conversion: "glTF is imported unchanged; for FBX, set Blender's Apply Scalings to FBX Units Scale",
    sources: Sources {
        max_influences: source(lens::godot::LENS.influences.source),
        max_joints: "no limit is published",
        unit: "Godot documentation, Introduction to 3D: 1 unit is 1 metre",
        axes: "Godot documentation, Model export considerations, 3D asset direction conventions: right-handed, Y up, -Z is \
               the camera's forward, +Z the front of characters",
        conversion: "Godot documentation, Model export considerations; class reference, FBXDocument",
    },
};

const BEVY: Profile = Profile {
    name: "bevy",
    title: "Bevy",
    max_influences: number(lens::bevy::LENS.influences),
    max_joints: lens::bevy::LENS.joints.value,
    unit: LengthUnit::Metre,
    axes: BACK_TO_FRONT,
    conversion: "glTF is imported unchanged, so Transform::forward points to the back of the model unless \
                 GltfConvertCoordinates rotates it",
    sources: Sources {
        max_influences: source(lens::bevy::LENS.influences.source),
        max_joints: source(lens::bevy::LENS.joints.source),
        unit: "Bevy API, MeshletMesh::from_mesh, where 1 unit is 100 centimetres; glTF's metres are not scaled",
        axes: "Bevy API, GltfConvertCoordinates: -Z forward, +Y up, +X right; without conversion glTF scenes keep +Z",
        conversion: "Bevy API, GltfConvertCoordinates",
    },
};

const VRM: Profile = Profile {
    name: "vrm",
    title: "VRM 1.0",
    max_influences: Some(4),
    max_joints: None,
    unit: LengthUnit::Metre,
    axes: AS_GLTF,
    conversion: "the format fixes unit and axes; the exporter must convert",
    sources: Sources {
        max_influences: "VRMC_vrm 1.0 sets no limit and depends on glTF 2.0, §3.7.3.3: four influences",
        max_joints: "neither VRMC_vrm 1.0 nor glTF 2.0 sets a limit",
        unit: "VRMC_vrm 1.0, Coordinate Units: as glTF, metres",
        axes: "VRMC_vrm 1.0, tpose.md, definition 1.1: standing straight toward +Z; up and handedness of glTF 2.0 §3.4",
        conversion: "VRMC_vrm 1.0, Coordinate Units",
    },
};

const ROBLOX: Profile = Profile {
    name: "roblox",
    title: "Roblox",
    max_influences: number(lens::roblox::LENS.influences),
    max_joints: None,
    unit: LengthUnit::Stud,
    axes: BACK_TO_FRONT,
    conversion: "the 3D Importer assumes its Scale Unit, and rotates the file by World Up and World Forward",
    sources: Sources {
        max_influences: source(lens::roblox::LENS.influences.source),
        max_joints: "Roblox Creator Hub, general specifications of meshes, without a limit",
        unit: "Roblox Creator Hub, Roblox units, Unit conversions: 1 stud is 28 cm",
        axes: "Roblox Creator Hub, CFrame: right vector +X, up vector +Y, look vector -Z; specifications of character bodies, \
               Orientation: characters must face positive Z and stand up in positive Y",
        conversion: "Roblox Creator Hub, 3D Importer, File Transform and File Geometry; Enum.MeshScaleUnit",
    },
};
