//! Compares two results that should be equal: how much they differ, whether rounding explains it, and which one is
//! wrong.
//!
//! It does not know how the results were computed; the caller states the exact result and its bound.

pub mod pixels;
mod spread;
mod vertices;

pub use pixels::{Drawn, PixelError, PixelReport, pixels};
pub use spread::Spread;
pub use vertices::{
    AttributeReport, Known, MeshTruth, VertexReport, WorstVertex, WrongCounts, vertices,
};

/// Which of two results is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Culprit {
    /// The first.
    First,
    /// The second.
    Second,
    /// Both.
    Both,
}

impl Culprit {
    /// `None` if neither is wrong.
    #[must_use]
    pub fn of(first_is_wrong: bool, second_is_wrong: bool) -> Option<Self> {
        match (first_is_wrong, second_is_wrong) {
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::First),
            (false, true) => Some(Self::Second),
            (false, false) => None,
        }
    }
}
