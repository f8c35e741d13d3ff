//! `B202`: nonaffine-inverse-bind.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that the last row of each inverse bind matrix is 0 0 0 1.
    ///
    /// In FBX that of both matrices of a cluster. The second, `TransformLink`, holds where the joint was, and must be made of
    /// numbers; what is none in the first is B201's.
    ///
    /// ## Why is this bad?
    /// Such a matrix is a projection. Whoever stores three rows ignores the last one; whoever multiplies with all four
    /// gets a w that is not 1, and the vertices of that joint are divided by it: they come closer, go away, or turn
    /// inside out, in one engine and not in the other. Most often the matrix was written in rows where columns are asked
    /// for, so that the translation is in the wrong place.
    ///
    /// ## How to fix
    /// - Exporters: write matrices by columns; set the last row to exactly 0 0 0 1 after inverting, which leaves rounding
    ///   there.
    /// - Code: invert affine matrices as such, in double precision, and do not transpose the result.
    ///
    /// The model is checked on with 0 0 0 1 in its place.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.1 (the fourth row of each matrix); glTF-Validator `ACCESSOR_INVALID_IBM`.
    NonaffineInverseBind, "B202", "nonaffine-inverse-bind", Error, NonaffineInverseBind, "matrix"
}
