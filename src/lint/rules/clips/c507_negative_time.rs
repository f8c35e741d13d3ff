//! `C507`: negative-time.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that no key is at a time before 0.
    ///
    /// ## Why is this bad?
    /// Players start at 0. What lies before is cut off in one engine, and shifts the whole clip in another, so that the
    /// clip is longer there, and sounds and events that were timed come too early.
    ///
    /// ## How to fix
    /// - Blender: move the action so that it starts at frame 0, or use the exporter's option that sets the start to 0;
    ///   frames before the start of the scene become negative times.
    /// - Maya, 3ds Max: bake the time range to be exported, and let it begin at 0.
    /// - Exporters: subtract the start of the clip from all of its keys.
    ///
    /// ## References
    /// - glTF 2.0 §3.11 (the first time is not negative); glTF-Validator `ACCESSOR_ANIMATION_INPUT_NEGATIVE`.
    NegativeTime, "C507", "negative-time", Warning, NegativeTime, "key"
}
