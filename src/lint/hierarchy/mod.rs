//! Rules about the hierarchy of joints.

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[];
