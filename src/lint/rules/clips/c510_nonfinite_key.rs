//! `C510`: nonfinite-key.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that times, values and tangents of keys are numbers: not NaN, and not infinite.
    ///
    /// ## Why is this bad?
    /// One such number spreads: the joint, all joints below it and every vertex that they pull are nowhere as long as the
    /// key is played. The mesh disappears, or its bounds swallow the scene. A NaN among the times breaks the search for
    /// all keys.
    ///
    /// ## How to fix
    /// - Exporters: find the division by 0 that made it: mostly a scale of 0 that was inverted, a rotation of length 0
    ///   that was normalized, or a frame rate of 0.
    /// - Blender, Maya: look at the curves of that joint for broken drivers, expressions and constraints, and bake them.
    ///
    /// The model is checked on without the key.
    ///
    /// ## References
    /// - glTF 2.0 §3.6.2.2 (NaN and infinities are not allowed); glTF-Validator `ACCESSOR_INVALID_FLOAT`.
    NonfiniteKey, "C510", "nonfinite-key", Error, NonfiniteKey, "key"
}
