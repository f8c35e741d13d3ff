//! Rules about what becomes of the surface in motion.

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[];
