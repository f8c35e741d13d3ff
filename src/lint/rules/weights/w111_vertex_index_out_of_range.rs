//! `W111`: vertex-index-out-of-range.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that bones list only vertices that the mesh has.
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
    /// - Exporters: write weights for the vertices that are written, after triangulation, merging and splitting.
    ///
    /// ## References
    /// - assimp `ValidateDataStructure`: `aiVertexWeight::mVertexId` is out of range.
    VertexIndexOutOfRange, "W111", "vertex-index-out-of-range", Error, VertexIndexOutOfRange, "weight"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::rules::stored::testing::passes_on;
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
