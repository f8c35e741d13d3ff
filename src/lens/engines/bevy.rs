//! Bevy, for glTF.

use super::FOUR;
use crate::lens::statement::{Interpolation, Kept, Lens, Stated, Storage, Sum, Unweighted, World};
use crate::rig::SkinningMethod;

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
