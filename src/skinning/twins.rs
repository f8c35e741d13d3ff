//! Vertices that skinning cannot tell apart: those that a mesh has twice because normals or texture coordinates differ.

use std::collections::HashMap;

use crate::rig::{Influence, Mesh};

/// The vertices of a mesh whose places, weights and morph targets differ, wherever it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Twins {
    /// The first of each kind, in order.
    pub(super) firsts: Vec<usize>,
    /// For each vertex the place of its kind in `firsts`.
    pub(super) kinds: Vec<usize>,
}

/// Where fewer than one in so many vertices has a twin, telling them apart is not worth it.
const WORTH: usize = 8;

impl Twins {
    /// Of `mesh`; `None` if there are few.
    pub(super) fn of(mesh: &Mesh) -> Option<Self> {
        let count = mesh.positions.len();
        let mut at_place: HashMap<[u32; 3], usize> = HashMap::with_capacity(count);
        let (mut firsts, mut kinds) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (vertex, place) in mesh.positions.iter().enumerate() {
            let kind = at_place.entry(place.to_array().map(f32::to_bits));
            let kind = *kind.or_insert(firsts.len());
            match firsts.get(kind) {
                Some(first) if alike(mesh, *first, vertex) => kinds.push(kind),
                _ => {
                    kinds.push(firsts.len());
                    firsts.push(vertex);
                }
            }
        }
        let twins = count - firsts.len();
        (twins * WORTH > count).then_some(Self { firsts, kinds })
    }
}

/// Whether all that moves two vertices is the same to the bit.
fn alike(mesh: &Mesh, a: usize, b: usize) -> bool {
    let weighted = |vertex: usize| mesh.influences.of(vertex).iter().map(bits);
    let mut targets = mesh.morph_targets.iter();
    weighted(a).eq(weighted(b))
        && targets.all(|target| {
            let offset = |vertex: usize| {
                let offset = target.positions.get(vertex);
                offset.map(|offset| offset.to_array().map(f32::to_bits))
            };
            offset(a) == offset(b)
        })
}

fn bits(influence: &Influence) -> (u32, u32) {
    (influence.slot, influence.weight.to_bits())
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{Influences, MorphTarget};

    /// Vertices at `places` of which the last one has a slot and an offset of its own.
    fn mesh(places: &[f32], slot: u32, offset: f32) -> Mesh {
        let last = places.len() - 1;
        let influence = |vertex: usize| Influence {
            slot: if vertex == last { slot } else { 0 },
            weight: 1.0,
        };
        let mut offsets = vec![Vec3::ZERO; places.len()];
        offsets[last].x = offset;
        Mesh {
            positions: places.iter().map(|x| Vec3::X * *x).collect(),
            influences: Influences::from_vertices((0..places.len()).map(|v| [influence(v)])),
            morph_targets: vec![MorphTarget {
                positions: offsets,
                ..MorphTarget::default()
            }],
            ..Mesh::default()
        }
    }

    #[test]
    fn what_differs_in_nothing_is_one() {
        let twins = Twins::of(&mesh(&[1.0, 2.0, 1.0, 2.0], 0, 0.0)).expect("half are");
        assert_eq!((twins.firsts, twins.kinds), (vec![0, 1], vec![0, 1, 0, 1]));
    }

    #[test]
    fn weights_and_offsets_tell_vertices_apart() {
        for (slot, offset) in [(1, 0.0), (0, 0.5), (0, -0.0)] {
            let twins = Twins::of(&mesh(&[1.0, 1.0, 2.0, 1.0], slot, offset)).expect("two are");
            assert_eq!(
                (twins.firsts, twins.kinds),
                (vec![0, 2, 3], vec![0, 0, 1, 2])
            );
        }
    }

    #[test]
    fn zeros_of_either_sign_are_two() {
        assert_eq!(Twins::of(&mesh(&[0.0, -0.0], 0, 0.0)), None);
    }

    #[test]
    fn few_are_not_worth_it() {
        let apart: Vec<f32> = (0..16).map(|vertex| vertex as f32).collect();
        let twice = [apart.as_slice(), &[3.0]].concat();
        assert_eq!(Twins::of(&mesh(&twice, 0, 0.0)), None);
    }
}
