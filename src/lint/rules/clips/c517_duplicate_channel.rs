//! `C517`: duplicate-channel.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that no two channels of a clip drive the same property of a node.
    ///
    /// ## Why is this bad?
    /// Only one can win, and readers disagree on which: the last one, the first one, or both in turn. The character
    /// plays one motion in one engine and another in the next.
    ///
    /// ## How to fix
    /// - Merge the channels of the same node and property.
    /// - Blender: the export merges actions or NLA tracks of the same name into one clip. Rename one, or mute it.
    /// - Maya, MotionBuilder: merge animation layers before exporting.
    /// - Exporters: merge by node and property before writing.
    ///
    /// The remaining checks use the first channel.
    ///
    /// ## References
    /// - glTF 2.0 §3.11 (each target is used once in an animation); glTF-Validator `ANIMATION_DUPLICATE_TARGETS`.
    DuplicateChannel, "C517", "duplicate-channel", Error, DuplicateChannel, "channel"
}
