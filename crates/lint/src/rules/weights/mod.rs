//! Rules about weights.

mod bones;
mod coverage;
mod defects;
mod mirror;
mod stored;
mod w101_nonfinite_weight;
mod w102_negative_weight;
mod w103_weights_not_normalized;
mod w104_unweighted_vertex;
mod w105_partly_skinned_island;
mod w106_too_many_influences;
mod w107_truncation_moves_vertices;
mod w108_quantization_moves_vertices;
mod w109_duplicate_influence;
mod w112_dust_weights;
mod w113_seam_weights_differ;
mod w114_far_influence;
mod w116_single_joint_skin;
mod w117_mirror_asymmetry;
mod w119_exchanged_weights;
mod w120_rigid_body;

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &w101_nonfinite_weight::NonfiniteWeight,
    &w102_negative_weight::NegativeWeight,
    &w103_weights_not_normalized::WeightsNotNormalized,
    &w104_unweighted_vertex::UnweightedVertex,
    &w105_partly_skinned_island::PartlySkinnedIsland,
    &w106_too_many_influences::TooManyInfluences,
    &w107_truncation_moves_vertices::TruncationMovesVertices,
    &w108_quantization_moves_vertices::QuantizationMovesVertices,
    &w109_duplicate_influence::DuplicateInfluence,
    &defects::JointIndexOutOfRange,
    &defects::VertexIndexOutOfRange,
    &w112_dust_weights::DustWeights,
    &w113_seam_weights_differ::SeamWeightsDiffer,
    &w114_far_influence::FarInfluence,
    &w116_single_joint_skin::SingleJointSkin,
    &w117_mirror_asymmetry::MirrorAsymmetry,
    &defects::WeightSetMismatch,
    &w119_exchanged_weights::ExchangedWeights,
    &w120_rigid_body::RigidBody,
];
