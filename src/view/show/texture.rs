//! `--show texture`: the material without light.

use super::mode::{Mode, Show};
use super::vertices::ColorSource;

pub(super) static MODE: Mode = Mode::new("texture", ColorSource::Material { lit: false });

impl Show {
    /// The material without light.
    pub const TEXTURE: Self = Self::plain(&MODE);
}
