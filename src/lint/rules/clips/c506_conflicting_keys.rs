//! `C506`: conflicting-keys.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that no channel has two keys at one time with different values.
    ///
    /// Channels that hold their values from key to key (step interpolation) are excepted: the last key of a time counts
    /// there.
    ///
    /// ## Why is this bad?
    /// Some readers take the first of the two, some the last, some interpolate from one to the other in no time and
    /// divide by 0. The pose at that time, and the motion around it, depend on the reader.
    ///
    /// ## How to fix
    /// - Exporters: write one key a time; for a jump, make the span before it a step, or put the second key a frame
    ///   later.
    /// - Blender, Maya: two layers or strips that were joined meet in one frame: bake them.
    ///
    /// ## References
    /// - glTF 2.0 §3.11 (the times are strictly increasing); assimp `ValidateDataStructure`, on key times.
    ConflictingKeys, "C506", "conflicting-keys", Error, ConflictingKeys, "key"
}
