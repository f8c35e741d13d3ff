//! `C507`: negative-time.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that no key is at a time before 0.
    ///
    /// glTF forbids such keys, so they are errors there; other formats allow them.
    ///
    /// ## Why is this bad?
    /// Players start at 0. One engine cuts off everything before; another shifts the whole clip, which is then longer,
    /// and its sounds and events come too early.
    ///
    /// ## How to fix
    /// - Move the clip so that it starts at 0.
    /// - Blender: move the action so that it starts at frame 0, or use the exporter's option that sets the start to 0.
    ///   Frames before the scene's start become negative times.
    /// - Maya, 3ds Max: bake the time range to be exported, and let it begin at 0.
    /// - Exporters: subtract the clip's start from all of its keys.
    ///
    /// ## References
    /// - glTF 2.0 §3.11 (the first time is not negative); glTF-Validator `ACCESSOR_ANIMATION_INPUT_NEGATIVE`.
    NegativeTime, "C507", "negative-time", Warning, NegativeTime, "key", in_gltf: Error
}
