//! `B203`: inverse-bind-count.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that each skin has an inverse bind matrix for each of its joints.
    ///
    /// More matrices than joints are fine in glTF, where the rest is ignored; no matrices at all stand for identities
    /// there.
    ///
    /// ## Why is this bad?
    /// Which joint lacks its matrix is a guess. The vertices of the joints at the end of the list collapse to the origin
    /// or keep their bind pose while the rest moves, and loaders that trust the count read past the end of the list: some
    /// crash.
    ///
    /// ## How to fix
    /// - Exporters: write the matrices from the same list as the joints, after joints have been added or removed.
    /// - Blender, Maya: export again; a skin that was edited by a script or merged from several needs a new bind pose.
    ///
    /// The model is checked on with the joints without a matrix bound as they rest.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.1; glTF-Validator `INVALID_IBM_ACCESSOR_COUNT`.
    InverseBindCount, "B203", "inverse-bind-count", Error, InverseBindCount, "skin"
}
