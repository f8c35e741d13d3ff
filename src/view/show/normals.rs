//! `--show normals`: world-space normals as colours.

use super::mode::{Mode, Show};
use super::vertices::ColorSource;

pub(super) static MODE: Mode = Mode::new("normals", ColorSource::Normals);

impl Show {
    /// World-space normals as colours: 0.5 + 0.5 n.
    pub const NORMALS: Self = Self::plain(&MODE);
}
