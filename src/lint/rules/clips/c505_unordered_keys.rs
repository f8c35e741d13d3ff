//! `C505`: unordered-keys.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that the times of a channel's keys increase from each key to the next.
    ///
    /// `C506` reports contradictory keys at the same time.
    ///
    /// ## Why is this bad?
    /// Samplers find the keys around a time by binary search, which assumes order. Without it they find the wrong ones:
    /// the joint jumps, runs backwards for a while, or sticks to one key. A span of length 0 divides by 0.
    ///
    /// ## How to fix
    /// - Sort the keys by time, and remove duplicates.
    /// - Exporters: sort keys by time, remove duplicates, and compare times in the precision that is written. Two times
    ///   that differ in f64 may be equal in f32.
    /// - Blender, Maya: an animation whose time was warped or reversed must be baked before exporting.
    ///
    /// The remaining checks run with the keys in order.
    ///
    /// ## References
    /// - glTF 2.0 §3.11 (the times are strictly increasing); glTF-Validator `ACCESSOR_ANIMATION_INPUT_NON_INCREASING`.
    UnorderedKeys, "C505", "unordered-keys", Error, UnorderedKeys, "key"
}
