//! `W118`: weight-set-mismatch.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that joints and weights come in pairs, one of each for every vertex, and that their sets are numbered
    /// from 0 without a gap.
    ///
    /// ## Why is this bad?
    /// Half a set is meaningless: joints without weights move nothing, and weights without joints refer to nothing.
    /// Loaders refuse the mesh, drop the set, or fill the missing half with zeros. The affected vertices lose part of
    /// their weights, or the whole mesh stays rigid. A gap does the same: readers of a single set read set 0, and
    /// others stop at the first missing set.
    ///
    /// ## How to fix
    /// - Write `JOINTS_n` and `WEIGHTS_n` together, each with as many elements as `POSITION`. A whole set may be omitted.
    /// - Tools that strip attributes or cut down to four influences: remove both, and renormalize the rest.
    ///
    /// The remaining checks run without a half set, and with a set behind a gap.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2.1, §3.7.3.3; glTF-Validator `MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH`,
    ///   `MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT`, `MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY`.
    WeightSetMismatch, "W118", "weight-set-mismatch", Error, WeightSetMismatch, "set"
}
