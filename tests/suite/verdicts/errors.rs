//! What the rules hold against real models at the level of an error, each looked at.

/// `(file, code, why it is true)`.
pub(super) const KNOWN: &[(&str, &str, &str)] = &[];
