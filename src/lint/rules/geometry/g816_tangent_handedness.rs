//! `G816`: tangent-handedness.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that the handedness of glTF tangents, their fourth number, is 1 or -1.
    ///
    /// ## Why is this bad?
    /// The bitangent is the cross product of normal and tangent times this number. Where it is 0, the normal map is flat
    /// along one axis; other numbers scale it. Bumps look dented or flat, and a seam shows where the number changes.
    ///
    /// ## How to fix
    /// - Compute the tangents again, or leave them out so that engines compute them.
    /// - Exporters: write the sign that MikkTSpace returns, and no padding.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2.1; glTF-Validator `ACCESSOR_INVALID_SIGN`.
    TangentHandedness, "G816", "tangent-handedness", Warning, TangentSign, "tangent"
}
