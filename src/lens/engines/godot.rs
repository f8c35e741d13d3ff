//! Godot, for glTF.

use super::EIGHT;
use crate::lens::statement::{
    Interpolation, Kept, Lens, Rounding, Setting, Stated, Storage, Sum, Unweighted, Values, World,
};
use crate::rig::SkinningMethod;

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
