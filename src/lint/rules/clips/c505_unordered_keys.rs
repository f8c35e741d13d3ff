//! `C505`: unordered-keys.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that the times of a channel's keys increase from each to the next.
    ///
    /// Two keys at one time that contradict each other are told by `C506` instead.
    ///
    /// ## Why is this bad?
    /// Samplers find the keys around a time by bisection, which takes order for granted. Out of order they find the wrong
    /// ones: the joint jumps, runs backwards for a while, or sticks to one key, and a span of length 0 divides by 0.
    ///
    /// ## How to fix
    /// - Exporters: sort keys by time, remove doubles, and compare times in the precision that is written: two times that
    ///   differ in f64 may be one in f32.
    /// - Blender, Maya: an animation whose time was warped or reversed has to be baked before export.
    ///
    /// The model is checked on with its keys in order.
    ///
    /// ## References
    /// - glTF 2.0 §3.11 (the times are strictly increasing); glTF-Validator `ACCESSOR_ANIMATION_INPUT_NON_INCREASING`.
    UnorderedKeys, "C505", "unordered-keys", Error, UnorderedKeys, "key"
}
