//! Vertices: identical ones are welded, weights are listed per vertex, and positions are rounded.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use super::log::Notes;
use crate::rig::{Influence, Influences, Mesh, SkinSlot, SkinningMethod};
use crate::units::amount;

/// Welds the equal vertices of `mesh`. The first of each class stays, so the order is kept.
pub(super) fn weld(mesh: &mut Mesh) {
    let (kept, new_index) = classes(mesh);
    if kept.len() == mesh.positions.len() {
        return;
    }
    for corner in mesh.triangles.iter_mut().flatten() {
        *corner = new_index[*corner as usize];
    }
    let influences: Vec<_> = kept.iter().map(|&old| mesh.influences.of(old)).collect();
    if !mesh.influences.is_empty() {
        mesh.influences = Influences::from_vertices(influences.into_iter().map(<[_]>::to_vec));
    }
    gather(&mut mesh.positions, &kept);
    gather(&mut mesh.normals, &kept);
    gather(&mut mesh.tangents, &kept);
    gather(&mut mesh.bitangents, &kept);
    mesh.uv_sets.iter_mut().for_each(|set| gather(set, &kept));
    mesh.color_sets
        .iter_mut()
        .for_each(|set| gather(set, &kept));
    mesh.blending = mesh.blending.picked(&kept);
    for target in &mut mesh.morph_targets {
        gather(&mut target.positions, &kept);
        gather(&mut target.normals, &kept);
        gather(&mut target.tangents, &kept);
    }
}

/// The first vertex of each class of equal ones, and for every vertex the index of its class.
fn classes(mesh: &Mesh) -> (Vec<usize>, Vec<u32>) {
    let mut seen: HashMap<Vertex<'_>, u32> = HashMap::with_capacity(mesh.positions.len());
    let mut kept = Vec::new();
    let mut new_index = Vec::with_capacity(mesh.positions.len());
    for index in 0..mesh.positions.len() {
        let next = u32::try_from(kept.len()).expect("assimp counts vertices in 32 bits");
        let class = *seen.entry(Vertex { mesh, index }).or_insert_with(|| {
            kept.push(index);
            next
        });
        new_index.push(class);
    }
    (kept, new_index)
}

fn gather<T: Copy>(list: &mut Vec<T>, kept: &[usize]) {
    if !list.is_empty() {
        *list = kept.iter().map(|&old| list[old]).collect();
    }
}

struct Vertex<'a> {
    mesh: &'a Mesh,
    index: usize,
}

impl Vertex<'_> {
    /// All data of the vertex, as bits: NaN equals itself, and 0 differs from -0.
    fn bits(&self) -> impl Iterator<Item = u32> {
        let (mesh, index) = (self.mesh, self.index);
        let targets = mesh.morph_targets.iter();
        let morphs = targets.flat_map(|t| [&t.positions, &t.normals, &t.tangents]);
        let own = [
            &mesh.positions,
            &mesh.normals,
            &mesh.tangents,
            &mesh.bitangents,
        ];
        let vectors = own
            .into_iter()
            .chain(morphs)
            .filter_map(move |list| list.get(index).map(glam::Vec3::to_array));
        let uvs = mesh.uv_sets.iter().filter_map(move |set| set.get(index));
        let colors = mesh.color_sets.iter().filter_map(move |set| set.get(index));
        let influences = mesh.influences.of(index).iter();
        let share = mesh.dual_quaternion_share(index, SkinningMethod::AsInFile);
        vectors
            .flatten()
            .chain(uvs.flat_map(glam::Vec2::to_array))
            .chain(colors.flat_map(glam::Vec4::to_array))
            .map(f32::to_bits)
            .chain(influences.flat_map(|i| [i.slot.0, i.weight.to_bits()]))
            .chain([share.to_bits()])
    }
}

impl PartialEq for Vertex<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.bits().eq(other.bits())
    }
}

impl Eq for Vertex<'_> {}

impl Hash for Vertex<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits().for_each(|word| state.write_u32(word));
    }
}

/// Inverts lists of vertices per joint into lists of joints per vertex, in the order of the joints.
///
/// * `of_joints` – for each joint, its vertices and weights.
/// * `location` – the mesh, for a note on weights of vertices that do not exist.
pub(super) fn weights_per_vertex<W: IntoIterator<Item = (u32, f32)>>(
    vertices: usize,
    of_joints: impl IntoIterator<Item = W>,
    location: &str,
    notes: &mut Notes,
) -> Influences {
    let mut lists: Vec<Vec<Influence>> = vec![Vec::new(); vertices];
    let mut lost = 0_usize;
    for (slot, weights) in (0_u32..).zip(of_joints) {
        let joint = SkinSlot(slot);
        for (vertex, weight) in weights {
            match lists.get_mut(vertex as usize) {
                Some(list) => list.push(Influence {
                    slot: joint,
                    weight,
                }),
                None => lost += 1,
            }
        }
    }
    if lost > 0 {
        let lost = amount(lost, "weight");
        let message = format!("skipped {lost} of vertices that do not exist");
        notes.add(location, message);
    }
    Influences::from_vertices(lists)
}

/// `number` as the nearest f32; infinite if it is too large.
#[expect(clippy::cast_possible_truncation, reason = "geometry is f32")]
pub(super) fn f32_of(number: f64) -> f32 {
    number as f32
}

#[cfg(test)]
mod tests {
    use glam::{Vec2, Vec3};

    use super::*;
    use crate::rig::MorphTarget;

    /// A quad as two loose triangles: corners 1 and 3, and 2 and 4, are at the same positions.
    fn quad() -> Mesh {
        let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE];
        let influence = |slot| {
            vec![Influence {
                slot: SkinSlot(slot),
                weight: 1.0,
            }]
        };
        Mesh {
            positions: vec![a, b, c, b, c, d],
            normals: vec![Vec3::Z; 6],
            triangles: vec![[0, 1, 2], [3, 5, 4]],
            influences: Influences::from_vertices([0, 1, 2, 1, 2, 3].map(influence)),
            ..Mesh::default()
        }
    }

    /// What a viewer sees: the attributes at each corner.
    fn corners(mesh: &Mesh) -> Vec<Vec<u32>> {
        let corners = mesh.triangles.iter().flatten();
        corners
            .map(|&index| {
                let index = index as usize;
                Vertex { mesh, index }.bits().collect()
            })
            .collect()
    }

    #[test]
    fn equal_vertices_become_one_and_every_corner_stays_what_it_was() {
        let before = quad();
        let mut after = before.clone();
        weld(&mut after);
        assert_eq!(after.positions.len(), 4);
        assert_eq!(after.triangles, [[0, 1, 2], [1, 3, 2]]);
        assert_eq!(corners(&after), corners(&before));
    }

    #[test]
    fn a_difference_in_any_attribute_keeps_vertices_apart() {
        let changes: [fn(&mut Mesh); 5] = [
            |mesh| mesh.normals[3] = Vec3::X,
            |mesh| mesh.uv_sets = vec![(0_u8..6).map(|i| Vec2::splat(f32::from(i))).collect()],
            |mesh| mesh.positions[3].x = f32::from_bits(mesh.positions[3].x.to_bits() + 1),
            |mesh| {
                let offsets = (0_u8..6).map(|i| Vec3::splat(f32::from(i))).collect();
                mesh.morph_targets = vec![MorphTarget {
                    positions: offsets,
                    ..MorphTarget::default()
                }];
            },
            |mesh| {
                let mut lists: Vec<_> = mesh.influences.iter().map(<[_]>::to_vec).collect();
                lists[3][0].weight = 0.5;
                mesh.influences = Influences::from_vertices(lists);
            },
        ];
        for change in changes {
            let mut mesh = quad();
            change(&mut mesh);
            let before = corners(&mesh);
            weld(&mut mesh);
            assert!(mesh.positions.len() > 4);
            assert_eq!(corners(&mesh), before);
        }
    }

    #[test]
    fn vertices_that_are_not_a_number_are_joined_too() {
        let mut mesh = Mesh {
            positions: vec![Vec3::NAN; 3],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        };
        weld(&mut mesh);
        assert_eq!(mesh.positions.len(), 1);
    }
}
