//! The lenses: what sources say of each engine, and of its importer of glTF.

use std::num::NonZeroU32;

use super::statement::{
    Interpolation, Kept, Lens, Rounding, Setting, Stated, Storage, Sum, Unweighted, Values, World,
};
use crate::rig::SkinningMethod;

/// Every lens, in the order of the documentation.
pub static LENSES: &[Lens] = &[
    three::LENS,
    babylon::LENS,
    playcanvas::LENS,
    bevy::LENS,
    panda3d::LENS,
    raylib::LENS,
    godot::LENS,
    filament::LENS,
    unity::LENS,
    unreal::LENS,
    roblox::LENS,
];

const FOUR: Option<NonZeroU32> = NonZeroU32::new(4);
const EIGHT: Option<NonZeroU32> = NonZeroU32::new(8);

/// The lens named `name`, ignoring case.
#[must_use]
pub fn find_lens(name: &str) -> Option<&'static Lens> {
    let mut lenses = LENSES.iter();
    lenses.find(|lens| lens.name.eq_ignore_ascii_case(name))
}

/// three.js, for glTF.
pub(crate) mod three {
    use super::{
        FOUR, Interpolation, Kept, Lens, SkinningMethod, Stated, Storage, Sum, Unweighted, World,
    };

    const LOADER: &str = "mrdoob/three.js r187, examples/jsm/loaders/GLTFLoader.js: ATTRIBUTES has JOINTS_0 and WEIGHTS_0 only";
    const NORMALIZE: &str = "mrdoob/three.js r187, src/objects/SkinnedMesh.js, normalizeSkinWeights, which GLTFLoader calls";

    pub(crate) const LENS: Lens = Lens {
        name: "three",
        title: "three.js",
        version: "0.187",
        influences: Stated::by(LOADER, FOUR),
        kept: Stated::by(LOADER, Kept::First),
        sum: Stated::by(NORMALIZE, Sum::Divided),
        unweighted: Stated::by(NORMALIZE, Unweighted::FirstJoint),
        storage: Stated::by(NORMALIZE, Storage::AsInFile),
        blending: Stated::by(
            "mrdoob/three.js r187, src/renderers/shaders/ShaderChunk/skinning_vertex.glsl.js: a sum of vertices moved by matrices",
            SkinningMethod::Linear,
        ),
        joints: Stated::by(
            "mrdoob/three.js r187, src/objects/Skeleton.js, computeBoneTexture: a texture of f32 that grows with the joints",
            None,
        ),
        // Below an angle of 1.8° its normalized linear interpolation is within 1e-6 of the spherical one.
        rotations: Stated::by(
            "mrdoob/three.js r187, src/math/Quaternion.js, slerpFlat",
            Interpolation::Spherical,
        ),
        rate: Stated::by(
            "mrdoob/three.js r187, examples/jsm/loaders/GLTFLoader.js, loadAnimation keeps the keys",
            None,
        ),
        world: Stated::by(
            "mrdoob/three.js r187, src/objects/Skeleton.js, update: bone.matrixWorld times the inverse, in f64, into a Float32Array",
            World::Palette,
        ),
        settings: &[],
    };
}

/// Babylon.js, for glTF.
pub(crate) mod babylon {
    use super::{
        EIGHT, Interpolation, Kept, Lens, SkinningMethod, Stated, Storage, Sum, Unweighted, World,
    };

    const LOADER: &str = "BabylonJS/Babylon.js, @babylonjs/loaders 9.28, glTF/2.0/glTFLoader.js: JOINTS_0, WEIGHTS_0, JOINTS_1 and \
                          WEIGHTS_1";

    pub(crate) const LENS: Lens = Lens {
        name: "babylon",
        title: "Babylon.js",
        version: "9.35",
        influences: Stated::by(LOADER, EIGHT),
        kept: Stated::by(LOADER, Kept::First),
        sum: Stated::by(
            "BabylonJS/Babylon.js, @babylonjs/core 9.35, Shaders/ShadersInclude/bonesVertex.js sums whole matrices; \
             Meshes/abstractMesh.js, ApplySkeleton divides by w",
            Sum::Homogeneous,
        ),
        unweighted: Stated::assumed(Unweighted::Node),
        storage: Stated::by(LOADER, Storage::Float),
        blending: Stated::by(
            "BabylonJS/Babylon.js, @babylonjs/core 9.35, Shaders/ShadersInclude/bonesVertex.js: a sum of matrices",
            SkinningMethod::Linear,
        ),
        joints: Stated::assumed(None),
        rotations: Stated::by(
            "BabylonJS/Babylon.js, @babylonjs/core 9.35, Maths/math.vector.js, Quaternion.SlerpToRef",
            Interpolation::Spherical,
        ),
        rate: Stated::by(LOADER, None),
        world: Stated::by(
            "BabylonJS/Babylon.js, @babylonjs/core 9.35, Bones/skeleton.js, _computeTransformMatrices: bones below the skeleton",
            World::Relative,
        ),
        settings: &[],
    };
}

/// PlayCanvas, for glTF.
pub(crate) mod playcanvas {
    use super::{
        FOUR, Interpolation, Kept, Lens, SkinningMethod, Stated, Storage, Sum, Unweighted, World,
    };

    const SEMANTICS: &str = "playcanvas/engine 2.23.3, src/framework/parsers/glb/gltf-accessor.js: JOINTS_0 and WEIGHTS_0 only";

    pub(crate) const LENS: Lens = Lens {
        name: "playcanvas",
        title: "PlayCanvas",
        version: "2.23",
        influences: Stated::by(SEMANTICS, FOUR),
        kept: Stated::by(SEMANTICS, Kept::First),
        sum: Stated::by(
            "playcanvas/engine 2.23.3, src/scene/shader-lib/glsl/chunks/common/vert/skin.js: w of the matrix is the sum",
            Sum::Homogeneous,
        ),
        unweighted: Stated::assumed(Unweighted::Node),
        storage: Stated::by(
            "playcanvas/engine 2.23.3, src/framework/parsers/glb-parser.js keeps the type of the accessor",
            Storage::Float,
        ),
        blending: Stated::by(
            "playcanvas/engine 2.23.3, src/scene/shader-lib/glsl/chunks/common/vert/skin.js: a sum of matrices",
            SkinningMethod::Linear,
        ),
        joints: Stated::by(
            "playcanvas/engine 2.23.3, src/scene/skin-instance.js: a texture of PIXELFORMAT_RGBA32F, 3 texels per joint",
            None,
        ),
        rotations: Stated::by(
            "playcanvas/engine 2.23.3, src/framework/anim/evaluator/anim-cache.js, eval; anim-blend.js, set normalizes",
            Interpolation::Components,
        ),
        rate: Stated::by(
            "playcanvas/engine 2.23.3, src/framework/parsers/glb-parser.js keeps the keys",
            None,
        ),
        world: Stated::by(
            "playcanvas/engine 2.23.3, src/scene/skin-instance.js, _updateMatrices: the root's inverse times a bone's world transform; \
             src/core/math/mat4.js: a Float32Array",
            World::Nodes,
        ),
        settings: &[],
    };
}

/// Bevy, for glTF.
pub(crate) mod bevy {
    use super::{
        FOUR, Interpolation, Kept, Lens, SkinningMethod, Stated, Storage, Sum, Unweighted, World,
    };

    const ATTRIBUTES: &str =
        "bevyengine/bevy 0.20.1, bevy_gltf/src/vertex_attributes.rs: Joints(0) and Weights(0) only";

    pub(crate) const LENS: Lens = Lens {
        name: "bevy",
        title: "Bevy",
        version: "0.20",
        influences: Stated::by("Bevy API, Mesh::ATTRIBUTE_JOINT_WEIGHT: Float32x4", FOUR),
        kept: Stated::by(ATTRIBUTES, Kept::First),
        sum: Stated::by(
            "bevyengine/bevy 0.20.1, bevy_gltf/src/vertex_attributes.rs and bevy_pbr/src/render/skinning.wesl: weights are used as they \
             are; mesh.wesl drops w",
            Sum::Undivided,
        ),
        unweighted: Stated::assumed(Unweighted::Node),
        storage: Stated::by(ATTRIBUTES, Storage::Float),
        blending: Stated::by(
            "bevyengine/bevy 0.20.1, bevy_pbr/src/render/skinning.wesl, skin_model: a sum of matrices",
            SkinningMethod::Linear,
        ),
        joints: Stated::by(
            "Bevy API, bevy_pbr::MAX_JOINTS: 256, which is guaranteed to work everywhere",
            Some(256),
        ),
        rotations: Stated::by(
            "bevyengine/bevy 0.20.1, bevy_gltf/src/loader/mod.rs: UnevenSampleAutoCurve of quaternions; bevy_math, slerp",
            Interpolation::Spherical,
        ),
        rate: Stated::by(
            "bevyengine/bevy 0.20.1, bevy_gltf/src/loader/mod.rs keeps the keys",
            None,
        ),
        world: Stated::by(
            "bevyengine/bevy 0.20.1, bevy_pbr/src/render/skin.rs: a joint's GlobalTransform, an Affine3A, times its inverse bind pose",
            World::NodesAndPalette,
        ),
        settings: &[],
    };
}

/// Panda3D with panda3d-gltf, for glTF.
pub(crate) mod panda3d {
    use super::{
        FOUR, Interpolation, Kept, Lens, SkinningMethod, Stated, Storage, Sum, Unweighted, World,
    };

    const COLUMNS: &str = "panda3d-gltf 1.3.0, gltf/_converter.py: one column transform_weight of four; WEIGHTS_1 overwrites it, \
                           which is not emulated";

    pub(crate) const LENS: Lens = Lens {
        name: "panda3d",
        title: "Panda3D",
        version: "1.10.16, panda3d-gltf 1.3.0",
        influences: Stated::by(COLUMNS, FOUR),
        kept: Stated::by(COLUMNS, Kept::First),
        sum: Stated::by(
            "panda3d-gltf 1.3.0, gltf/_converter.py, normalize_weights: weights in f32 are divided by their sum",
            Sum::Divided,
        ),
        unweighted: Stated::assumed(Unweighted::Node),
        storage: Stated::assumed(Storage::Float),
        blending: Stated::assumed(SkinningMethod::AsInFile),
        joints: Stated::assumed(None),
        rotations: Stated::by(
            "panda3d-gltf 1.3.0, gltf/_converter.py, slerp",
            Interpolation::Spherical,
        ),
        rate: Stated::by(
            "panda3d-gltf 1.3.0, gltf/_converter.py, GltfSettings.animation_fps: 30",
            Some(30.0),
        ),
        world: Stated::assumed(World::Relative),
        settings: &[],
    };
}

/// raylib, for glTF, skinning on the CPU.
pub(crate) mod raylib {
    use super::{
        FOUR, Interpolation, Kept, Lens, SkinningMethod, Stated, Storage, Sum, Unweighted, World,
    };

    const LOADER: &str = "raysan5/raylib 6.0, src/rmodels.c, LoadGLTF: four per vertex; a second set overwrites the first, which is not \
                          emulated";

    pub(crate) const LENS: Lens = Lens {
        name: "raylib",
        title: "raylib",
        version: "6",
        influences: Stated::by(LOADER, FOUR),
        kept: Stated::by(LOADER, Kept::First),
        sum: Stated::by(
            "raysan5/raylib 6.0, src/rmodels.c, UpdateModelAnimationVertexBuffers: weights are used as they are",
            Sum::Undivided,
        ),
        unweighted: Stated::assumed(Unweighted::Node),
        storage: Stated::by(
            "raysan5/raylib 6.0, src/rmodels.c, LoadGLTF: f32; other types are divided by their largest number",
            Storage::Float,
        ),
        blending: Stated::assumed(SkinningMethod::AsInFile),
        joints: Stated::by(
            "raysan5/raylib 6.0, src/raylib.h, Mesh: boneIndices are unsigned char",
            Some(256),
        ),
        rotations: Stated::by(
            "raysan5/raylib 6.0, src/raymath.h, QuaternionSlerp: a normalized lerp above a dot product of 0.95",
            Interpolation::Mixed,
        ),
        rate: Stated::by(
            "raysan5/raylib 6.0, src/rmodels.c, GLTF_FRAMERATE",
            Some(60.0),
        ),
        world: Stated::assumed(World::Relative),
        settings: &[],
    };
}

/// Godot, for glTF.
pub(crate) mod godot {
    use super::{
        EIGHT, Interpolation, Kept, Lens, Rounding, Setting, SkinningMethod, Stated, Storage, Sum,
        Unweighted, Values, World,
    };

    const DOCUMENT: &str = "godotengine/godot 4.5, modules/gltf/gltf_document.cpp, _parse_meshes";
    const BAKE: &str = "Godot class reference 4.5, ResourceImporterScene, animation/fps";

    pub(crate) const LENS: Lens = Lens {
        name: "godot",
        title: "Godot",
        version: "4.5",
        influences: Stated::by(
            "Godot class reference, Mesh.ARRAY_FLAG_USE_8_BONE_WEIGHTS: 8 bones per vertex",
            EIGHT,
        ),
        kept: Stated::by(DOCUMENT, Kept::First),
        sum: Stated::by(DOCUMENT, Sum::Divided),
        unweighted: Stated::assumed(Unweighted::Node),
        storage: Stated::by(
            "godotengine/godot@0001ea78, servers/rendering/rendering_server.cpp, ARRAY_WEIGHTS: uint16_t of the weight times 65535; \
             servers/rendering/renderer_rd/shaders/skeleton.glsl uses them undivided",
            Storage::Parts {
                bits: 16,
                rounding: Rounding::Down,
            },
        ),
        blending: Stated::by(
            "godotengine/godot@0001ea78, servers/rendering/renderer_rd/shaders/skeleton.glsl: a sum of matrices",
            SkinningMethod::Linear,
        ),
        joints: Stated::assumed(None),
        rotations: Stated::assumed(Interpolation::Spherical),
        rate: Stated::by(BAKE, Some(30.0)),
        world: Stated::by(
            "godotengine/godot 4.5, scene/3d/skeleton_3d.cpp: a bone's pose in the skeleton times its bind pose",
            World::Relative,
        ),
        settings: &[Setting {
            name: "fps",
            values: Values::Rate,
            source: BAKE,
        }],
    };
}

/// Filament with gltfio, for glTF.
pub(crate) mod filament {
    use super::{
        FOUR, Interpolation, Kept, Lens, SkinningMethod, Stated, Storage, Sum, Unweighted, World,
    };

    const GETTERS: &str = "google/filament@00f315db, shaders/src/getters.vs, skinPosition: four weights, used undivided";

    pub(crate) const LENS: Lens = Lens {
        name: "filament",
        title: "Filament",
        version: "00f315db, gltfio without normalizeSkinningWeights",
        influences: Stated::by(GETTERS, FOUR),
        kept: Stated::assumed(Kept::First),
        sum: Stated::by(GETTERS, Sum::Undivided),
        unweighted: Stated::assumed(Unweighted::Node),
        storage: Stated::assumed(Storage::Float),
        blending: Stated::by(
            "google/filament@00f315db, shaders/src/getters.vs, skinPosition: a sum of vertices moved by matrices",
            SkinningMethod::Linear,
        ),
        joints: Stated::by(
            "google/filament, libs/filabridge/include/private/filament/EngineEnums.h, CONFIG_MAX_BONE_COUNT",
            Some(256),
        ),
        rotations: Stated::assumed(Interpolation::Spherical),
        rate: Stated::assumed(None),
        world: Stated::by(
            "google/filament@034aaff5, libs/gltfio/src/Animator.cpp, updateBoneMatrices: the mesh's inverse times a joint's world \
             transform, both mat4f",
            World::Nodes,
        ),
        settings: &[],
    };
}

/// Unity, with the default import settings.
pub(crate) mod unity {
    use super::{
        FOUR, Interpolation, Kept, Lens, Setting, SkinningMethod, Stated, Storage, Sum, Unweighted,
        Values, World,
    };

    const BONES: &str = "Unity 6 scripting reference, ModelImporter.maxBonesPerVertex: the lowest weights are discarded";

    pub(crate) const LENS: Lens = Lens {
        name: "unity",
        title: "Unity",
        version: "6, default import settings",
        influences: Stated::by(
            "Unity scripting reference, ModelImporterSkinWeights.Standard: currently 4 bones per vertex",
            FOUR,
        ),
        kept: Stated::by(BONES, Kept::Largest),
        sum: Stated::by(
            "Unity 2019.3 scripting reference, Mesh.GetAllBoneWeights: the weights for a vertex add up to 1",
            Sum::Divided,
        ),
        unweighted: Stated::assumed(Unweighted::Node),
        storage: Stated::assumed(Storage::Float),
        blending: Stated::by(
            "Unity 2019.1 manual, Importing skinned meshes: Unity supports linear blend skinning",
            SkinningMethod::Linear,
        ),
        joints: Stated::assumed(None),
        rotations: Stated::assumed(Interpolation::Spherical),
        rate: Stated::assumed(None),
        world: Stated::assumed(World::Relative),
        settings: &[Setting {
            name: "influences",
            values: Values::Influences(255),
            source: "ModelImporter.maxBonesPerVertex, 1 to 255, and QualitySettings.skinWeights; Unity 6 scripting reference",
        }],
    };
}

/// Unreal Engine, with the default project settings.
pub(crate) mod unreal {
    use super::{
        EIGHT, Interpolation, Kept, Lens, Rounding, Setting, SkinningMethod, Stated, Storage, Sum,
        Unweighted, Values, World,
    };

    const BUILD: &str = "Unreal Engine 5.7 Python API, SkeletalMeshBuildSettings: use_high_precision_skin_weights is false, for 8 bits; \
                         the rounding is not published, and the nearest is assumed";

    pub(crate) const LENS: Lens = Lens {
        name: "unreal",
        title: "Unreal Engine",
        version: "5.7, default project settings",
        influences: Stated::by(
            "Unreal Engine, GPUSkinPublicDefs.h, EXTRA_BONE_INFLUENCES: 8",
            EIGHT,
        ),
        kept: Stated::by(
            "Unreal Engine 5.3 C++ API, FBoneWeightsSettings::SetMaxWeightCount: the smallest weights past the limit are dropped",
            Kept::Largest,
        ),
        sum: Stated::by(
            "Unreal Engine 5.3 C++ API, EBoneWeightNormalizeType::Always: the sum is always 1",
            Sum::Divided,
        ),
        unweighted: Stated::assumed(Unweighted::Node),
        storage: Stated::by(
            BUILD,
            Storage::Parts {
                bits: 8,
                rounding: Rounding::Repaired,
            },
        ),
        blending: Stated::assumed(SkinningMethod::AsInFile),
        joints: Stated::by(
            "Unreal Engine documentation, Skeletal Mesh Rendering Paths: an 8-bit bone index, the default, supports 256 a section",
            Some(256),
        ),
        rotations: Stated::assumed(Interpolation::Spherical),
        rate: Stated::assumed(None),
        world: Stated::assumed(World::Relative),
        settings: &[
            Setting {
                name: "influences",
                values: Values::Influences(8),
                source: "Bone Influence Limit, and Unlimited Bone Influences of the project; Unreal Engine 5.7 Python API, \
                         SkeletalMeshBuildSettings.bone_influence_limit",
            },
            Setting {
                name: "weights",
                values: Values::Bits,
                source: "Use High Precision Skin Weights; Unreal Engine 5.7 Python API, \
                         SkeletalMeshBuildSettings.use_high_precision_skin_weights",
            },
            Setting {
                name: "fps",
                values: Values::Rate,
                source: "Custom Sample Rate; Unreal Engine 5.7 Python API, FbxAnimSequenceImportData.custom_sample_rate",
            },
        ],
    };
}

/// Roblox.
pub(crate) mod roblox {
    use super::{
        FOUR, Interpolation, Kept, Lens, SkinningMethod, Stated, Storage, Sum, Unweighted, World,
    };

    pub(crate) const LENS: Lens = Lens {
        name: "roblox",
        title: "Roblox",
        version: "Creator Hub, 2025",
        influences: Stated::by(
            "Roblox Creator Hub, general specifications of meshes, max influences: 4",
            FOUR,
        ),
        kept: Stated::assumed(Kept::Largest),
        sum: Stated::assumed(Sum::Divided),
        unweighted: Stated::assumed(Unweighted::Node),
        storage: Stated::assumed(Storage::Float),
        blending: Stated::assumed(SkinningMethod::AsInFile),
        joints: Stated::by(
            "Roblox Creator Hub, general specifications of meshes, without a limit",
            None,
        ),
        rotations: Stated::assumed(Interpolation::Spherical),
        rate: Stated::assumed(None),
        world: Stated::assumed(World::Relative),
        settings: &[],
    };
}
