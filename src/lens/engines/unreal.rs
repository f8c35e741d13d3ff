//! Unreal Engine, with the default project settings.

use super::EIGHT;
use crate::lens::statement::{
    Interpolation, Kept, Lens, Rounding, Setting, Stated, Storage, Sum, Unweighted, Values, World,
};
use crate::rig::SkinningMethod;

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
