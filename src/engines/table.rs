//! The engines, each statement with its source.

use std::num::NonZeroU32;

use super::engine::{
    Axes, Choice, Engine, EngineOption, Interpolation, Kept, Rounding, Stated, Storage, Sum,
};
use crate::units::{Handedness, LengthUnit, SignedAxis};

/// Every engine, format and platform, in the order of the documentation.
///
/// The limits are defaults that a project can change. Where no number is published, there is none: engines that split a
/// mesh into sections have no limit of joints per skin.
pub static ENGINES: &[Engine] = &[
    GLTF, VRM, THREE, BABYLON, PLAYCANVAS, BEVY, PANDA3D, RAYLIB, GODOT, FILAMENT, UNITY, UNREAL,
    ROBLOX,
];

/// The engine named `name`, ignoring case.
#[must_use]
pub fn find_engine(name: &str) -> Option<&'static Engine> {
    let mut engines = ENGINES.iter();
    engines.find(|engine| engine.name.eq_ignore_ascii_case(name))
}

/// An engine of which nothing is stated.
const fn named(name: &'static str, title: &'static str, version: &'static str) -> Engine {
    Engine {
        name,
        title,
        version,
        influences: None,
        kept: None,
        sum: None,
        unweighted_follow_first_joint: None,
        storage: None,
        blends_matrices: None,
        joints: None,
        rotations: None,
        rate: None,
        unit: None,
        axes: None,
        conversion: None,
        options: &[],
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "a number without a source is absent from the table"
)]
const fn by<T: Copy>(source: &'static str, value: T) -> Option<Stated<T>> {
    Some(Stated { value, source })
}

const FOUR: NonZeroU32 = NonZeroU32::new(4).expect("it is not 0");
const EIGHT: NonZeroU32 = NonZeroU32::new(8).expect("it is not 0");

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

const OF_THE_FORMAT: &str = "the format fixes unit and axes; the exporter must convert";

const GLTF: Engine = Engine {
    influences: by(
        "glTF 2.0 §3.7.3.3: clients SHOULD support at least one set of four influences",
        FOUR,
    ),
    unit: by(
        "glTF 2.0 §3.4: the units for all linear distances are metres",
        LengthUnit::Metre,
    ),
    axes: by(
        "glTF 2.0 §3.4: right-handed, +Y up, +Z forward; the front of an asset faces +Z",
        AS_GLTF,
    ),
    conversion: by("glTF 2.0 §3.4", OF_THE_FORMAT),
    ..named("gltf", "glTF", "2.0")
};

const VRM: Engine = Engine {
    influences: by(
        "VRMC_vrm 1.0 sets no limit and depends on glTF 2.0, §3.7.3.3: four influences",
        FOUR,
    ),
    unit: by(
        "VRMC_vrm 1.0, Coordinate Units: as glTF, metres",
        LengthUnit::Metre,
    ),
    axes: by(
        "VRMC_vrm 1.0, tpose.md, definition 1.1: standing straight toward +Z; up and handedness of glTF 2.0 §3.4",
        AS_GLTF,
    ),
    conversion: by("VRMC_vrm 1.0, Coordinate Units", OF_THE_FORMAT),
    ..named("vrm", "VRM", "1.0")
};

/// three.js, for glTF.
const THREE: Engine = {
    const LOADER: &str = "mrdoob/three.js r187, examples/jsm/loaders/GLTFLoader.js: ATTRIBUTES has JOINTS_0 and WEIGHTS_0 only";
    const NORMALIZE: &str = "mrdoob/three.js r187, src/objects/SkinnedMesh.js, normalizeSkinWeights, which GLTFLoader calls";
    Engine {
        influences: by(LOADER, FOUR),
        kept: by(LOADER, Kept::First),
        sum: by(NORMALIZE, Sum::Divided),
        unweighted_follow_first_joint: Some(NORMALIZE),
        storage: by(NORMALIZE, Storage::AsInFile),
        blends_matrices: Some(
            "mrdoob/three.js r187, src/renderers/shaders/ShaderChunk/skinning_vertex.glsl.js: a sum of vertices moved by matrices",
        ),
        // Below an angle of 1.8° its normalized linear interpolation is within 1e-6 of the spherical one.
        rotations: by(
            "mrdoob/three.js r187, src/math/Quaternion.js, slerpFlat",
            Interpolation::Spherical,
        ),
        rate: by(
            "mrdoob/three.js r187, examples/jsm/loaders/GLTFLoader.js, loadAnimation keeps the keys",
            None,
        ),
        ..named("three", "three.js", "0.187")
    }
};

/// Babylon.js, for glTF.
const BABYLON: Engine = {
    const LOADER: &str = "BabylonJS/Babylon.js, @babylonjs/loaders 9.28, glTF/2.0/glTFLoader.js: JOINTS_0, WEIGHTS_0, JOINTS_1 and \
                          WEIGHTS_1";
    Engine {
        influences: by(LOADER, EIGHT),
        kept: by(LOADER, Kept::First),
        sum: by(
            "BabylonJS/Babylon.js, @babylonjs/core 9.35, Shaders/ShadersInclude/bonesVertex.js sums whole matrices; \
             Meshes/abstractMesh.js, ApplySkeleton divides by w",
            Sum::Homogeneous,
        ),
        storage: by(LOADER, Storage::Float),
        blends_matrices: Some(
            "BabylonJS/Babylon.js, @babylonjs/core 9.35, Shaders/ShadersInclude/bonesVertex.js: a sum of matrices",
        ),
        rotations: by(
            "BabylonJS/Babylon.js, @babylonjs/core 9.35, Maths/math.vector.js, Quaternion.SlerpToRef",
            Interpolation::Spherical,
        ),
        rate: by(LOADER, None),
        ..named("babylon", "Babylon.js", "9.35")
    }
};

/// PlayCanvas, for glTF.
const PLAYCANVAS: Engine = {
    const SEMANTICS: &str = "playcanvas/engine 2.23.3, src/framework/parsers/glb/gltf-accessor.js: JOINTS_0 and WEIGHTS_0 only";
    Engine {
        influences: by(SEMANTICS, FOUR),
        kept: by(SEMANTICS, Kept::First),
        sum: by(
            "playcanvas/engine 2.23.3, src/scene/shader-lib/glsl/chunks/common/vert/skin.js: w of the matrix is the sum",
            Sum::Homogeneous,
        ),
        storage: by(
            "playcanvas/engine 2.23.3, src/framework/parsers/glb-parser.js keeps the type of the accessor",
            Storage::Float,
        ),
        blends_matrices: Some(
            "playcanvas/engine 2.23.3, src/scene/shader-lib/glsl/chunks/common/vert/skin.js: a sum of matrices",
        ),
        rotations: by(
            "playcanvas/engine 2.23.3, src/framework/anim/evaluator/anim-cache.js, eval; anim-blend.js, set normalizes",
            Interpolation::Components,
        ),
        rate: by(
            "playcanvas/engine 2.23.3, src/framework/parsers/glb-parser.js keeps the keys",
            None,
        ),
        ..named("playcanvas", "PlayCanvas", "2.23")
    }
};

/// Bevy, for glTF.
const BEVY: Engine = {
    const ATTRIBUTES: &str =
        "bevyengine/bevy 0.20.1, bevy_gltf/src/vertex_attributes.rs: Joints(0) and Weights(0) only";
    Engine {
        influences: by("Bevy API, Mesh::ATTRIBUTE_JOINT_WEIGHT: Float32x4", FOUR),
        kept: by(ATTRIBUTES, Kept::First),
        sum: by(
            "bevyengine/bevy 0.20.1, bevy_gltf/src/vertex_attributes.rs and bevy_pbr/src/render/skinning.wesl: weights are used as they \
             are; mesh.wesl drops w",
            Sum::Undivided,
        ),
        storage: by(ATTRIBUTES, Storage::Float),
        blends_matrices: Some(
            "bevyengine/bevy 0.20.1, bevy_pbr/src/render/skinning.wesl, skin_model: a sum of matrices",
        ),
        joints: by(
            "Bevy API, bevy_pbr::MAX_JOINTS: 256, which is guaranteed to work everywhere",
            256,
        ),
        rotations: by(
            "bevyengine/bevy 0.20.1, bevy_gltf/src/loader/mod.rs: UnevenSampleAutoCurve of quaternions; bevy_math, slerp",
            Interpolation::Spherical,
        ),
        rate: by(
            "bevyengine/bevy 0.20.1, bevy_gltf/src/loader/mod.rs keeps the keys",
            None,
        ),
        unit: by(
            "Bevy API, MeshletMesh::from_mesh, where 1 unit is 100 centimetres; glTF's metres are not scaled",
            LengthUnit::Metre,
        ),
        axes: by(
            "Bevy API, GltfConvertCoordinates: -Z forward, +Y up, +X right; without conversion glTF scenes keep +Z",
            BACK_TO_FRONT,
        ),
        conversion: by(
            "Bevy API, GltfConvertCoordinates",
            "glTF is imported unchanged, so Transform::forward points to the back of the model unless \
             GltfConvertCoordinates rotates it",
        ),
        ..named("bevy", "Bevy", "0.20")
    }
};

/// Panda3D with panda3d-gltf, for glTF.
const PANDA3D: Engine = {
    const COLUMNS: &str = "panda3d-gltf 1.3.0, gltf/_converter.py: one column transform_weight of four; WEIGHTS_1 overwrites it, \
                           which is not emulated";
    Engine {
        influences: by(COLUMNS, FOUR),
        kept: by(COLUMNS, Kept::First),
        sum: by(
            "panda3d-gltf 1.3.0, gltf/_converter.py, normalize_weights: weights in f32 are divided by their sum",
            Sum::Divided,
        ),
        rotations: by(
            "panda3d-gltf 1.3.0, gltf/_converter.py, slerp",
            Interpolation::Spherical,
        ),
        rate: by(
            "panda3d-gltf 1.3.0, gltf/_converter.py, GltfSettings.animation_fps: 30",
            Some(30.0),
        ),
        ..named("panda3d", "Panda3D", "1.10.16, panda3d-gltf 1.3.0")
    }
};

/// raylib, for glTF, skinning on the CPU.
const RAYLIB: Engine = {
    const LOADER: &str = "raysan5/raylib 6.0, src/rmodels.c, LoadGLTF: four per vertex; a second set overwrites the first, which is not \
                          emulated";
    Engine {
        influences: by(LOADER, FOUR),
        kept: by(LOADER, Kept::First),
        sum: by(
            "raysan5/raylib 6.0, src/rmodels.c, UpdateModelAnimationVertexBuffers: weights are used as they are",
            Sum::Undivided,
        ),
        storage: by(
            "raysan5/raylib 6.0, src/rmodels.c, LoadGLTF: f32; other types are divided by their largest number",
            Storage::Float,
        ),
        joints: by(
            "raysan5/raylib 6.0, src/raylib.h, Mesh: boneIndices are unsigned char",
            256,
        ),
        rotations: by(
            "raysan5/raylib 6.0, src/raymath.h, QuaternionSlerp: a normalized lerp above a dot product of 0.95",
            Interpolation::Mixed,
        ),
        rate: by(
            "raysan5/raylib 6.0, src/rmodels.c, GLTF_FRAMERATE",
            Some(60.0),
        ),
        ..named("raylib", "raylib", "6")
    }
};

/// Godot, for glTF.
const GODOT: Engine = {
    const DOCUMENT: &str = "godotengine/godot 4.5, modules/gltf/gltf_document.cpp, _parse_meshes";
    const BAKE: &str = "Godot class reference 4.5, ResourceImporterScene, animation/fps";
    Engine {
        influences: by(
            "Godot class reference, Mesh.ARRAY_FLAG_USE_8_BONE_WEIGHTS: 8 bones per vertex",
            EIGHT,
        ),
        kept: by(DOCUMENT, Kept::First),
        sum: by(DOCUMENT, Sum::Divided),
        storage: by(
            "godotengine/godot@0001ea78, servers/rendering/rendering_server.cpp, ARRAY_WEIGHTS: uint16_t of the weight times 65535; \
             servers/rendering/renderer_rd/shaders/skeleton.glsl uses them undivided",
            Storage::Parts {
                bits: 16,
                rounding: Rounding::Down,
            },
        ),
        blends_matrices: Some(
            "godotengine/godot@0001ea78, servers/rendering/renderer_rd/shaders/skeleton.glsl: a sum of matrices",
        ),
        rate: by(BAKE, Some(30.0)),
        unit: by(
            "Godot documentation, Introduction to 3D: 1 unit is 1 metre",
            LengthUnit::Metre,
        ),
        axes: by(
            "Godot documentation, Model export considerations, 3D asset direction conventions: right-handed, Y up, -Z is \
             the camera's forward, +Z the front of characters",
            BACK_TO_FRONT,
        ),
        conversion: by(
            "Godot documentation, Model export considerations; class reference, FBXDocument",
            "glTF is imported unchanged; for FBX, set Blender's Apply Scalings to FBX Units Scale",
        ),
        options: &[EngineOption {
            choice: Choice::Rate,
            source: BAKE,
        }],
        ..named("godot", "Godot", "4.5")
    }
};

/// Filament with gltfio, for glTF.
const FILAMENT: Engine = {
    const GETTERS: &str = "google/filament@00f315db, shaders/src/getters.vs, skinPosition: four weights, used undivided";
    Engine {
        influences: by(GETTERS, FOUR),
        kept: by(
            "google/filament, libs/gltfio/src/AssetLoader.cpp, createPrimitive: skips JOINTS_1 and WEIGHTS_1 (Too many joints)",
            Kept::First,
        ),
        sum: by(GETTERS, Sum::Undivided),
        blends_matrices: Some(
            "google/filament@00f315db, shaders/src/getters.vs, skinPosition: a sum of vertices moved by matrices",
        ),
        joints: by(
            "google/filament, libs/filabridge/include/private/filament/EngineEnums.h, CONFIG_MAX_BONE_COUNT",
            256,
        ),
        ..named(
            "filament",
            "Filament",
            "00f315db, gltfio without normalizeSkinningWeights",
        )
    }
};

/// Unity, with the default import settings.
const UNITY: Engine = Engine {
    influences: by(
        "Unity scripting reference, ModelImporterSkinWeights.Standard: currently 4 bones per vertex",
        FOUR,
    ),
    kept: by(
        "Unity 6 scripting reference, ModelImporter.maxBonesPerVertex: the lowest weights are discarded",
        Kept::Largest,
    ),
    sum: by(
        "Unity 2019.3 scripting reference, Mesh.GetAllBoneWeights: the weights for a vertex add up to 1",
        Sum::Divided,
    ),
    blends_matrices: Some(
        "Unity 2019.1 manual, Importing skinned meshes: Unity supports linear blend skinning",
    ),
    unit: by(
        "Unity manual, Model tab, Scale Factor: physics expects 1 m to be 1 unit; ModelImporter.fileScale: the factor \
         to metres",
        LengthUnit::Metre,
    ),
    axes: by(
        "Unity scripting reference, ModelImporter.bakeAxisConversion: left-handed, Z forward, Y up; Vector3.forward: \
         (0, 0, 1)",
        Axes {
            handedness: Handedness::Left,
            ..AS_GLTF
        },
    ),
    conversion: by(
        "Unity manual, Model tab, Convert Units and Bake Axis Conversion; ModelImporter.bakeAxisConversion",
        "Convert Units scales by the file's stated unit; other axes rotate the root object or, with Bake Axis \
         Conversion, the data",
    ),
    options: &[EngineOption {
        choice: Choice::Influences(255),
        source: "ModelImporter.maxBonesPerVertex, 1 to 255, and QualitySettings.skinWeights; Unity 6 scripting reference",
    }],
    ..named("unity", "Unity", "6, default import settings")
};

/// Unreal Engine, with the default project settings.
const UNREAL: Engine = Engine {
    influences: by(
        "Unreal Engine, GPUSkinPublicDefs.h, EXTRA_BONE_INFLUENCES: 8",
        EIGHT,
    ),
    kept: by(
        "Unreal Engine 5.3 C++ API, FBoneWeightsSettings::SetMaxWeightCount: the smallest weights past the limit are dropped",
        Kept::Largest,
    ),
    sum: by(
        "Unreal Engine 5.3 C++ API, EBoneWeightNormalizeType::Always: the sum is always 1",
        Sum::Divided,
    ),
    storage: by(
        "Unreal Engine 5.7 Python API, SkeletalMeshBuildSettings: use_high_precision_skin_weights is false, for 8 bits; the rounding \
         is not published: to the nearest loses least",
        Storage::Parts {
            bits: 8,
            rounding: Rounding::Repaired,
        },
    ),
    unit: by(
        "Unreal Engine documentation, Units of Measurement: distance and length in centimetres",
        LengthUnit::Centimetre,
    ),
    axes: by(
        "Unreal Engine documentation, Coordinate System and Spaces: left-handed, Z up, X forward; Interchange, \
         FbxConvert.cpp, ConvertScene: without Force Front X Axis the front becomes -Y, right-handed, and \
         ConvertPos mirrors that to +Y",
        Axes {
            up: SignedAxis::PlusZ,
            forward: SignedAxis::PlusX,
            front: SignedAxis::PlusY,
            handedness: Handedness::Left,
        },
    ),
    conversion: by(
        "Interchange: FbxConvert.cpp, ConvertScene; InterchangeFbxTranslator.h, bConvertSceneUnit = true. \
         The importer before it: FbxAssetImportData.cpp, bConvertSceneUnit(false)",
        "Convert Scene rotates an FBX file to the engine's axes; Convert Scene Unit scales it to centimetres. \
         Convert Scene Unit is on by default in Interchange, and off in the importer before it, which imports a \
         file in metres a hundred times too small",
    ),
    options: &[
        EngineOption {
            choice: Choice::Influences(8),
            source: "Bone Influence Limit, and Unlimited Bone Influences of the project; Unreal Engine 5.7 Python API, \
                     SkeletalMeshBuildSettings.bone_influence_limit",
        },
        EngineOption {
            choice: Choice::Weights,
            source: "Use High Precision Skin Weights; Unreal Engine 5.7 Python API, \
                     SkeletalMeshBuildSettings.use_high_precision_skin_weights",
        },
        EngineOption {
            choice: Choice::Rate,
            source: "Custom Sample Rate; Unreal Engine 5.7 Python API, FbxAnimSequenceImportData.custom_sample_rate",
        },
    ],
    ..named(
        "unreal",
        "Unreal Engine",
        "5.7, default project settings, without unlimited bone influences",
    )
};

const ROBLOX: Engine = Engine {
    influences: by(
        "Roblox Creator Hub, general specifications of meshes, max influences: 4",
        FOUR,
    ),
    unit: by(
        "Roblox Creator Hub, Roblox units, Unit conversions: 1 stud is 28 cm",
        LengthUnit::Stud,
    ),
    axes: by(
        "Roblox Creator Hub, CFrame: X right, Y up, Z back; specifications of character bodies, \
         Orientation: characters must face positive Z and stand up in positive Y",
        BACK_TO_FRONT,
    ),
    conversion: by(
        "Roblox Creator Hub, 3D Importer, File Transform and File Geometry; Enum.MeshScaleUnit",
        "the 3D Importer assumes its Scale Unit, and rotates the file by World Up and World Forward",
    ),
    ..named("roblox", "Roblox", "Creator Hub, 2025")
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_found_by_its_name() {
        for engine in ENGINES {
            assert_eq!(find_engine(engine.name), Some(engine));
            assert_eq!(find_engine(&engine.name.to_uppercase()), Some(engine));
            assert!(!engine.version.is_empty() && !engine.title.ends_with('.'));
        }
        assert_eq!(find_engine("quake"), None);
    }

    #[test]
    fn every_engine_limits_influences_and_only_sources_that_say_which_are_kept_say_more() {
        for engine in ENGINES {
            assert!(engine.influences.is_some(), "{}", engine.name);
            let uses = engine.sum.is_some() || engine.storage.is_some() || engine.rate.is_some();
            assert!(engine.is_emulated() || !uses, "{}", engine.name);
        }
    }

    #[test]
    fn the_up_axis_is_neither_forward_nor_front() {
        for (name, axes) in ENGINES
            .iter()
            .filter_map(|own| Some((own.name, own.axes?.value)))
        {
            let up = axes.up.unit();
            for ahead in [axes.forward, axes.front] {
                assert!(up.dot(ahead.unit()).abs() < 0.5, "{name}: {ahead}");
            }
        }
    }
}
