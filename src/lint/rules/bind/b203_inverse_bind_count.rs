//! `B203`: inverse-bind-count.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that each skin has an inverse bind matrix for each of its joints.
    ///
    /// In glTF, extra matrices are ignored, and no matrices at all mean identities. Both are fine.
    ///
    /// ## Why is this bad?
    /// Nobody can know which joint lacks its matrix. The vertices of the joints at the end of the list collapse to the
    /// origin, or keep their bind pose while the rest moves. Loaders that trust the count read past the end of the
    /// array, and some crash.
    ///
    /// ## How to fix
    /// - Write one inverse bind matrix for each joint of the skin.
    /// - Exporters: write the matrices from the same list as the joints, after joints have been added or removed.
    /// - Blender, Maya: export again. A skin that a script edited, or that was merged from several, needs a new bind
    ///   pose.
    ///
    /// The remaining checks bind joints without a matrix in their rest pose.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.1; glTF-Validator `INVALID_IBM_ACCESSOR_COUNT`.
    InverseBindCount, "B203", "inverse-bind-count", Error, InverseBindCount, "skin"
}
