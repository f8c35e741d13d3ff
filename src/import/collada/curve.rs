//! One number over time: keys, and how it runs between them.

use super::bezier::{Bezier, Point};

/// A curve of at least one key, in order of time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Curve {
    pub(super) keys: Vec<Key>,
}

/// A value at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Key {
    pub(super) at: Point,
    /// To the next key.
    pub(super) way: Way,
}

/// How a value runs from one key to the next.
///
/// # Reference
///
/// COLLADA 1.4.1, chapter 5, "sampler", and chapter 4, "Curve Interpolation".
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Way {
    /// Holds, then jumps.
    Step,
    /// Straight.
    Linear,
    /// Along a Bézier curve with these inner control points. A Hermite curve is one, too.
    Bezier {
        /// Behind this key.
        leave: Point,
        /// Before the next.
        arrive: Point,
    },
}

/// A curve between two neighbouring times of interest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Segment {
    /// Before the first key and behind the last.
    Outside(f64),
    /// Held until the next key.
    Held(f64),
    /// Straight from one point to the other.
    Straight(Point, Point),
    /// Bent.
    Bent(Bezier),
}

impl Curve {
    /// The curve from `time` on, up to the next key.
    pub(super) fn segment(&self, time: f64) -> Segment {
        let after = self.keys.partition_point(|key| key.at.time <= time);
        let (Some(key), Some(next)) = (self.keys.get(after.wrapping_sub(1)), self.keys.get(after))
        else {
            let nearest = self.keys.get(after.saturating_sub(1));
            return Segment::Outside(nearest.map_or(0.0, |key| key.at.value));
        };
        match key.way {
            Way::Step => Segment::Held(key.at.value),
            Way::Linear => Segment::Straight(key.at, next.at),
            Way::Bezier { leave, arrive } => {
                Segment::Bent(Bezier::new(key.at, leave, arrive, next.at))
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
            Self::Outside(value) | Self::Held(value) => *value,
            Self::Straight(from, to) => {
                let phase = (time - from.time) / (to.time - from.time);
                from.value + (to.value - from.value) * phase.clamp(0.0, 1.0)
            }
            Self::Bent(curve) => curve.at(time),
        }
    }

    /// Whether the value changes before the next key.
    pub(super) fn moves(&self) -> bool {
        matches!(self, Self::Straight(..) | Self::Bent(_))
    }
}

#[cfg(test)]
mod laws;
