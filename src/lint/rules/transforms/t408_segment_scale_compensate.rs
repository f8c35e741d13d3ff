//! `T408`: segment-scale-compensate.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that every node inherits its parent's scale plainly: the parent's matrix times its own.
    ///
    /// FBX can set other inheritance for each node (`InheritType` RrSs and Rrs; *Segment Scale Compensate* of Maya's
    /// joints), and so can other authoring formats.
    ///
    /// ## Why is this bad?
    /// Engines and glTF know only plain concatenation. If the parent's scale is ever other than 1, the joint comes out
    /// at another size, in another place, or sheared. Readers differ in what they do about it: ignore it, bake it, or
    /// insert helper nodes.
    ///
    /// ## How to fix
    /// - Switch segment scale compensation off before binding.
    /// - Maya: switch *Segment Scale Compensate* off on the joints before binding, or keep all scales at 1. *Game
    ///   Exporter* and *FBX Export* have no other way to keep the look.
    /// - 3ds Max: keep scale off the bones; *Reset Scale* on them.
    /// - Code: use a reader that supports inherit types, and bake the result.
    ///
    /// It matters only where a scale is not 1.
    ///
    /// ## References
    /// - ufbx, `ufbx_inherit_mode`; Autodesk FBX SDK, `FbxTransform::EInheritType`.
    SegmentScaleCompensate, "T408", "segment-scale-compensate", Info, SegmentScaleCompensate, "joint"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::rules::stored::testing::passes_on;
    use crate::rig::{DefectKind, Location};

    #[test]
    fn only_what_the_importer_found_is_reported() {
        passes_on(
            &SegmentScaleCompensate,
            DefectKind::SegmentScaleCompensate,
            &Location::joint("arm"),
        );
    }
}
