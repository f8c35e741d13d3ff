//! `--show weights:JOINT`: one joint's share of the weight of each vertex.

use super::mode::{Mode, Show};
use super::vertices::ColorSource;
use crate::rig::{Asset, Mesh, MeshInstance, NodeId};
use crate::shown::escaped;

pub(super) static MODE: Mode = Mode {
    needs_joint: true,
    missing: |asset, show| without_weight(asset, show.joint()?),
    ..Mode::new(
        "weights",
        ColorSource::VertexValues(|vertices, vertex| {
            let shares = vertices.shares(vertex);
            let own = shares.filter(|(joint, _)| Some(*joint) == vertices.joint());
            own.map(|(_, share)| share).sum()
        }),
    )
};

impl Show {
    /// The share of `joint`, blue to red; black where it has none.
    #[must_use]
    pub const fn weights(joint: NodeId) -> Self {
        Self::new(&MODE, joint)
    }
}

fn without_weight(asset: &Asset, joint: NodeId) -> Option<String> {
    let name = escaped(&asset.skeleton.get(joint)?.name);
    let weighted = asset
        .instances
        .iter()
        .any(|instance| has_weight(asset, instance, joint));
    let but = if asset.bound_joints()[joint.index()] {
        "although a skin binds it"
    } else {
        "no skin binds it; `skincheck inspect MODEL --joints` marks the joints of skins"
    };
    (!weighted).then(|| format!("no vertex has weight on \"{name}\" ({but})"))
}

/// Whether a vertex of `instance` follows `joint`, by weight or because the mesh hangs on that node.
fn has_weight(asset: &Asset, instance: &MeshInstance, joint: NodeId) -> bool {
    let mesh = asset.mesh_of(instance);
    let slots = asset.skin_of(instance).map(|skin| skin.joints.as_slice());
    let slots = slots.unwrap_or_default();
    let by_skin = mesh.influences.all().iter().any(|influence| {
        influence.weight != 0.0 && slots.get(influence.joint.index()) == Some(&joint)
    });
    by_skin || (instance.node == joint && (slots.is_empty() || has_free_vertex(mesh)))
}

/// Whether a vertex of `mesh` has no weight and therefore follows its node.
fn has_free_vertex(mesh: &Mesh) -> bool {
    let mut vertices = mesh.influences.iter();
    mesh.influences.is_empty()
        || vertices.any(|influences| influences.iter().all(|influence| influence.weight == 0.0))
}
