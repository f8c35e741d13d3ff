//! `C518`: target-missing.

use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Level, Rule};
use crate::rig::DefectKind;

declare_rule! {
    /// ## What it does
    /// Checks that every channel drives an existing node and a property of it that can move, and has matching keys.
    ///
    /// The sampler with the keys, or the morph target, may be what is missing. Keys do not match if the numbers of
    /// times and values differ.
    ///
    /// A glTF channel without `target.node` is legal and ignored by readers: a warning.
    ///
    /// Channels to which an extension gives another target, such as glTF's `KHR_animation_pointer`, are fine.
    ///
    /// ## Why is this bad?
    /// A joint's motion is missing: it stands still while the rest of the body moves, or keeps the pose of the previous
    /// clip. Strict loaders refuse the file.
    ///
    /// ## How to fix
    /// - Delete channels whose node does not exist.
    /// - Blender, Maya: the clip was made for another skeleton, or bones were renamed or deleted later. Delete the
    ///   stale curves, or restore the bones' names.
    /// - Exporters: when filtering nodes, drop their channels too.
    ///
    /// The remaining checks run without the channel.
    ///
    /// ## References
    /// - glTF 2.0 §3.11; glTF-Validator `UNRESOLVED_REFERENCE`, `ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT`.
    TargetMissing, "C518", "target-missing", Error
}

impl Rule for TargetMissing {
    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::TargetMissing]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for (kind, lesser) in [
            (DefectKind::TargetMissing, None),
            (DefectKind::AimlessChannel, Some(Level::Warning)),
        ] {
            for defect in cx.asset.evidence.of(kind) {
                out.add_defect(defect, "channel", lesser);
            }
        }
    }
}
