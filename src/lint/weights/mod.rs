//! Rules about weights.

mod w103_weights_not_normalized;

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[&w103_weights_not_normalized::WeightsNotNormalized];
