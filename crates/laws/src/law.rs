//! The types of a law, its violations and its rounding tolerance, of the values of tracks, and of the implementations that
//! it tests.

use std::fmt::Debug;
use std::num::NonZeroU32;

use glam::{DQuat, Quat, Vec3};
use serde::Serialize;

use super::Body;
use crate::rig::{Influence, Key, Span, Track};

/// A property that holds for every case.
#[derive(Debug)]
pub struct Law<S: ?Sized, C: ?Sized> {
    /// The name on the command line and in reports, such as `shortest-path`.
    pub name: &'static str,
    /// The property as one sentence without a full stop.
    pub states: &'static str,
    /// Tests an implementation on one case.
    pub check: fn(&S, &C, &Tolerance) -> Result<Outcome, Broken>,
}

/// The outcome of a case that does not break a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The law was tested and held.
    Held,
    /// The case is inconclusive, for example a constant track in a law of motion.
    NotApplicable,
}

/// How an implementation breaks a law.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[error("{what}: off by {off:.3e}, allowed {allowed:.3e}")]
pub struct Broken {
    /// What was compared, with its values.
    pub what: String,
    /// The error; NaN for a result that is not finite.
    pub off: f64,
    /// The largest error that rounding explains.
    pub allowed: f64,
}

/// Whether an implementation keeps a law in one case.
pub(super) type Verdict = Result<Outcome, Broken>;

/// Passes if `off` is at most `allowed`; NaN fails.
///
/// * `what` – what was compared, with its values.
pub(super) fn within(off: f64, allowed: f64, what: impl FnOnce() -> String) -> Verdict {
    if off <= allowed {
        return Ok(Outcome::Held);
    }
    Err(Broken {
        what: what(),
        off,
        allowed,
    })
}

/// Half a unit in the last place of 1 in f32: the relative error of one rounding.
pub(super) const UNIT: f64 = 0.5 * f32::EPSILON as f64;

/// The rounding error that an implementation may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// The error of a sampled rotation, in radians.
    pub rotation: f64,
    /// The error of a sampled vector, relative to its keys.
    pub vector: f64,
    /// The relative error of a time.
    pub time: f64,
    /// The error of a skinned vertex, as a multiple of the derived bound: 1 for implementations in f32.
    pub skinning: f64,
    /// Seconds between the samples that a clip is stored as; 0 if its curves are evaluated. See
    /// [`Capabilities::resampled_fps`](super::Capabilities::resampled_fps).
    pub resampled: f64,
    /// Influences per vertex; the smaller ones are dropped. See
    /// [`Capabilities::influences`](super::Capabilities::influences).
    pub influences: Option<NonZeroU32>,
    /// The step of stored weights; 0 for floating-point weights. See
    /// [`Capabilities::weight_bits`](super::Capabilities::weight_bits).
    pub weight_step: f64,
}

impl Tolerance {
    /// Results in f32, times and phases in f64.
    ///
    /// A unit quaternion whose four components are each off by 2^-24 of 1 is off by 2 * 2^-24 as a vector and by twice
    /// that as an angle, 2.4e-7. Both the key and the result are rounded, which makes 4.8e-7. A vector is rounded once
    /// per component, and in f32 once more for each of three products and sums.
    pub const F32: Self = Self {
        rotation: 5e-7,
        vector: 8.0 * UNIT,
        time: f64::EPSILON,
        skinning: 1.0,
        resampled: 0.0,
        influences: None,
        weight_step: 0.0,
    };

    /// Results, times and phases in f32, as in most engines: a slerp in f32 has some ten roundings of its own.
    pub const F32_TIME: Self = Self {
        rotation: 2.5e-6,
        vector: 16.0 * UNIT,
        time: 2.0 * UNIT,
        ..Self::F32
    };
}

/// Samples a track.
///
/// Implemented by any `Fn(&Track<T>, f64) -> T`. [`Between`] makes one from a function that blends two values.
pub trait Interpolator<T> {
    /// The value of `track` at `time`, in seconds on the track's own time line.
    fn sample(&self, track: &Track<T>, time: f64) -> T;

    /// Whether it supports this track. Others are skipped.
    fn accepts(&self, track: &Track<T>) -> bool {
        let _ = track;
        true
    }

    /// Whether it evaluates cubic spans. If not, no law tests their values.
    fn evaluates_cubics(&self) -> bool {
        true
    }
}

impl<T, F: Fn(&Track<T>, f64) -> T> Interpolator<T> for F {
    fn sample(&self, track: &Track<T>, time: f64) -> T {
        self(track, time)
    }
}

/// Samples a track by blending the two keys around the time: for an engine's `slerp` or `lerp`.
///
/// Before and after the keys it holds the first and last value. Step spans hold, and cubic spans blend like linear
/// ones.
#[derive(Debug, Clone, Copy)]
pub struct Between<F>(
    /// Takes the start value, the end value, and the position between them from 0 to 1.
    pub F,
);

impl<T: Copy, F: Fn(T, T, f64) -> T> Interpolator<T> for Between<F> {
    fn sample(&self, track: &Track<T>, time: f64) -> T {
        match super::reference::span_at(track, time) {
            Ok(span) if matches!(span.from.span, crate::rig::Span::Step) => span.from.value,
            Ok(span) => (self.0)(span.from.value, span.to.value, span.phase),
            Err(held) => held,
        }
    }

    fn evaluates_cubics(&self) -> bool {
        false
    }
}

/// Prepares the weights of a vertex for blending.
///
/// Implemented by any `Fn(&[Influence]) -> Vec<Influence>`.
pub trait WeightNormalizer {
    /// The influences to blend, which sum to 1; none for a vertex without usable weights.
    fn normalize(&self, influences: &[Influence]) -> Vec<Influence>;
}

impl<F: Fn(&[Influence]) -> Vec<Influence>> WeightNormalizer for F {
    fn normalize(&self, influences: &[Influence]) -> Vec<Influence> {
        self(influences)
    }
}

/// Skins vertices.
///
/// Implemented by any `Fn(&Body) -> Vec<Vec3>`.
pub trait Skinner {
    /// The positions of `body` in world space, one per vertex. Weights are normalized; a vertex without weight follows
    /// the body's node.
    fn skin(&self, body: &Body) -> Vec<glam::Vec3>;
}

impl<F: Fn(&Body) -> Vec<glam::Vec3>> Skinner for F {
    fn skin(&self, body: &Body) -> Vec<glam::Vec3> {
        self(body)
    }
}

/// A value of a track: a rotation or a vector.
pub trait Value: Copy + Debug + PartialEq {
    /// The distance of two values: an angle in radians, or a length.
    fn distance(self, other: Self) -> f64;

    /// Whether a track may have it as a key.
    fn is_usable(self) -> bool;

    /// The allowed error of a sample between `keys`.
    fn rounding(keys: &[Key<Self>], tolerance: &Tolerance) -> f64
    where
        Self: Sized;

    /// The distance covered in a span of `seconds` at the greatest speed in it, per unit of phase.
    fn speed(from: &Key<Self>, to: &Key<Self>) -> f64
    where
        Self: Sized;

    /// Zero as a derivative.
    fn still() -> Self;
}

impl Value for Quat {
    /// 0 for `q` and `-q`. Computed as `2 atan2(|a - b|, |a + b|)`, which is accurate for small angles.
    fn distance(self, other: Self) -> f64 {
        let (a, b) = (unit(self), unit(other));
        let length = |q: DQuat| q.length_squared().sqrt();
        let half = |b: DQuat| 2.0 * libm::atan2(length(a - b), length(a + b));
        2.0 * half(b).min(half(-b))
    }

    fn is_usable(self) -> bool {
        let square = self.as_dquat().length_squared();
        square.is_finite() && square > 1e-6
    }

    fn rounding(_keys: &[Key<Self>], tolerance: &Tolerance) -> f64 {
        tolerance.rotation
    }

    fn speed(from: &Key<Self>, to: &Key<Self>) -> f64 {
        let angle = from.value.distance(to.value);
        match &from.span {
            Span::Cubic { leave, arrive } => {
                let size = |q: Quat| q.as_dquat().length_squared().sqrt();
                let span = to.time.0 - from.time.0;
                let keys = 2.0 * size(to.value - from.value);
                let shortest = size(from.value).min(size(to.value));
                4.0 * (keys + span * (size(*leave) + size(*arrive))) / shortest
            }
            _ => angle,
        }
    }

    fn still() -> Self {
        Self::from_xyzw(0.0, 0.0, 0.0, 0.0)
    }
}

fn unit(q: Quat) -> DQuat {
    let q = q.as_dquat();
    q * (1.0 / q.length_squared().sqrt())
}

impl Value for Vec3 {
    fn distance(self, other: Self) -> f64 {
        self.as_dvec3().distance(other.as_dvec3())
    }

    fn is_usable(self) -> bool {
        self.is_finite() && self.abs().max_element() < 1e30
    }

    /// Relative to the largest magnitude of any key and tangent, the latter times the length of the span.
    fn rounding(keys: &[Key<Self>], tolerance: &Tolerance) -> f64 {
        let size = |v: Vec3| v.as_dvec3().length();
        let mut largest: f64 = 0.0;
        for (key, next) in keys.iter().zip(keys.iter().skip(1).chain(keys.last())) {
            largest = largest.max(size(key.value));
            if let Span::Cubic { leave, arrive } = &key.span {
                let span = next.time.0 - key.time.0;
                largest = largest.max(span * size(*leave).max(size(*arrive)));
            }
        }
        tolerance.vector * largest + f64::from(f32::MIN_POSITIVE)
    }

    fn speed(from: &Key<Self>, to: &Key<Self>) -> f64 {
        let distance = Value::distance(from.value, to.value);
        match &from.span {
            Span::Cubic { leave, arrive } => {
                let span = to.time.0 - from.time.0;
                let tangents = leave.as_dvec3().length() + arrive.as_dvec3().length();
                2.0 * distance + span * tangents
            }
            _ => distance,
        }
    }

    fn still() -> Self {
        Self::ZERO
    }
}
