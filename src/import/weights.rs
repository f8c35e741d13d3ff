//! Weights of formats that list the vertices of each joint.

use super::notes::Notes;
use crate::rig::{Influence, Influences, JointId};
use crate::units::amount;

/// Inverts lists of vertices per joint into lists of joints per vertex, in the order of the joints.
///
/// * `of_joints` – for each joint, its vertices and weights.
/// * `location` – the mesh, for a note on weights of vertices that do not exist.
pub(super) fn per_vertex<W: IntoIterator<Item = (u32, f32)>>(
    vertices: usize,
    of_joints: impl IntoIterator<Item = W>,
    location: &str,
    notes: &mut Notes,
) -> Influences {
    let mut lists: Vec<Vec<Influence>> = vec![Vec::new(); vertices];
    let mut lost = 0_usize;
    for (slot, weights) in (0_u32..).zip(of_joints) {
        let joint = JointId(slot);
        for (vertex, weight) in weights {
            match lists.get_mut(vertex as usize) {
                Some(list) => list.push(Influence { joint, weight }),
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
