//! Rules about the bind pose: inverse bind matrices, skins and where they hang.

mod b202_nonaffine_inverse_bind;
mod b203_inverse_bind_count;
mod b208_skin_without_weights;

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[
    &b202_nonaffine_inverse_bind::NonaffineInverseBind,
    &b203_inverse_bind_count::InverseBindCount,
    &b208_skin_without_weights::SkinWithoutWeights,
];
