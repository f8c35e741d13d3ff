//! `C512`: zero-quaternion.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that no rotation key has a length of about 0.
    ///
    /// Below 0.0039, half a step of a signed byte, a key has no direction that storage could keep.
    ///
    /// ## Why is this bad?
    /// It is not a rotation, and normalizing it divides by 0. The joint and everything below it become NaN and vanish
    /// at that key. Without normalization, they collapse to a point.
    ///
    /// ## How to fix
    /// - Replace the key with a rotation of length 1.
    /// - Exporters: write 0 0 0 1 for no rotation. Look for keys that were never filled in, blends of opposite
    ///   quaternions, and integers that are not marked as normalized.
    ///
    /// The remaining checks run without the key.
    ///
    /// ## References
    /// - glTF 2.0 §3.11; glTF-Validator `ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION`.
    ZeroQuaternion, "C512", "zero-quaternion", Error, ZeroQuaternion, "key"
}
