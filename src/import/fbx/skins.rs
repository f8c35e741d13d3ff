//! Skin deformers: joints, inverse bind matrices and weights, exactly as in the file.

use std::collections::BTreeMap;

use glam::Mat4;
use ufbx::{Mesh, SkinCluster, SkinDeformer, SkinningMethod};

use super::examine::clusters::{LinkMode, link_mode};
use super::math::dmat4;
use super::nodes::Nodes;
use super::origins::of_object;
use crate::import::notes::Notes;
use crate::import::rounding::f32_of;
use crate::import::source::{Skin, SkinJoint};
use crate::import::weights::per_vertex;
use crate::rig::{Blending, Influence, Influences, NodeId, SkinId, WeightStorage};

/// The skins of a scene, without duplicates.
#[derive(Default)]
pub(super) struct Skins {
    pub(super) list: Vec<Skin>,
    /// The objects of the file that they come from.
    pub(super) origins: Vec<String>,
    /// By joints and the bits of the matrices, so that NaN is equal to itself.
    known: BTreeMap<(Vec<NodeId>, Vec<u32>), SkinId>,
}

/// The skin of one mesh.
pub(super) struct Binding {
    pub(super) skin: SkinId,
    /// One list per control point, in the order of the clusters.
    pub(super) influences: Influences,
    pub(super) storage: WeightStorage,
    /// Its shares are one per control point.
    pub(super) blending: Blending,
}

impl Skins {
    /// Reads the skin of `mesh`; `None` if it has none, or one without a joint. Several skins are read as one that has the
    /// clusters of all.
    ///
    /// # Reference
    ///
    /// *FBX SDK*, sample `ViewScene`, `DrawMesh.cxx`: the weights of all clusters of all skins are summed up.
    pub(super) fn bind(
        &mut self,
        mesh: &Mesh,
        nodes: &Nodes<'_>,
        location: &str,
        notes: &mut Notes,
    ) -> Option<Binding> {
        let deformer = mesh.skin_deformers.iter().next()?;
        note_several(mesh, location, notes);
        let clusters = bound(mesh, nodes, location, notes);
        if clusters.is_empty() {
            notes.add(location, "its skin has no joint; the mesh follows its node");
            return None;
        }
        let weights = clusters.iter().map(|(cluster, _)| {
            let weights = cluster.weights.iter().map(|&weight| f32_of(weight));
            cluster.vertices.iter().copied().zip(weights)
        });
        let influences = per_vertex(mesh.num_vertices, weights, location, notes);
        let mode = link_mode(deformer);
        note_mode(mode, &influences, location, notes);
        Some(Binding {
            skin: self.add(deformer, &clusters),
            influences,
            blending: blending(deformer, mesh.num_vertices),
            storage: match mode {
                LinkMode::Normalize | LinkMode::Additive => WeightStorage::Relative,
                LinkMode::TotalOne => WeightStorage::Unstated,
            },
        })
    }

    fn add(&mut self, deformer: &SkinDeformer, clusters: &[Bound<'_>]) -> SkinId {
        let matrices = clusters.iter();
        let matrices = matrices.map(|(cluster, _)| dmat4(&cluster.geometry_to_bone).as_mat4());
        let matrices: Vec<Mat4> = matrices.collect();
        let bits = matrices.iter().flat_map(Mat4::to_cols_array);
        let key = (
            clusters.iter().map(|(_, joint)| *joint).collect(),
            bits.map(f32::to_bits).collect(),
        );
        let (list, origins) = (&mut self.list, &mut self.origins);
        *self.known.entry(key).or_insert_with(|| {
            list.push(Skin {
                name: deformer.element.name.to_string(),
                joints: clusters.iter().map(joint).collect(),
                inverse_binds: Some(matrices),
                part: None,
            });
            origins.push(of_object("Deformer", &deformer.element));
            SkinId::from_index(list.len() - 1)
        })
    }
}

fn joint((cluster, joint): &Bound<'_>) -> SkinJoint {
    SkinJoint {
        name: cluster.element.name.to_string(),
        node: Some(joint.index()),
    }
}

fn note_several(mesh: &Mesh, location: &str, notes: &mut Notes) {
    if mesh.skin_deformers.count > 1 {
        let count = mesh.skin_deformers.count;
        notes.add(
            location,
            format!("has {count} skins, which are read as one"),
        );
    }
}

/// How the vertices are blended. Vertices without a share in the file are blended linearly.
fn blending(deformer: &SkinDeformer, vertices: usize) -> Blending {
    match deformer.skinning_method {
        SkinningMethod::Linear | SkinningMethod::Rigid => Blending::Linear,
        SkinningMethod::DualQuaternion => Blending::DualQuaternion,
        SkinningMethod::BlendedDqLinear => {
            let mut shares = vec![0.0; vertices];
            for (&vertex, &share) in deformer.dq_vertices.iter().zip(deformer.dq_weights.iter()) {
                if let Some(known) = shares.get_mut(vertex as usize) {
                    *known = f32_of(share).clamp(0.0, 1.0);
                }
            }
            Blending::Mixed(shares)
        }
    }
}

/// How far the sum of weights may be from 1 for normalization to make no difference.
const ROUNDING: f32 = 1e-4;

/// Notes a `mode` that gives other positions than normalized weights do.
fn note_mode(mode: LinkMode, influences: &Influences, location: &str, notes: &mut Notes) {
    let is_whole = |list: &[Influence]| {
        let sum: f32 = list.iter().map(|influence| influence.weight).sum();
        list.is_empty() || (sum - 1.0).abs() <= ROUNDING
    };
    let asks = match mode {
        LinkMode::Normalize => return,
        LinkMode::TotalOne if influences.iter().all(is_whole) => return,
        LinkMode::TotalOne => "Total1 (weight missing from a sum of 1 keeps the vertex in place)",
        LinkMode::Additive => "Additive (the joints act in sequence)",
    };
    let message = format!("its clusters have the link mode {asks}; it is read as Normalize");
    notes.add(location, message);
}

/// A cluster, and the joint that it is attached to.
type Bound<'a> = (&'a SkinCluster, NodeId);

/// The clusters, one per slot. ufbx has omitted those without a node.
fn bound<'a>(
    mesh: &'a Mesh,
    nodes: &Nodes<'_>,
    location: &str,
    notes: &mut Notes,
) -> Vec<Bound<'a>> {
    let mut clusters = Vec::new();
    let skins = mesh.skin_deformers.iter();
    for cluster in skins.flat_map(|skin| &skin.clusters) {
        let node = cluster.bone_node.as_deref();
        match node.and_then(|node| nodes.joint_of(node)) {
            Some(joint) => clusters.push((cluster, joint)),
            // The root, which no file contains, is the world's origin; no joint can stand in for it.
            None => notes.add(
                location,
                "skipped weights on the scene root, which is not a node",
            ),
        }
    }
    clusters
}
