//! Models whose truth is not met yet, each with the exact cause.

/// `(model, cause)`; the test fails when one of these passes, so the table cannot go stale.
pub(super) const KNOWN: &[(&str, &str)] = &[];
