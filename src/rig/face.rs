//! Faces: how a model shows its gaze, and what clips drive of a face (VRM).

use glam::Quat;
use serde::{Deserialize, Serialize};

use super::clip::keyed;
use super::{ExpressionId, Keyed, Track};

/// The tracks of a clip that drive a face.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FaceChannels {
    /// At most one per expression. If there is any, expressions without a track have weight 0.
    pub expressions: Vec<ExpressionChannel>,
    /// The direction of the gaze: rotates +z, in the axes of the head at rest, which face along +z with +y up.
    pub gaze: Option<Track<Quat>>,
}

/// Drives the weight of an expression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpressionChannel {
    /// Which expression.
    pub expression: ExpressionId,
    /// From 0 to 1; other values count as the nearer of the two.
    pub weight: Track<f32>,
}

impl FaceChannels {
    /// Whether there is no track.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.expressions.is_empty() && self.gaze.is_none()
    }

    /// All tracks: expression by expression, then the gaze.
    pub fn tracks(&self) -> impl Iterator<Item = &dyn Keyed> {
        let expressions = self
            .expressions
            .iter()
            .map(|channel| &channel.weight as &dyn Keyed);
        expressions.chain(keyed(self.gaze.as_ref()))
    }
}

/// How a model shows the direction of its gaze.
///
/// # Reference
///
/// VRM 1.0, `VRMC_vrm`, lookAt.md.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LookAt {
    /// What moves.
    pub shown_by: GazeTarget,
    /// From an angle toward the nose to the angle of an eye.
    pub inner: RangeMap,
    /// From an angle away from the nose to the angle of an eye; from one to either side to the weight of an expression.
    pub outer: RangeMap,
    /// From an angle downward.
    pub down: RangeMap,
    /// From an angle upward.
    pub up: RangeMap,
}

/// What a gaze moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GazeTarget {
    /// The bones of both eyes.
    Eyes,
    /// The expressions `lookUp`, `lookDown`, `lookLeft` and `lookRight`.
    Expressions,
}

/// A linear map from an angle to the angle of an eye, or to the weight of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RangeMap {
    /// In degrees. Larger angles count as this one.
    pub input_max: f32,
    /// The value at `input_max`; in degrees for an eye.
    pub output: f32,
}

impl RangeMap {
    /// The value at an angle, held beyond [`input_max`](Self::input_max).
    ///
    /// * `angle` – in degrees, not negative.
    #[must_use]
    pub fn map(self, angle: f64) -> f64 {
        let part = angle / f64::from(self.input_max);
        // NaN if both are 0.
        let part = if part > 0.0 { part.min(1.0) } else { 0.0 };
        part * f64::from(self.output)
    }
}
