//! Which vertices of skinned meshes have weights.

use crate::analysis::joints::{self, Skinned};
use crate::analysis::topology::{Topology, topology};
use crate::finding::Finding;
use crate::rig::{Influence, Location, NodeId, SkinId};
use crate::{Context, Findings, Offence};

/// A skinned mesh that has vertices without weights.
pub(super) struct Gaps<'a> {
    pub(super) skinned: Skinned<'a>,
    pub(super) topology: &'a Topology,
    /// For each vertex, whether it has a weight, even an invalid one.
    pub(super) weighted: Vec<bool>,
    /// For each island, whether none of its vertices has weights while others of the same model part have.
    pub(super) left_out: Vec<bool>,
}

/// Every mesh with such vertices, among vertices that triangles use.
///
/// Importers split a node's mesh by material; weights in one part count for all parts.
pub(super) fn gaps<'a>(cx: &'a Context<'_>) -> Vec<Gaps<'a>> {
    let all = joints::skinned(cx.asset);
    let weighted = all
        .iter()
        .filter(|skinned| skinned.mesh.influences.iter().any(has_weight));
    let mut parts: Vec<(NodeId, SkinId)> = weighted.map(part).collect();
    parts.sort_unstable();
    let gaps = all.into_iter().filter_map(|skinned| {
        let weighted: Vec<bool> = skinned.mesh.influences.iter().map(has_weight).collect();
        if weighted.iter().all(|&weighted| weighted) {
            return None;
        }
        let topology = topology(cx, skinned.instance.mesh);
        let mut left_out =
            vec![parts.binary_search(&part(&skinned)).is_ok(); topology.island_count()];
        for (&island, &weighted) in topology.islands.iter().zip(&weighted) {
            left_out[island as usize] &= !weighted;
        }
        Some(Gaps {
            skinned,
            topology,
            weighted,
            left_out,
        })
    });
    gaps.collect()
}

/// Whether `cause` is about the mesh of `own`, or about its skin.
pub(super) fn is_of_skin(cx: &Context<'_>, cause: &Finding, own: &Finding) -> bool {
    let ids = cause.location.ids;
    own.location.ids.instance.is_some_and(|instance| {
        let skin = cx.asset[instance].skin;
        ids.instance == Some(instance) || skin.is_some() && ids.skin == skin
    })
}

impl Gaps<'_> {
    /// Unweighted vertices that triangles use, and whether their whole island is unweighted.
    pub(super) fn vertices(&self) -> impl Iterator<Item = (usize, bool)> {
        let vertices = 0..self.weighted.len();
        let bare = vertices.filter(|&vertex| self.topology.used[vertex] && !self.weighted[vertex]);
        bare.map(|vertex| {
            let island = self.topology.islands[vertex] as usize;
            (vertex, self.left_out[island])
        })
    }
}

fn part(skinned: &Skinned<'_>) -> (NodeId, SkinId) {
    (skinned.instance.node, skinned.skin_id)
}

fn has_weight(influences: &[Influence]) -> bool {
    influences.iter().any(|influence| influence.weight != 0.0)
}

/// Reports each weight of each mesh that `offence` finds fault with, at its vertex.
///
/// * `offence` – what is wrong with a weight of the mesh at a place, if anything.
/// * `message` – of a weight.
pub(super) fn report_single(
    cx: &Context<'_>,
    out: &mut Findings,
    offence: impl for<'g> Fn(&'g Location, f32) -> Option<Offence<'g>>,
    message: impl Fn(f32) -> String,
) {
    for instance in joints::shown(cx.asset) {
        let mesh = cx.asset.mesh_of(instance);
        let group = cx.mesh(instance);
        for (vertex, influences) in mesh.influences.iter().enumerate() {
            for weight in influences.iter().map(|influence| influence.weight) {
                if let Some(offence) = offence(&group, weight) {
                    out.add(offence.vertex(vertex), |subject| {
                        (cx.at_vertex(subject, instance, vertex), message(weight))
                    });
                }
            }
        }
    }
}
