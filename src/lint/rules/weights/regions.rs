//! The connected regions of a mesh that follow a joint.

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
            influences[starts[vertex]..].sort_by_key(|(_, influence)| influence.joint);
        }
        starts.push(influences.len());
        let mut regions = Self {
            pieces: (0..influences.len()).collect(),
            influences,
        };
        let seams = topology.seams();
        let edges = topology
            .edges
            .iter()
            .map(|edge| edge.map(|vertex| vertex as usize));
        for [a, b] in edges.chain(seams) {
            regions.join([starts[a]..starts[a + 1], starts[b]..starts[b + 1]]);
        }
        // Union-find: each influence points to an earlier one of its region. In ascending order, that one already
        // points to the first.
        for influence in 0..regions.pieces.len() {
            regions.pieces[influence] = regions.pieces[regions.pieces[influence]];
        }
        regions
    }

    /// Joins the influences of the same joints at two vertices; both lists are sorted by slot.
    fn join(&mut self, [mut from, mut to]: [std::ops::Range<usize>; 2]) {
        while !from.is_empty() && !to.is_empty() {
            let (a, b) = (from.start, to.start);
            let [slot_a, slot_b] = [a, b].map(|influence| self.influences[influence].1.joint);
            if slot_a == slot_b {
                let [a, b] = [self.root(a), self.root(b)];
                self.pieces[a.max(b)] = a.min(b);
            }
            from.start += usize::from(slot_a <= slot_b);
            to.start += usize::from(slot_b <= slot_a);
        }
    }

    /// The first of the piece so far, with path halving.
    fn root(&mut self, mut influence: usize) -> usize {
        while self.pieces[influence] != influence {
            self.pieces[influence] = self.pieces[self.pieces[influence]];
            influence = self.pieces[influence];
        }
        influence
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{JointId, Mesh};

    #[test]
    fn a_joint_that_moves_two_ends_has_two_regions() {
        let mesh = Mesh {
            positions: (0..5_u8).map(|x| Vec3::new(x.into(), 0.0, 0.0)).collect(),
            triangles: vec![[0, 1, 1], [1, 2, 2], [2, 3, 3], [3, 4, 4]],
            ..Mesh::default()
        };
        let influence = |slot| Influence::new(JointId(slot), 0.5);
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
            .map(|(v, influence)| (*v, influence.joint.0))
            .collect();
        assert_eq!(
            slots,
            [(0, 7), (1, 1), (1, 7), (2, 1), (3, 1), (3, 7), (4, 7)]
        );
        assert_eq!(regions.pieces, [0, 1, 0, 1, 1, 5, 5]);
    }
}
