//! `G817`: stated-bounds.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that the `min` and `max` in a glTF file match its data, and that positions and key times have them.
    ///
    /// Differences of up to a hundred-thousandth of the largest number count as rounding.
    ///
    /// ## Why is this bad?
    /// Engines believe the stated bounds and do not look at the data. A mesh disappears at the edge of the screen, or is
    /// drawn where nobody sees it; the camera frames another box; a clip stops early or holds its last pose too long. Strict
    /// loaders refuse the file.
    ///
    /// ## How to fix
    /// - Export the model again after the last change of its vertices and keys.
    /// - Exporters and scripts: compute `min` and `max` of an accessor last, from the numbers as they are written, in the
    ///   precision in which they are written.
    ///
    /// ## References
    /// - glTF 2.0 §3.6.2.5 and §3.11; glTF-Validator `ACCESSOR_MIN_MISMATCH`, `ACCESSOR_MAX_MISMATCH`,
    ///   `ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND`, `ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND`,
    ///   `MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS` and `ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS`.
    StatedBounds, "G817", "stated-bounds", Warning, StatedBounds, "accessor"
}
