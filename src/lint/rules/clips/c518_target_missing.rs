//! `C518`: target-missing.

use crate::finding::Level;
use crate::lint::{Context, Findings, Rule, declare_rule};
use crate::rig::DefectKind;

declare_rule! {
    /// ## What it does
    /// Checks that every channel drives an animatable property of an existing node, and has as many values as its key
    /// times need.
    ///
    /// Channels whose sampler or morph target is missing are reported too.
    ///
    /// A glTF channel without `target.node` is legal and ignored by readers, so it is reported at level info. FBX curves of
    /// other properties than a transform and the weight of a morph target are ignored.
    ///
    /// Channels with a target defined by an extension, such as glTF's `KHR_animation_pointer`, are allowed.
    ///
    /// ## Why is this bad?
    /// A joint's motion is missing: it stands still while the rest of the body moves, or keeps the pose of the previous
    /// clip. Strict loaders refuse the file.
    ///
    /// ## How to fix
    /// - Delete channels without a node.
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
            (DefectKind::AimlessChannel, Some(Level::Info)),
        ] {
            for defect in cx.asset.evidence.of(kind) {
                out.add_defect(cx, defect, "channel", lesser);
            }
        }
    }
}
