//! `G805`: nonunit-normal.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that normals are unit vectors.
    ///
    /// Their length may be off by 0.00674, which is what the components in signed bytes come to, each off by half a step.
    ///
    /// ## Why is this bad?
    /// Light grows with the length of the normal: patches that are too bright or too dark, which stay with the surface as
    /// it moves, in shaders that normalize after interpolation and not before. A normal of length 0 has no direction:
    /// black spots, or NaN, which blooms over the whole picture.
    ///
    /// ## How to fix
    /// - Blender: *Mesh → Normals → Reset Vectors*, or recalculate; custom normals of degenerate faces come out as 0.
    /// - Exporters: normalize after transforming, with the inverse transpose where there is scale; drop degenerate
    ///   triangles before normals are averaged.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2.1 (`NORMAL` is of unit length); glTF-Validator `ACCESSOR_VECTOR3_NON_UNIT`, with the same limit.
    NonunitNormal, "G805", "nonunit-normal", Warning, NonunitNormal, "normal"
}
