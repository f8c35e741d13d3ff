//! How much two correct answers may differ.

/// Largest distance between positions, as a fraction of the diagonal.
///
/// Both importers read the same numbers and round them to f32 (6e-8 each). A joint's position accumulates the roundings
/// of all joints above it, some 40 in a row with a few each: 1e-5 with a margin of two, which the truths of other
/// programs confirm. Visible differences begin at 1e-3.
pub(super) const POSITION: f64 = 1e-5;

/// Largest difference of two axes of a joint, as a fraction of the longest.
///
/// A point a tenth of the diagonal away from its joint, as the skin of a limb is, then moves by [`POSITION`]. Joints
/// further down, and vertices further away, are compared by position.
pub(super) const AXES: f64 = 1e-4;

/// How many units of f32 resolution two positions may differ by, whatever the diagonal: a model far from the origin has
/// no better precision. A product of matrices rounds each coordinate 7 times, on both sides.
pub(super) const ROUNDINGS: f64 = 16.0 / 16_777_216.0;

/// Largest difference of two weights of 1: a byte or a short divided by its largest value in two ways, or a weight that
/// was rounded to f32 twice.
pub(super) const WEIGHT: f64 = 1e-6;

/// Largest difference of two animated morph weights: a target moves a vertex by at most a diagonal, so this moves it by
/// at most [`POSITION`].
pub(super) const MORPH_WEIGHT: f64 = 1e-5;

/// Largest difference of two times in seconds, for times up to a second, and in proportion beyond: a thousandth of
/// the shortest frame in use, and 16 times what f32 resolves.
pub(super) const TIME: f64 = 1e-6;

/// How far apart two positions may be.
///
/// * `diagonal` – of the model.
/// * `reach` – the largest coordinate of either.
pub(super) fn positions(diagonal: f64, reach: f64) -> f64 {
    POSITION * diagonal + ROUNDINGS * reach
}

/// How much two times may differ; the later one is `time`.
pub(super) fn times(time: f64) -> f64 {
    TIME * time.abs().max(1.0)
}
