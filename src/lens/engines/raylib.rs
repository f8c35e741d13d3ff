//! raylib, for glTF, skinning on the CPU.

use super::FOUR;
use crate::lens::statement::{Interpolation, Kept, Lens, Stated, Storage, Sum, Unweighted, World};
use crate::rig::SkinningMethod;

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
