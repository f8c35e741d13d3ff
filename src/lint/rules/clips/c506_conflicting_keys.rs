//! `C506`: conflicting-keys.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that no channel has two keys at the same time with different values.
    ///
    /// Channels with step interpolation are exempt: the last key of a time applies.
    ///
    /// ## Why is this bad?
    /// Some readers use the first of the two keys, some the last. Some interpolate between them in no time and divide
    /// by 0. The pose at that time, and the motion around it, depend on the reader.
    ///
    /// ## How to fix
    /// - Keep one key for each time.
    /// - Exporters: write one key per time. For a jump, make the span before it a step, or put the second key one frame
    ///   later.
    /// - Blender, Maya: two joined layers or strips meet in one frame; bake them.
    ///
    /// ## References
    /// - glTF 2.0 §3.11 (the times are strictly increasing); assimp `ValidateDataStructure`, on key times.
    ConflictingKeys, "C506", "conflicting-keys", Error, ConflictingKeys, "key"
}
