//! `--show influences`: how many influences a vertex has.

use super::mode::{Mode, Show};
use super::vertices::{ColorSource, without_skin};
use crate::look::colors::influence_color;

pub(super) static MODE: Mode = Mode {
    missing: |asset, _| without_skin(asset, "every vertex is drawn as one without influence"),
    ..Mode::new(
        "influences",
        ColorSource::VertexColors(|vertices, vertex| {
            let influences = vertices.influences(vertex);
            influence_color(influences.iter().filter(|i| i.weight != 0.0).count())
        }),
    )
};

impl Show {
    /// How many influences a vertex has.
    pub const INFLUENCES: Self = Self::plain(&MODE);
}
