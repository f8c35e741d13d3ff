//! `G814`: morph-weight-count.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that a glTF mesh, and each node that overrides its `weights`, has as many of them as morph targets.
    ///
    /// ## Why is this bad?
    /// Nobody can know which targets the weights are for. Engines read past the end of the list, ignore it, or refuse the
    /// file, and the face has another expression in each of them.
    ///
    /// ## How to fix
    /// - Write one weight for each morph target, 0 for those at rest.
    /// - Exporters: write the weights from the same list as the targets, after targets have been added or removed.
    ///
    /// The remaining checks use 0 for each missing weight.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2.2; glTF-Validator `MESH_INVALID_WEIGHTS_COUNT` and `NODE_WEIGHTS_INVALID`.
    MorphWeightCount, "G814", "morph-weight-count", Warning, MorphWeightCount, "list"
}
