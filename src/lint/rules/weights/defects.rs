//! Rules of this family that report defects recorded by importers.

use crate::lint::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that every influence refers to an existing joint of the skin.
    ///
    /// Influences with weight 0 count too: a vertex shader reads their matrix before it multiplies by 0.
    ///
    /// ## Why is this bad?
    /// The shader reads past the end of the palette, where it finds another character's matrix, zeros, or nothing at
    /// all. Single vertices shoot off to infinity or to the origin, differently on every machine. Some loaders refuse
    /// the file; others use joint 0.
    ///
    /// ## How to fix
    /// - Remove influences of missing joints, and export again.
    /// - Blender, Maya: remove vertex groups or influences of deleted bones, and export again.
    /// - Exporters: renumber influences whenever joints are removed from the skin or skins are split. Write joint 0
    ///   where the weight is 0.
    /// - Code: check each index against the joint count when reading a file.
    ///
    /// The remaining checks run without the influence; the vertex's other influences take over its weight.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.3; glTF-Validator `ACCESSOR_JOINTS_INDEX_OOB`.
    JointIndexOutOfRange, "W110", "joint-index-out-of-range", Error, JointIndexOutOfRange, "influence", attribute: "JOINTS_0"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that bones list only existing vertices of the mesh.
    ///
    /// Formats that store weights by bone (FBX, DirectX .x, COLLADA controllers, …) can break this. Formats that store
    /// them by vertex (glTF) cannot.
    ///
    /// ## Why is this bad?
    /// Weights and mesh come from different versions of the model. The other vertices probably have the wrong weights
    /// too, and the surface tears. Loaders that trust the index write past the end of an array.
    ///
    /// ## How to fix
    /// - Bind the finished mesh again, and export it.
    /// - Blender, Maya: the mesh was edited after binding, or a modifier or history node below the skin changes the
    ///   vertex count. Apply or delete it, bind again, and export.
    /// - Exporters: write weights for the exported vertices, after triangulation, merging and splitting.
    ///
    /// ## References
    /// - assimp `ValidateDataStructure`: `aiVertexWeight::mVertexId` is out of range.
    VertexIndexOutOfRange, "W111", "vertex-index-out-of-range", Error, VertexIndexOutOfRange, "weight"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that joints and weights come in pairs, one of each for every vertex, and that their sets are numbered
    /// from 0 without a gap.
    ///
    /// ## Why is this bad?
    /// Half a set is useless: joints without weights move nothing, and weights without joints refer to nothing. Loaders
    /// refuse the mesh, drop the set, or fill the missing half with zeros. The affected vertices lose part of their
    /// weights, or the whole mesh stays rigid. A gap does the same: readers of a single set read set 0, and others stop
    /// at the first missing set.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::rules::rule::testing::passes_on;
    use crate::rig::{DefectKind, Location};

    #[test]
    fn only_what_the_importer_found_is_reported() {
        passes_on(
            &VertexIndexOutOfRange,
            DefectKind::VertexIndexOutOfRange,
            &Location::mesh("body").vertex(3),
        );
    }
}
