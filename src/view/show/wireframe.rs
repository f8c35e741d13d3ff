//! `--show wireframe`: the edges of the triangles.

use super::mode::{Mode, Show};
use super::vertices::ColorSource;

pub(super) static MODE: Mode = Mode::new("wireframe", ColorSource::Edges);

impl Show {
    /// The edges of the triangles.
    pub const WIREFRAME: Self = Self::plain(&MODE);
}
