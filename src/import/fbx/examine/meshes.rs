//! Skins and their clusters.

use std::collections::BTreeSet;

use ufbx::{Mesh, SkinCluster, SkinDeformer};

use super::clusters;
use crate::import::defects::Defects;
use crate::import::fbx::meshes::name_of;
use crate::import::fbx::nodes::Nodes;
use crate::rig::{DefectKind, Location};
use crate::units::amount;

/// Examines each mesh once, however many nodes show it.
pub(super) fn examine(nodes: &Nodes<'_>, defects: &mut Defects) {
    let mut known = BTreeSet::new();
    for shown in &nodes.shown {
        if !known.insert(shown.mesh.element.typed_id) {
            continue;
        }
        let mut examination = Examination {
            mesh: shown.mesh,
            location: Location::mesh(name_of(shown)),
            defects,
        };
        for deformer in &shown.mesh.skin_deformers {
            examination.skin(deformer);
        }
    }
}

struct Examination<'a, 'b> {
    mesh: &'a Mesh,
    location: Location,
    defects: &'b mut Defects,
}

impl Examination<'_, '_> {
    fn skin(&mut self, deformer: &SkinDeformer) {
        let all: Vec<&SkinCluster> = clusters(deformer).collect();
        let all_in_order = all.iter().enumerate();
        for (index, cluster) in all_in_order.filter(|(_, cluster)| cluster.bone_node.is_none()) {
            let weights = cluster.num_weights;
            let name = match &*cluster.element.name {
                "" => index.to_string(),
                name => name.to_owned(),
            };
            let location = self.location.clone().part(format!("cluster {name}"));
            let message = format!("is not bound to a node, with {}", amount(weights, "weight"));
            self.defects
                .add(DefectKind::JointWithoutNode, location, message);
        }
        for cluster in &all {
            self.cluster(cluster);
        }
        if all.iter().all(|cluster| cluster.num_weights == 0) {
            let message = "has a skin, but no vertex has a weight";
            let location = self.location.clone();
            self.defects
                .add(DefectKind::SkinWithoutWeights, location, message);
        }
    }

    fn cluster(&mut self, cluster: &SkinCluster) {
        let joint = cluster.bone_node.as_ref();
        let joint = joint.map(|node| node.element.name.to_string());
        let location = Location {
            joint,
            ..self.location.clone()
        };
        clusters::examine(cluster, &location, self.defects);
        let points = self.mesh.num_vertices;
        let wrong = |&&vertex: &&u32| vertex as usize >= points;
        let mut wrong = cluster.vertices.iter().filter(wrong);
        let Some(first) = wrong.next() else { return };
        // The file stores a signed number.
        let first = first.cast_signed();
        let message = format!("the joint weights vertex {first}, but there are {points}");
        let kind = DefectKind::VertexIndexOutOfRange;
        self.defects
            .add_many(kind, location, 1 + wrong.count(), message);
    }
}

/// All clusters that the file connects, including those that ufbx's list omits.
fn clusters(deformer: &SkinDeformer) -> impl Iterator<Item = &SkinCluster> {
    let mut known = BTreeSet::new();
    let connections = deformer.element.connections_dst.iter();
    let clusters = connections.filter_map(|connection| ufbx::as_skin_cluster(&connection.src));
    clusters.filter(move |cluster| known.insert(cluster.element.element_id))
}
