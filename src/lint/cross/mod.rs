//! Rules about cross-checks: two paths, two importers, two precisions.

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[];
