//! `T401`: nonunit-rotation.

use crate::lint::rules::stored::declare_stored_rule;

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
    /// - Exporters: normalize in the precision that is written, and write 0 0 0 1 for no rotation.
    /// - Code: normalize after summing or interpolating quaternions.
    ///
    /// The remaining checks run with the normalized rotation.
    ///
    /// ## References
    /// - glTF 2.0 §3.5.3 (`rotation` is a unit quaternion); glTF-Validator `ROTATION_NON_UNIT`, with the same limit.
    NonunitRotation, "T401", "nonunit-rotation", Error, NonunitRotation, "node"
}
