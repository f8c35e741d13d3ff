//! The vertices that are shown.

use std::collections::BTreeMap;

use super::matching::{Key, Matching};
use crate::rig::Mesh;

/// A corner of a triangle of some instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Vertex {
    pub(super) instance: usize,
    pub(super) vertex: usize,
}

/// All vertices that one importer's triangles use, by the joint that shows them, and their counterparts.
pub(super) struct Shown {
    pub(super) list: Vec<Vertex>,
    /// One per vertex: the index of the other importer's equal vertex.
    pub(super) counterparts: Vec<Option<usize>>,
    /// For each joint that shows a mesh, the indices of its vertices.
    pub(super) groups: BTreeMap<Key, Vec<usize>>,
}

impl Shown {
    pub(super) fn new(matching: &Matching<'_>, side: usize) -> Self {
        let asset = matching.trees[side].asset;
        let (mut list, mut groups) = (Vec::new(), BTreeMap::<Key, Vec<usize>>::new());
        for (index, instance) in asset.instances.iter().enumerate() {
            let group = groups.entry(matching.key(side, instance.node));
            let group = group.or_default();
            for vertex in used_vertices(asset.mesh_of(instance)) {
                group.push(list.len());
                list.push(Vertex {
                    instance: index,
                    vertex,
                });
            }
        }
        Self {
            counterparts: vec![None; list.len()],
            list,
            groups,
        }
    }
}

fn used_vertices(mesh: &Mesh) -> impl Iterator<Item = usize> {
    let mut used = vec![false; mesh.positions.len()];
    for &corner in mesh.triangles.iter().flatten() {
        used[corner as usize] = true;
    }
    (0..used.len()).filter(move |&vertex| used[vertex])
}
