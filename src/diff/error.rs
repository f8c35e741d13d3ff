//! Errors of comparing models.

use crate::deadline::TimedOut;
use crate::skinning::SkinningError;

use super::words::span;

/// The reason why two models could not be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiffError {
    /// A model is too large to be skinned.
    #[error("a model cannot be skinned")]
    Skinning(#[from] SkinningError),
    /// The time limit was reached.
    #[error(transparent)]
    TimedOut(#[from] TimedOut),
    /// The tolerance is a length, and neither model states its unit.
    #[error(
        "a tolerance in millimetres needs a model that states its unit; use a percentage of the diagonal, such as 0.1%"
    )]
    UnknownUnit,
    /// A name in the configuration or on the command line does not exist in the model.
    #[error("no {what} named \"{name}\" in the model {side}")]
    UnknownName {
        /// `joint` or `clip`.
        what: &'static str,
        /// As given.
        name: String,
        /// `before` or `after`.
        side: &'static str,
    },
    /// An image is requested of a clip that only one of the models has.
    #[error("the reference has no {clip} to compare with")]
    NoCounterpart {
        /// Such as `clip "Walk"`.
        clip: String,
    },
    /// A reference's frames lie outside the other clip.
    #[error(
        "clip \"{clip}\": {} of the reference's {all} frames lies within both clips, {} before and {} after; its times must be \
         in seconds of the clip",
        if *common == 0 { "none" } else { "only one" },
        span(&ranges[0]),
        span(&ranges[1])
    )]
    TooFewFrames {
        /// The name before.
        clip: String,
        /// Frames within both clips.
        common: usize,
        /// All frames.
        all: usize,
        /// Start and end of the clip on each side, in seconds.
        ranges: [[f64; 2]; 2],
    },
    /// All results together would not fit in memory.
    #[error(
        "comparing {clips} clips of {joints} joints and {vertices} vertices takes {} MB of memory; the limit is {} MB; \
         split the clips of both models over several files and compare those",
        bytes / 1_000_000,
        limit / 1_000_000
    )]
    TooLarge {
        /// Pairs of clips.
        clips: usize,
        /// Pairs of joints.
        joints: usize,
        /// Pairs of vertices.
        vertices: usize,
        /// What their results take.
        bytes: usize,
        /// What they may take.
        limit: usize,
    },
    /// Only the surface counts, and the models have no vertices in common.
    #[error(
        "no vertex of one model corresponds to one of the other, so there is no surface; compare without `only`"
    )]
    NoSurface,
    /// Nothing in one model corresponds to the other.
    #[error(
        "the models have nothing in common: no joint and no vertex of one corresponds to one of the other"
    )]
    NothingInCommon,
}
