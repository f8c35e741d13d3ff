//! Rules about weights.

mod stored;
mod w103_weights_not_normalized;
mod w107_truncation_moves_vertices;
mod w108_quantization_moves_vertices;

pub(in crate::lint) use stored::Stored;

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &w103_weights_not_normalized::WeightsNotNormalized,
    &w107_truncation_moves_vertices::TruncationMovesVertices,
    &w108_quantization_moves_vertices::QuantizationMovesVertices,
];
