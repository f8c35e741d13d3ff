//! What can be tested.

use crate::rig::{Influence, Track};

use super::Body;

/// Samples a track.
///
/// Any `Fn(&Track<T>, f64) -> T` is one; [`Between`] makes one of a function that blends two values.
pub trait Interpolator<T> {
    /// The value of `track` at `time`, in seconds on the track's own time line.
    fn sample(&self, track: &Track<T>, time: f64) -> T;

    /// Whether it can be given this track. Others are skipped.
    fn accepts(&self, track: &Track<T>) -> bool {
        let _ = track;
        true
    }

    /// Whether it evaluates cubic spans. If not, no law asks for their values.
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
/// Holds the first and last value outside the keys; step spans hold, cubic spans blend like linear ones.
#[derive(Debug, Clone, Copy)]
pub struct Between<F>(
    /// From a value, to a value, and the position between them from 0 to 1.
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
/// Any `Fn(&[Influence]) -> Vec<Influence>` is one.
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
/// Any `Fn(&Body) -> Vec<Vec3>` is one.
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
