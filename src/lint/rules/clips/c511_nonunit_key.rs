//! `C511`: nonunit-key.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that rotation keys are unit quaternions.
    ///
    /// Their length may be off by 0.00769, which is what three components in signed bytes come to, each off by half a
    /// step. Keys of length about 0 are told by `C512` instead.
    ///
    /// ## Why is this bad?
    /// Samplers that interpolate along the arc take an angle from a dot product that is none: the joint speeds up,
    /// overshoots, or becomes NaN. Without normalization afterwards it also scales its limb; with it, the key weighs more
    /// than its neighbours.
    ///
    /// ## How to fix
    /// - Exporters: normalize each key in the precision that is written; mark integers as normalized, or they count as
    ///   whole numbers.
    /// - Code: normalize after blending, resampling and compression.
    ///
    /// The model is checked on with the normalized key.
    ///
    /// ## References
    /// - glTF 2.0 §3.11; glTF-Validator `ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION`, with the same
    ///   limit.
    NonunitKey, "C511", "nonunit-key", Error, NonunitKey, "key"
}
