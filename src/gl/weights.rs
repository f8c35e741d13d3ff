//! The blended influences in the layout that shaders read.

use crate::rig::{Mesh, SkinningOptions};
use crate::skinning::weights::of_vertex;

/// The influences of all vertices, as shaders read them.
#[derive(Debug, Default)]
pub(super) struct PackedInfluences {
    /// First influence and number of influences of each vertex; none for a vertex that follows its mesh's node.
    pub(super) ranges: Vec<[u32; 2]>,
    /// Joint and weight (as bits).
    pub(super) influences: Vec<[u32; 2]>,
}

/// Packs the weights of `mesh` according to `options`.
pub(super) fn pack(mesh: &Mesh, options: SkinningOptions) -> PackedInfluences {
    let mut packed = PackedInfluences::default();
    for vertex in 0..mesh.positions.len() {
        let first = packed.influences.len();
        let blended = of_vertex(mesh.influences.of(vertex), options);
        let texel = blended.map(|influence| [influence.joint.0, influence.weight.to_bits()]);
        packed.influences.extend(texel);
        let count = packed.influences.len() - first;
        packed.ranges.push([first, count].map(number));
    }
    packed
}

/// Influences of an asset are fewer than 2^32.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
