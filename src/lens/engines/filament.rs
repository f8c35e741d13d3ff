//! Filament with gltfio, for glTF.

use super::FOUR;
use crate::lens::statement::{Interpolation, Kept, Lens, Stated, Storage, Sum, Unweighted, World};
use crate::rig::SkinningMethod;

const GETTERS: &str =
    "google/filament@00f315db, shaders/src/getters.vs, skinPosition: four weights, used undivided";

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
