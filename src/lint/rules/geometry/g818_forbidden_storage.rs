//! `G818`: forbidden-storage.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that vertices, indices, keys and inverse bind matrices of a glTF file are stored as the standard demands.
    ///
    /// Each accessor must have a type that the standard allows there, and start at a multiple of its component size (of
    /// 4 bytes for vertices). A `byteStride` is required where attributes share a buffer view, and forbidden elsewhere.
    /// The indices of sparse accessors must increase. Attributes and morph targets must be ones that the standard
    /// defines.
    ///
    /// ## Why is this bad?
    /// Loaders that map the buffer into typed arrays, as those of browsers do, stop with an error or read other numbers than
    /// are meant. An attribute of an unknown name is ignored, and with it the weights or texture coordinates that it holds.
    ///
    /// ## How to fix
    /// - Export the model again with a current exporter, or write it again with a tool such as gltf-transform.
    /// - Exporters: start each accessor at a multiple of 4, pad vertices to a multiple of 4 bytes, and keep indices,
    ///   keys and matrices in buffer views of their own.
    /// - Attributes of your own begin with an underscore.
    ///
    /// ## References
    /// - glTF 2.0 §3.6.2.3, §3.6.2.4, §3.7.2.1, §3.7.2.2 and §3.11; glTF-Validator `ACCESSOR_NORMALIZED_INVALID`,
    ///   `ACCESSOR_OFFSET_ALIGNMENT`, `ACCESSOR_TOTAL_OFFSET_ALIGNMENT`, `MESH_PRIMITIVE_ACCESSOR_UNALIGNED`,
    ///   `ACCESSOR_SPARSE_INDICES_NON_INCREASING`, `ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE` and the like.
    ForbiddenStorage, "G818", "forbidden-storage", Warning, ForbiddenStorage, "place"
}
