//! Panda3D with panda3d-gltf, for glTF.

use super::FOUR;
use crate::lens::statement::{Interpolation, Kept, Lens, Stated, Storage, Sum, Unweighted, World};
use crate::rig::SkinningMethod;

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
