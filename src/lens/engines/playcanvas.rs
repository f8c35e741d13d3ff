//! PlayCanvas, for glTF.

use super::FOUR;
use crate::lens::statement::{Interpolation, Kept, Lens, Stated, Storage, Sum, Unweighted, World};
use crate::rig::SkinningMethod;

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
