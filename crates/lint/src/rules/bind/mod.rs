//! Rules about the bind pose: inverse bind matrices, skins and the nodes they are attached to.

mod b201_singular_inverse_bind;
mod b202_nonaffine_inverse_bind;
mod b204_reflecting_inverse_bind;
mod b205_bind_pose_mismatch;
mod b206_conflicting_bind;
mod b207_skinned_node_transform_ignored;
mod b209_scaled_armature;
mod b210_implausible_size;
mod b211_foreign_mesh_unit;
mod b212_foreign_scale;
mod b213_lying_model;
mod b214_displaced_mesh;
mod body;
mod frame;
mod spread;
mod stored;

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &b201_singular_inverse_bind::SingularInverseBind,
    &b202_nonaffine_inverse_bind::NonaffineInverseBind,
    &stored::InverseBindCount,
    &b204_reflecting_inverse_bind::ReflectingInverseBind,
    &b205_bind_pose_mismatch::BindPoseMismatch,
    &b206_conflicting_bind::ConflictingBind,
    &b207_skinned_node_transform_ignored::SkinnedNodeTransformIgnored,
    &stored::SkinWithoutWeights,
    &b209_scaled_armature::ScaledArmature,
    &b210_implausible_size::ImplausibleSize,
    &b211_foreign_mesh_unit::ForeignMeshUnit,
    &b212_foreign_scale::ForeignScale,
    &b213_lying_model::LyingModel,
    &b214_displaced_mesh::DisplacedMesh,
];
