//! `G802`: face-index-out-of-range.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that faces use only vertices that the mesh has.
    ///
    /// ## Why is this bad?
    /// The graphics card reads past the end of the buffer: spikes to the origin or to infinity, other meshes' vertices,
    /// or a lost device, differently on every machine. Loaders that check refuse the mesh.
    ///
    /// ## How to fix
    /// - Write indices of existing vertices only.
    /// - Exporters: write indices for the vertices that are written, after merging, splitting and filtering. Use a wide
    ///   enough type (65,536 vertices and more need 32 bits). In formats without a restart index, end strips with
    ///   degenerate triangles.
    ///
    /// The remaining checks run without the face.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2.1; glTF-Validator `ACCESSOR_INDEX_OOB`.
    FaceIndexOutOfRange, "G802", "face-index-out-of-range", Error, FaceIndexOutOfRange, "triangle"
}
