//! `B202`: nonaffine-inverse-bind.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that the last row of each inverse bind matrix is 0 0 0 1.
    ///
    /// In FBX, the rule checks both matrices of a cluster. The second, `TransformLink`, is the joint's bind transform;
    /// it must also be finite. `B201` reports numbers that are not finite in the first.
    ///
    /// ## Why is this bad?
    /// Such a matrix is a projection. Code that stores three rows ignores the last one. Code that multiplies by all
    /// four gets a w other than 1 and divides the joint's vertices by it: they move closer, move away or turn inside
    /// out, in one engine and not in another. Most often the matrix was written by rows where columns are expected, and
    /// the translation is in the wrong place.
    ///
    /// ## How to fix
    /// - Exporters: write matrices by columns. After inverting, set the last row to exactly 0 0 0 1 to remove rounding.
    /// - Code: invert affine matrices as affine, in double precision, and do not transpose the result.
    ///
    /// The remaining checks run with 0 0 0 1 in its place.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.1 (the fourth row of each matrix); glTF-Validator `ACCESSOR_INVALID_IBM`.
    NonaffineInverseBind, "B202", "nonaffine-inverse-bind", Error, NonaffineInverseBind, "matrix"
}
