//! `W118`: weight-set-mismatch.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that joints and weights of vertices come in pairs, one of each for every vertex, and that sets of them are
    /// numbered from 0 without a gap.
    ///
    /// ## Why is this bad?
    /// Half a set says nothing: joints without weights do not pull, and weights without joints pull at nobody knows what.
    /// Loaders refuse the mesh, drop the set, or take the missing half as zeros; the vertices that depend on it then lose
    /// part of their weights, or the whole mesh stays rigid. The same comes of a set behind a gap: who reads one set reads
    /// set 0, and others stop at the first that is missing.
    ///
    /// ## How to fix
    /// - Exporters: write `JOINTS_n` and `WEIGHTS_n` together, with as many elements as `POSITION` has, or neither.
    /// - Tools that strip attributes or cut down to four influences: remove both, and renormalize the rest.
    ///
    /// The model is checked on without half a set, and with one behind a gap.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2.1, §3.7.3.3; glTF-Validator `MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH`,
    ///   `MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT`, `MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY`.
    WeightSetMismatch, "W118", "weight-set-mismatch", Error, WeightSetMismatch, "set"
}
