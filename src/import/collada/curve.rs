//! One number over time: keys, and the interpolation between them.

use super::bezier::{Bezier, Point};

/// A curve of at least one key, in ascending order of time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Curve {
    pub(super) keys: Vec<Key>,
}

/// A value at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Key {
    pub(super) at: Point,
    /// From this key to the next.
    pub(super) interpolation: Interpolation,
}

/// How a value is interpolated from one key to the next.
///
/// # Reference
///
/// COLLADA 1.4.1, chapter 5, "sampler", and chapter 4, "Curve Interpolation".
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Interpolation {
    /// Constant, then a jump.
    Step,
    /// Linear.
    Linear,
    /// A Bézier curve with these inner control points. A Hermite curve is one, too.
    Bezier {
        /// After this key.
        leave: Point,
        /// Before the next.
        arrive: Point,
    },
}

/// A curve between two neighbouring times of interest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Segment {
    /// Before the first key or after the last.
    Outside(f64),
    /// Constant up to the next key.
    Constant(f64),
    /// Linear from one point to the other.
    Linear(Point, Point),
    /// A Bézier curve.
    Bezier(Bezier),
}

impl Curve {
    /// The segment from `time` to the next key. At a key, it is the one after it; of several keys at one time, the last.
    pub(super) fn segment(&self, time: f64) -> Segment {
        let after = self.keys.partition_point(|key| key.at.time <= time);
        let (Some(key), Some(next)) = (self.keys.get(after.wrapping_sub(1)), self.keys.get(after))
        else {
            let nearest = self.keys.get(after.saturating_sub(1));
            return Segment::Outside(nearest.map_or(0.0, |key| key.at.value));
        };
        match key.interpolation {
            Interpolation::Step => Segment::Constant(key.at.value),
            Interpolation::Linear => Segment::Linear(key.at, next.at),
            Interpolation::Bezier { leave, arrive } => {
                Segment::Bezier(Bezier::new(key.at, leave, arrive, next.at))
            }
        }
    }

    /// The times of the keys, ascending.
    pub(super) fn times(&self) -> impl Iterator<Item = f64> {
        self.keys.iter().map(|key| key.at.time)
    }
}

impl Segment {
    /// The value at `time`.
    pub(super) fn at(&self, time: f64) -> f64 {
        match self {
            Self::Outside(value) | Self::Constant(value) => *value,
            Self::Linear(from, to) => {
                let phase = (time - from.time) / (to.time - from.time);
                from.value + (to.value - from.value) * phase.clamp(0.0, 1.0)
            }
            Self::Bezier(curve) => curve.at(time),
        }
    }

    /// Whether the value changes before the next key.
    pub(super) fn moves(&self) -> bool {
        matches!(self, Self::Linear(..) | Self::Bezier(_))
    }
}

#[cfg(test)]
mod laws;
