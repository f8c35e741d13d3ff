//! The implementations that laws test.

use crate::rig::{Influence, Track};

use super::Body;

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
