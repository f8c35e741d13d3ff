//! `G805`: nonunit-normal.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that normals are unit vectors.
    ///
    /// Their length may be off by 0.00674: the error of components in signed bytes, each off by half a step.
    ///
    /// ## Why is this bad?
    /// In shaders that normalize only after interpolation, brightness grows with the length of the normal: patches that
    /// are too bright or too dark and that move with the surface. A normal of length 0 has no direction: it makes black
    /// spots, or NaN that blooms over the whole image.
    ///
    /// ## How to fix
    /// - Recalculate the normals, and normalize them.
    /// - Blender: *Mesh → Normals → Reset Vectors*, or recalculate. Custom normals of degenerate faces come out as 0.
    /// - Exporters: normalize after transforming, with the inverse transpose where there is scale; drop degenerate
    ///   triangles before averaging normals.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2.1 (`NORMAL` is of unit length); glTF-Validator `ACCESSOR_VECTOR3_NON_UNIT`, with the same
    ///   limit.
    NonunitNormal, "G805", "nonunit-normal", Warning, NonunitNormal, "normal"
}
