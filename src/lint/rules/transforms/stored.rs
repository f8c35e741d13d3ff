//! Rules of this family that report defects recorded by importers.

use crate::lint::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that the rotation of each node is a unit quaternion.
    ///
    /// Its length may be off by 0.00769: the error of four components in signed bytes, each off by half a step.
    ///
    /// ## Why is this bad?
    /// The usual conversion from a quaternion to a matrix assumes unit length. Any other length also scales, unevenly:
    /// in engines that do not normalize, limbs grow or shrink and shear; in those that do, they look right. A rotation
    /// of length 0 has no direction, and normalizing it gives NaN: the node and everything below it vanish.
    ///
    /// ## How to fix
    /// - Normalize the rotation.
    /// - Exporters: normalize in the precision of the file, and write 0 0 0 1 for no rotation.
    /// - Code: normalize after summing or interpolating quaternions.
    ///
    /// The remaining checks run with the normalized rotation.
    ///
    /// ## References
    /// - glTF 2.0 §3.5.3 (`rotation` is a unit quaternion); glTF-Validator `ROTATION_NON_UNIT`, with the same limit.
    NonunitRotation, "T401", "nonunit-rotation", Error, NonunitRotation, "node"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that every node inherits its parent's scale: its world matrix is the parent's times its own.
    ///
    /// FBX and other authoring formats can set another inheritance for each node (`InheritType` RrSs and Rrs; *Segment
    /// Scale Compensate* of Maya's joints).
    ///
    /// It matters only where a scale is not 1.
    ///
    /// ## Why is this bad?
    /// Engines and glTF only multiply matrices. If the parent's scale is ever other than 1, the joint gets another size
    /// or position, or is sheared. Readers ignore the setting, bake it, or insert helper nodes.
    ///
    /// ## How to fix
    /// - Switch segment scale compensation off before binding.
    /// - Maya: switch *Segment Scale Compensate* off on the joints before binding, or keep all scales at 1. *Game
    ///   Exporter* and *FBX Export* have no other way to keep the look.
    /// - 3ds Max: keep scale off the bones; *Reset Scale* on them.
    /// - Code: use a reader that supports inherit types, and bake the result.
    ///
    /// ## References
    /// - ufbx, `ufbx_inherit_mode`; Autodesk FBX SDK, `FbxTransform::EInheritType`.
    SegmentScaleCompensate, "T408", "segment-scale-compensate", Info, SegmentScaleCompensate, "joint"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::rules::rule::testing::passes_on;
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
