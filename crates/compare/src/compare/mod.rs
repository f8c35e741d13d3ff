//! Compares two results that should be equal: how much they differ, whether rounding explains it, and which one is
//! wrong.
//!
//! It does not know how the results were computed; the caller states the exact result and its bound.

pub mod pixels;
mod vertices;

use serde::Serialize;

pub use pixels::{PixelError, PixelReport, pixels};
pub use vertices::{AttributeReport, VertexReport, WorstVertex, WrongCounts, vertices};

pub use crate::skinning::{Known, MeshTruth};

/// Which of two results is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
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
