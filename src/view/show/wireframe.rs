//! `--show wireframe`: the edges of the triangles.

use super::mode::{ColorSource, Mode, Show};

pub(super) static MODE: Mode = Mode::new("wireframe", ColorSource::Edges);

impl Show {
    /// The edges of the triangles.
    pub const WIREFRAME: Self = Self::plain(&MODE);
}
