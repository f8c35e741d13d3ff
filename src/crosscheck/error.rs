//! What can go wrong.

use crate::backend::BackendError;
use crate::compare::PixelError;
use crate::pose::PlaybackError;
use crate::skinning::SkinningError;

/// Why two paths could not be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrosscheckError {
    /// A path gave up.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// Pose and model do not belong together.
    #[error(transparent)]
    Skinning(#[from] SkinningError),
    /// A take has a time that is none.
    #[error(transparent)]
    Playback(#[from] PlaybackError),
    /// A path drew a picture of another size.
    #[error("the pictures cannot be compared")]
    Pixels(#[from] PixelError),
}
