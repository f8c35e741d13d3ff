//! `--show depth`: distance from the camera.

use super::mode::{Mode, Show};
use super::vertices::ColorSource;

pub(super) static MODE: Mode = Mode::new("depth", ColorSource::Depth);

impl Show {
    /// Distance from the camera, near bright.
    pub const DEPTH: Self = Self::plain(&MODE);
}
