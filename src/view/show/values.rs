//! A number per vertex, such as a distance. Only programs can choose this mode: the numbers come with the mesh.

use super::mode::{Mode, Show};
use super::vertices::ColorSource;

static MODE: Mode = Mode::new(
    "values",
    ColorSource::VertexValues(
        #[expect(clippy::redundant_closure_for_method_calls, reason = "any lifetime")]
        |vertices, vertex| vertices.value(vertex),
    ),
);

impl Show {
    /// A number of each vertex, from 0 to 1, in the colours of [`weights`](Self::weights); black where it is 0. The number
    /// is the red of the mesh's first set of vertex colours.
    pub const VALUES: Self = Self::plain(&MODE);
}
