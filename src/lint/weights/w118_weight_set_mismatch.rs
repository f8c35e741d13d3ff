//! `W118`: weight-set-mismatch.

use crate::lint::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that joints and weights of vertices come in pairs, one of each for every vertex.
    ///
    /// ## Why is this bad?
    /// Half a set says nothing: joints without weights do not pull, and weights without joints pull at nobody knows what.
    /// Loaders refuse the mesh, drop the set, or take the missing half as zeros; the vertices that depend on it then lose
    /// part of their weights, or the whole mesh stays rigid.
    ///
    /// ## How to fix
    /// - Exporters: write `JOINTS_n` and `WEIGHTS_n` together, with as many elements as `POSITION` has, or neither.
    /// - Tools that strip attributes or cut down to four influences: remove both, and renormalize the rest.
    ///
    /// The model is checked on without the set.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.3; glTF-Validator `MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH`,
    ///   `MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT`.
    WeightSetMismatch, "W118", "weight-set-mismatch", Error, WeightSetMismatch, "set"
}
