//! `C510`: nonfinite-key.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that the times, values and tangents of keys are finite: neither NaN nor infinite.
    ///
    /// ## Why is this bad?
    /// One such number spreads: while the key plays, the joint, all joints below it and every vertex that follows them
    /// have no position. The mesh disappears, or its bounds swallow the scene. A NaN among the times breaks the search
    /// for every key.
    ///
    /// ## How to fix
    /// - Exporters: find the division by 0 behind it. It is usually the inverse of a zero scale, the normalization of a
    ///   rotation of length 0, or a frame rate of 0.
    /// - Blender, Maya: look for broken drivers, expressions and constraints on the joint's curves, and bake them.
    ///
    /// The remaining checks run without the key.
    ///
    /// ## References
    /// - glTF 2.0 §3.6.2.2 (NaN and infinities are not allowed); glTF-Validator `ACCESSOR_INVALID_FLOAT`.
    NonfiniteKey, "C510", "nonfinite-key", Error, NonfiniteKey, "key"
}
