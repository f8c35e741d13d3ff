//! The connected regions of a mesh that follow a joint.

use std::ops::Range;

use crate::groups::Groups;
use crate::lint::analysis::topology::Topology;
use crate::rig::{Influence, Influences};

/// The influences of all vertices in one list, joined into pieces: influences of one joint at vertices that share an
/// edge or a position.
#[derive(Debug)]
pub(super) struct Regions {
    /// Each vertex and influence, in the order of vertices.
    pub(super) influences: Vec<(usize, Influence)>,
    /// For each influence, the first one of its region.
    pub(super) pieces: Vec<usize>,
}

impl Regions {
    /// Computes it for all influences of at least `least`.
    pub(super) fn of(lists: &Influences, topology: &Topology, least: f32) -> Self {
        let mut influences = Vec::new();
        let mut starts = Vec::with_capacity(lists.vertex_count() + 1);
        for (vertex, list) in lists.iter().enumerate() {
            starts.push(influences.len());
            let strong = list.iter().filter(|influence| influence.weight >= least);
            influences.extend(strong.map(|influence| (vertex, *influence)));
            influences[starts[vertex]..].sort_by_key(|(_, influence)| influence.slot);
        }
        starts.push(influences.len());
        let mut groups = Groups::new(influences.len());
        let seams = topology.seams();
        let edges = topology
            .edges
            .iter()
            .map(|edge| edge.map(|vertex| vertex as usize));
        for [a, b] in edges.chain(seams) {
            let both = [starts[a]..starts[a + 1], starts[b]..starts[b + 1]];
            join(&mut groups, &influences, both);
        }
        let pieces = 0..influences.len();
        Self {
            pieces: pieces.map(|own| groups.of(own) as usize).collect(),
            influences,
        }
    }
}

/// Joins the influences of the same joints at two vertices; both ranges are sorted by joint.
fn join(
    groups: &mut Groups,
    influences: &[(usize, Influence)],
    [mut from, mut to]: [Range<usize>; 2],
) {
    while !from.is_empty() && !to.is_empty() {
        let (a, b) = (from.start, to.start);
        let [joint_a, joint_b] = [a, b].map(|influence| influences[influence].1.slot);
        if joint_a == joint_b {
            groups.join(a, b);
        }
        from.start += usize::from(joint_a <= joint_b);
        to.start += usize::from(joint_b <= joint_a);
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{Mesh, SkinSlot};

    #[test]
    fn a_joint_that_moves_two_ends_has_two_regions() {
        let mesh = Mesh {
            positions: (0..5_u8).map(|x| Vec3::new(x.into(), 0.0, 0.0)).collect(),
            triangles: vec![[0, 1, 1], [1, 2, 2], [2, 3, 3], [3, 4, 4]],
            ..Mesh::default()
        };
        let influence = |slot| Influence::new(SkinSlot(slot), 0.5);
        let lists = [
            vec![influence(7)],
            vec![influence(7), influence(1)],
            vec![influence(1)],
            vec![influence(1), influence(7)],
            vec![influence(7)],
        ];
        let influences = Influences::from_vertices(lists);
        let regions = Regions::of(&influences, &Topology::of(&mesh), 0.1);
        let slots: Vec<(usize, u32)> = regions
            .influences
            .iter()
            .map(|(v, influence)| (*v, influence.slot.0))
            .collect();
        assert_eq!(
            slots,
            [(0, 7), (1, 1), (1, 7), (2, 1), (3, 1), (3, 7), (4, 7)]
        );
        assert_eq!(regions.pieces, [0, 1, 0, 1, 1, 5, 5]);
    }
}
