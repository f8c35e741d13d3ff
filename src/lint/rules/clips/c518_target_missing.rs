//! `C518`: target-missing.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that every channel drives a node of the file, something of it that can move, and has keys that fit.
    ///
    /// What is not there may also be the sampler with the keys, or the morph target; what does not fit, the numbers of
    /// times and values.
    ///
    /// Channels that an extension gives another target, such as glTF's `KHR_animation_pointer`, are fine.
    ///
    /// ## Why is this bad?
    /// The motion of a joint is missing: it stands still while the rest of the body moves, or hangs on in the pose of the
    /// clip before. Strict loaders refuse the file.
    ///
    /// ## How to fix
    /// - Blender, Maya: the clip was made for another skeleton, or bones were renamed or deleted afterwards: delete the
    ///   stale curves, or give the bones their names back.
    /// - Exporters: when nodes are filtered, drop their channels too.
    ///
    /// The model is checked on without the channel.
    ///
    /// ## References
    /// - glTF 2.0 §3.11; glTF-Validator `UNRESOLVED_REFERENCE`, `ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT`.
    TargetMissing, "C518", "target-missing", Error, TargetMissing, "channel"
}
