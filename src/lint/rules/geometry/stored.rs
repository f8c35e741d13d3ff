//! Rules of this family that report defects recorded by importers.

use crate::lint::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that faces use only existing vertices of the mesh.
    ///
    /// ## Why is this bad?
    /// The graphics card reads past the end of the buffer. Depending on the machine, the result is a spike to the
    /// origin or to infinity, another mesh's vertex, or a lost device. Loaders that check refuse the mesh.
    ///
    /// ## How to fix
    /// - Write indices of existing vertices only.
    /// - Exporters: write indices of the exported vertices, after merging, splitting and filtering. Use a wide enough
    ///   type (65,536 vertices and more need 32 bits). In formats without a restart index, end strips with degenerate
    ///   triangles.
    ///
    /// The remaining checks run without the face.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2.1; glTF-Validator `ACCESSOR_INDEX_OOB`.
    FaceIndexOutOfRange, "G802", "face-index-out-of-range", Error, FaceIndexOutOfRange, "triangle"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that normals are unit vectors.
    ///
    /// Their length may be off by 0.00674: the error of components in signed bytes, each off by half a step.
    ///
    /// ## Why is this bad?
    /// In shaders that normalize only after interpolation, brightness grows with the length of the normal: patches of
    /// the surface are too bright or too dark. A normal of length 0 has no direction: it causes black spots, or NaN
    /// that blooms over the whole image.
    ///
    /// ## How to fix
    /// - Recalculate the normals, and normalize them.
    /// - Blender: *Mesh → Normals → Reset Vectors*, or recalculate. Custom normals of degenerate faces come out as 0.
    /// - Exporters: normalize after transforming, with the inverse transpose where there is scale; drop degenerate
    ///   triangles before averaging normals.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2.1 (`NORMAL` is of unit length); glTF-Validator `ACCESSOR_VECTOR3_NON_UNIT`, with the same
    ///   limit.
    NonunitNormal, "G805", "nonunit-normal", Warning, NonunitNormal, "normal", attribute: "NORMAL"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that a glTF mesh, and each node that overrides its `weights`, has one weight per morph target.
    ///
    /// ## Why is this bad?
    /// It is undefined which targets the weights are for. Engines read past the end of the list, ignore it, or refuse
    /// the file, and the face has another expression in each of them.
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

declare_stored_rule! {
    /// ## What it does
    /// Checks that all primitives of a glTF mesh have the same number of morph targets.
    ///
    /// ## Why is this bad?
    /// One list of weights drives all primitives of a mesh. If one primitive has fewer targets, the list does not fit
    /// it: parts of a face stay behind and gap, or the file does not load.
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

declare_stored_rule! {
    /// ## What it does
    /// Checks that the handedness of glTF tangents, their fourth number, is 1 or -1.
    ///
    /// ## Why is this bad?
    /// The bitangent is the cross product of normal and tangent times this number. Where it is 0, the normal map is flat
    /// along one axis; other numbers scale it. Bumps look dented or flat, and a seam shows where the number changes.
    ///
    /// ## How to fix
    /// - Compute the tangents again, or remove them so that engines compute them.
    /// - Exporters: write the sign that MikkTSpace returns, and no padding.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.2.1; glTF-Validator `ACCESSOR_INVALID_SIGN`.
    TangentHandedness, "G816", "tangent-handedness", Warning, TangentSign, "tangent", attribute: "TANGENT"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that the `min` and `max` in a glTF file match its data, and that positions and key times have them.
    ///
    /// Differences of up to a hundred-thousandth of the largest number count as rounding.
    ///
    /// ## Why is this bad?
    /// Engines trust the stated bounds and do not compute them from the data. A mesh disappears at the edge of the
    /// screen, or is drawn off screen; the camera frames the wrong box; a clip stops early or holds its last pose too
    /// long. Strict loaders refuse the file.
    ///
    /// ## How to fix
    /// - Export the model again after changes of its vertices and keys.
    /// - Exporters and scripts: compute `min` and `max` of an accessor last, from the written numbers in their
    ///   precision.
    ///
    /// ## References
    /// - glTF 2.0 §3.6.2.5 and §3.11; glTF-Validator `ACCESSOR_MIN_MISMATCH`, `ACCESSOR_MAX_MISMATCH`,
    ///   `ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND`, `ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND`,
    ///   `MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS` and `ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS`.
    StatedBounds, "G817", "stated-bounds", Warning, StatedBounds, "accessor"
}

declare_stored_rule! {
    /// ## What it does
    /// Checks that vertices, indices, keys and inverse bind matrices of a glTF file are stored as the standard
    /// requires.
    ///
    /// Each accessor must have a type allowed for its use, and start at a multiple of its component size (of 4 bytes
    /// for vertices). A `byteStride` is required if attributes share a buffer view, and forbidden in views of other
    /// data. The indices of sparse accessors must increase. Attributes and morph targets must be defined by the
    /// standard.
    ///
    /// ## Why is this bad?
    /// Loaders that map the buffer into typed arrays, for example in browsers, stop with an error or read wrong
    /// numbers. An attribute with an unknown name is ignored, and its weights or texture coordinates are lost.
    ///
    /// ## How to fix
    /// - Export the model again with a current exporter, or write it again with a tool such as gltf-transform.
    /// - Exporters: start each accessor at a multiple of 4, pad vertices to a multiple of 4 bytes, and keep indices,
    ///   keys and matrices in buffer views of their own.
    /// - Begin the names of your own attributes with an underscore.
    ///
    /// ## References
    /// - glTF 2.0 §3.6.2.3, §3.6.2.4, §3.7.2.1, §3.7.2.2 and §3.11; glTF-Validator `ACCESSOR_NORMALIZED_INVALID`,
    ///   `ACCESSOR_OFFSET_ALIGNMENT`, `ACCESSOR_TOTAL_OFFSET_ALIGNMENT`, `MESH_PRIMITIVE_ACCESSOR_UNALIGNED`,
    ///   `ACCESSOR_SPARSE_INDICES_NON_INCREASING`, `ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE` and the like.
    ForbiddenStorage, "G818", "forbidden-storage", Info, ForbiddenStorage, "place"
}
