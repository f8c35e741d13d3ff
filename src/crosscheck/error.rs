//! Errors of a comparison.

use crate::backend::BackendError;
use crate::compare::PixelError;
use crate::deadline::TimedOut;
use crate::pose::PlaybackError;
use crate::skinning::SkinningError;

/// An error in comparing two paths.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrosscheckError {
    /// A path failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The pose does not belong to the model.
    #[error(transparent)]
    Skinning(#[from] SkinningError),
    /// A take's time is not finite.
    #[error(transparent)]
    Playback(#[from] PlaybackError),
    /// The images of the two paths differ in size.
    #[error("the images cannot be compared")]
    Pixels(#[from] PixelError),
    /// The deadline of the [options](super::Options) has passed.
    #[error(transparent)]
    TimedOut(#[from] TimedOut),
}
