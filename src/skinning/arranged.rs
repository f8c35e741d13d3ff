//! The vertices of a mesh that skinning can distinguish.

use std::collections::HashMap;

use crate::rig::{Influence, Mesh, SkinningMethod};

/// The vertices of a mesh without the duplicates that skinning cannot distinguish; a mesh has such vertices where
/// normals or texture coordinates differ. A vertex is compared only with the first one at its position, so some
/// duplicates may remain.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Arranged {
    /// The first vertex of each kind, in order.
    pub(super) vertices: Vec<u32>,
    /// For each vertex, the index of its kind in `vertices`.
    pub(super) kinds: Vec<u32>,
}

impl Arranged {
    /// Computes it for `mesh`.
    pub(super) fn of(mesh: &Mesh) -> Self {
        let (vertices, kinds) = firsts(mesh);
        Self { vertices, kinds }
    }
}

/// The first vertex of each kind, in order, and for each vertex its kind.
fn firsts(mesh: &Mesh) -> (Vec<u32>, Vec<u32>) {
    let count = mesh.positions.len();
    let mut at_position: HashMap<[u32; 3], u32> = HashMap::with_capacity(count);
    let (mut firsts, mut kinds) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut next = 0;
    for (vertex, position) in (0..).zip(&mesh.positions) {
        let kind = at_position.entry(position.to_array().map(f32::to_bits));
        let kind = *kind.or_insert(next);
        match firsts.get(kind as usize) {
            // Comparing with the first vertex at a position only keeps the time linear, at the price of some
            // duplicates.
            Some(first) if alike(mesh, *first, vertex) => kinds.push(kind),
            _ => {
                kinds.push(next);
                firsts.push(vertex);
                next += 1;
            }
        }
    }
    (firsts, kinds)
}

/// Whether everything that moves two vertices is equal to the bit.
fn alike(mesh: &Mesh, a: u32, b: u32) -> bool {
    let (a, b) = (a as usize, b as usize);
    let weighted = |vertex: usize| mesh.influences.of(vertex).iter().copied().map(bits);
    let mut targets = mesh.morph_targets.iter();
    let share = |vertex| mesh.dual_quaternion_share(vertex, SkinningMethod::AsInFile);
    weighted(a).eq(weighted(b))
        && share(a).to_bits() == share(b).to_bits()
        && targets.all(|target| {
            let offset = |vertex: usize| {
                let offset = target.positions.get(vertex);
                offset.map(|offset| offset.to_array().map(f32::to_bits))
            };
            offset(a) == offset(b)
        })
}

fn bits(influence: Influence) -> (u32, u32) {
    (influence.joint.0, influence.weight.to_bits())
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{Influences, JointId, MorphTarget};

    /// Vertices at `positions`; the last one has a slot and an offset of its own.
    fn mesh(positions: &[f32], slot: u32, offset: f32) -> Mesh {
        let last = positions.len() - 1;
        let influence = |vertex: usize| Influence {
            joint: JointId(if vertex == last { slot } else { 0 }),
            weight: 1.0,
        };
        let mut offsets = vec![Vec3::ZERO; positions.len()];
        offsets[last].x = offset;
        Mesh {
            positions: positions.iter().map(|x| Vec3::X * *x).collect(),
            influences: Influences::from_vertices((0..positions.len()).map(|v| [influence(v)])),
            morph_targets: vec![MorphTarget {
                positions: offsets,
                ..MorphTarget::default()
            }],
            ..Mesh::default()
        }
    }

    #[test]
    fn identical_vertices_are_skinned_once() {
        let arranged = Arranged::of(&mesh(&[1.0, 2.0, 1.0, 2.0], 0, 0.0));
        assert_eq!(arranged.vertices, [0, 1]);
        assert_eq!(arranged.kinds, [0, 1, 0, 1]);
    }

    #[test]
    fn weights_and_offsets_distinguish_vertices() {
        for (slot, offset) in [(1, 0.0), (0, 0.5), (0, -0.0)] {
            let arranged = Arranged::of(&mesh(&[1.0, 1.0, 2.0, 1.0], slot, offset));
            assert_eq!(arranged.vertices, [0, 2, 3]);
            assert_eq!(arranged.kinds, [0, 0, 1, 2]);
        }
    }

    #[test]
    fn zeros_of_either_sign_are_two() {
        assert_eq!(Arranged::of(&mesh(&[0.0, -0.0], 0, 0.0)).vertices, [0, 1]);
    }
}
