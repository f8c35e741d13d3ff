//! How much two correct answers may differ.

use super::report::Off;
use crate::rig::Bounds;

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
const ROUNDINGS: f64 = 16.0 / 16_777_216.0;

/// Largest difference of two weights of 1: a byte or a short divided by its largest value in two ways, or a weight that
/// was rounded to f32 twice.
pub(super) const WEIGHT: f64 = 1e-6;

/// Largest difference of two animated morph weights: a target moves a vertex by at most a diagonal, so this moves it by
/// at most [`POSITION`].
pub(super) const MORPH_WEIGHT: f64 = 1e-5;

/// Largest difference of two times in seconds, for times up to a second, and in proportion beyond: a thousandth of
/// the shortest frame in use, and 16 times what f32 resolves.
const TIME: f64 = 1e-6;

/// How much two times may differ; the later one is `time`.
pub(super) fn times(time: f64) -> f64 {
    TIME * time.abs().max(1.0)
}

/// The size of the model, which the tolerance of positions depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// Never 0.
    pub(super) diagonal: f64,
}

impl Scale {
    /// Computes it for a model that shows `points` in the rest pose and has joints at `joints`.
    pub(super) fn of(points: Bounds, joints: Bounds) -> Self {
        Self {
            diagonal: Bounds::size_of_model(points, joints),
        }
    }

    /// How far apart two positions with coordinates up to `reach` may be.
    pub(super) fn tolerance(self, reach: f64) -> f64 {
        let reach = if reach.is_finite() { reach } else { 0.0 };
        POSITION * self.diagonal + ROUNDINGS * reach
    }

    /// A distance as a fraction of the diagonal.
    pub(super) fn relative(self, distance: f64) -> f64 {
        distance / self.diagonal
    }

    /// A distance as a report states it.
    pub(super) fn off(self, distance: f64) -> Off {
        Off::Length {
            absolute: distance,
            relative: self.relative(distance),
        }
    }
}
