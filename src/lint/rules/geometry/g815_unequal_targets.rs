//! `G815`: unequal-targets.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that all primitives of a glTF mesh have the same number of morph targets.
    ///
    /// ## Why is this bad?
    /// One list of weights drives all primitives of a mesh. Where one of them has fewer targets, the weights of the others
    /// do not fit it: parts of a face stay behind and gap, or the file does not load.
    ///
    /// ## How to fix
    /// - Give all primitives of the mesh the same morph targets in the same order, with offsets of 0 where a part does not
    ///   move.
    /// - Blender: shape keys belong to the whole object; join objects only after each has the same shape keys.
    /// - Exporters: do not drop a target from a primitive because all of its offsets there are 0.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2.2; glTF-Validator `MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT`.
    UnequalTargets, "G815", "unequal-targets", Warning, UnequalTargets, "mesh"
}
