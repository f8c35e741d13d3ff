//! `T401`: nonunit-rotation.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that the rotation of each node is a unit quaternion.
    ///
    /// Its length may be off by 0.00769, which is what three components in signed bytes come to, each off by half a step.
    ///
    /// ## Why is this bad?
    /// The usual formula from a quaternion to a matrix holds for unit ones. With another length it scales, unevenly:
    /// limbs grow or shrink and shear, in the engines that do not normalize, and look right in those that do. A rotation
    /// of length 0 has no direction, and normalizing it makes NaN: the node and all below vanish.
    ///
    /// ## How to fix
    /// - Exporters: normalize in the precision that is written, and write 0 0 0 1 for no rotation.
    /// - Code: normalize after adding up or interpolating quaternions.
    ///
    /// The model is checked on with the normalized rotation.
    ///
    /// ## References
    /// - glTF 2.0 §3.5.3 (`rotation` is a unit quaternion); glTF-Validator `ROTATION_NON_UNIT`, with the same limit.
    NonunitRotation, "T401", "nonunit-rotation", Error, NonunitRotation, "node"
}
