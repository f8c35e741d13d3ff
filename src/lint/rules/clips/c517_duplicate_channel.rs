//! `C517`: duplicate-channel.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that no two channels of a clip drive the same property of a node.
    ///
    /// ## Why is this bad?
    /// Only one can win, and readers do not agree on which: the last one, the first one, or both in turn. The character
    /// plays one motion in one engine and another in the next.
    ///
    /// ## How to fix
    /// - Blender: two actions or NLA tracks of one name are merged into one clip on export: rename one, or mute it.
    /// - Maya, Motion Builder: merge animation layers before export.
    /// - Exporters: merge by node and property before writing.
    ///
    /// The model is checked on with the first channel.
    ///
    /// ## References
    /// - glTF 2.0 §3.11 (each target is used once in an animation); glTF-Validator `ANIMATION_DUPLICATE_TARGETS`.
    DuplicateChannel, "C517", "duplicate-channel", Error, DuplicateChannel, "channel"
}
