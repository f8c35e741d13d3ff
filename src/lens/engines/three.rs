//! three.js, for glTF.

use super::FOUR;
use crate::lens::statement::{Interpolation, Kept, Lens, Stated, Storage, Sum, Unweighted, World};
use crate::rig::SkinningMethod;

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
