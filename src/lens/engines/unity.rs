//! Unity, with the default import settings.

use super::FOUR;
use crate::lens::statement::{
    Interpolation, Kept, Lens, Setting, Stated, Storage, Sum, Unweighted, Values, World,
};
use crate::rig::SkinningMethod;

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
