//! Babylon.js, for glTF.

use super::EIGHT;
use crate::lens::statement::{Interpolation, Kept, Lens, Stated, Storage, Sum, Unweighted, World};
use crate::rig::SkinningMethod;

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
