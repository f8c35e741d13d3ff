//! Rules about the bind pose: inverse bind matrices, skins and where they hang.

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[];
