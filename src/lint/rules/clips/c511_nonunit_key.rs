//! `C511`: nonunit-key.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that rotation keys are unit quaternions.
    ///
    /// Their length may be off by 0.00769: the error of four components in signed bytes, each off by half a step.
    /// `C512` reports keys with a length of about 0.
    ///
    /// ## Why is this bad?
    /// Samplers that interpolate along the arc derive an angle from the dot product, which holds only for unit
    /// quaternions. Otherwise the joint speeds up, overshoots, or becomes NaN. Without normalization afterwards, the
    /// key also scales the limb; with it, the key outweighs its neighbours.
    ///
    /// ## How to fix
    /// - Normalize the rotation keys.
    /// - Exporters: normalize each key in the precision that is written. Mark integers as normalized, or they count as
    ///   whole numbers.
    /// - Code: normalize after blending, resampling and compression.
    ///
    /// The remaining checks run with the normalized key.
    ///
    /// ## References
    /// - glTF 2.0 §3.11; glTF-Validator `ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION`, with the same
    ///   limit.
    NonunitKey, "C511", "nonunit-key", Error, NonunitKey, "key"
}
