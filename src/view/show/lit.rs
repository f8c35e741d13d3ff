//! `--show lit`: the material in the light of the scene.

use super::mode::{Mode, Show};
use super::vertices::ColorSource;

pub(super) static MODE: Mode = Mode::new("lit", ColorSource::Material { lit: true });

impl Show {
    /// The material in the light of the scene.
    pub const LIT: Self = Self::plain(&MODE);
}
