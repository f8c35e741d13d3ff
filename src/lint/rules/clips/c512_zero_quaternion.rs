//! `C512`: zero-quaternion.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that no rotation key has a length of about 0.
    ///
    /// Shorter than 0.0039, or half a step of a signed byte, it has no direction that storage could keep.
    ///
    /// ## Why is this bad?
    /// It is no rotation, and normalizing it divides by 0: the joint and everything below become NaN and vanish at that
    /// key, or collapse to a point where nobody normalizes.
    ///
    /// ## How to fix
    /// - Exporters: write 0 0 0 1 for no rotation; look for keys that were never filled in, for a blend of opposite
    ///   quaternions, and for integers that are not marked as normalized.
    ///
    /// The model is checked on without the key.
    ///
    /// ## References
    /// - glTF 2.0 §3.11; glTF-Validator `ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION`.
    ZeroQuaternion, "C512", "zero-quaternion", Error, ZeroQuaternion, "key"
}
