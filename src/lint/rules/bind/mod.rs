//! Rules about the bind pose: inverse bind matrices, skins and the nodes they are attached to.

mod culprit;
mod frame;
mod matrices;
mod spread;

mod b201_singular_inverse_bind;
mod b202_nonaffine_inverse_bind;
mod b203_inverse_bind_count;
mod b204_reflecting_inverse_bind;
mod b205_bind_pose_mismatch;
mod b206_conflicting_bind;
mod b207_skinned_node_transform_ignored;
mod b208_skin_without_weights;
mod b209_scaled_armature;
mod b210_implausible_size;
mod b211_foreign_mesh_unit;

use crate::lint::rules::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &b201_singular_inverse_bind::SingularInverseBind,
    &b202_nonaffine_inverse_bind::NonaffineInverseBind,
    &b203_inverse_bind_count::InverseBindCount,
    &b204_reflecting_inverse_bind::ReflectingInverseBind,
    &b205_bind_pose_mismatch::BindPoseMismatch,
    &b206_conflicting_bind::ConflictingBind,
    &b207_skinned_node_transform_ignored::SkinnedNodeTransformIgnored,
    &b208_skin_without_weights::SkinWithoutWeights,
    &b209_scaled_armature::ScaledArmature,
    &b210_implausible_size::ImplausibleSize,
    &b211_foreign_mesh_unit::ForeignMeshUnit,
];
