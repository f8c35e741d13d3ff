//! `--show joints`: the colours of the joints, mixed by their weights.

use super::mode::{Mode, Show};
use super::vertices::{ColorSource, without_skin};
use crate::look::colors::joint_color;

pub(super) static MODE: Mode = Mode {
    missing: |asset, _| without_skin(asset, "each mesh has the colour of its own node"),
    ..Mode::new(
        "joints",
        ColorSource::VertexColors(|vertices, vertex| {
            let shares = vertices.shares(vertex);
            shares
                .map(|(joint, share)| joint_color(joint) * share)
                .sum()
        }),
    )
};

impl Show {
    /// The colours of the joints, mixed by their weights.
    pub const JOINTS: Self = Self::plain(&MODE);
}
