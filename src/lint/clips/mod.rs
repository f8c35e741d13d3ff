//! Rules about clips: keys, channels and what they come to.

use super::rule::Rule;

/// In the order of their codes.
pub(super) static RULES: &[&dyn Rule] = &[];
