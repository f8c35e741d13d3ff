//! `--show weights:JOINTS`: the share that joints have of the weight of each vertex.

use super::asked::Asked;
use super::legend::Legend;
use super::mode::{Mode, Show, Takes};
use super::vertices::ColorSource;
use crate::look::colors::{UNWEIGHTED, heat};
use crate::rig::{Asset, Mesh, MeshInstance, NodeId};
use crate::shown::escaped;

pub(super) static MODE: Mode = Mode {
    takes: Takes::Joints,
    missing: |asset, show| without_weight(asset, show.joints()),
    legend: |asset, show| Some(legend(asset, show.joints())),
    ..Mode::new(
        "weights",
        ColorSource::VertexValues(|vertices, vertex| {
            let shares = vertices.shares(vertex);
            let own = shares.filter(|(joint, _)| vertices.asks_about(*joint));
            own.map(|(_, share)| share).sum()
        }),
    )
};

impl Show {
    /// The share of `joints` together, blue to red; grey if it is 0.
    #[must_use]
    pub fn weights(joints: impl IntoIterator<Item = NodeId>) -> Self {
        let mut joints: Vec<NodeId> = joints.into_iter().collect();
        joints.sort_unstable();
        joints.dedup();
        Self::asking(&MODE, Asked::Joints(joints.into()))
    }
}

/// Most names in a title; of more joints, only the number is stated.
const NAMED: usize = 3;

fn legend(asset: &Asset, joints: &[NodeId]) -> Legend {
    let title = match joints {
        [_, ..] if joints.len() <= NAMED => format!("weight of {}", names(asset, joints)),
        _ => format!("weight of {} joints together", joints.len()),
    };
    let legend = Legend::new(title).with_ramp(|share| heat(share.max(f32::MIN_POSITIVE)));
    let quarters = [0.0, 0.25, 0.5, 0.75, 1.0];
    let legend = quarters.into_iter().fold(legend, |legend, share: f32| {
        legend.tick(share, format!("{} %", 100.0 * share))
    });
    legend.swatch(UNWEIGHTED, "no weight")
}

fn names(asset: &Asset, joints: &[NodeId]) -> String {
    let name = |joint: &NodeId| match asset.skeleton.get(*joint) {
        Some(node) if !node.name.is_empty() => escaped(&node.name),
        _ => format!("#{}", joint.index()),
    };
    joints.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn without_weight(asset: &Asset, joints: &[NodeId]) -> Option<String> {
    let weighted = |joint: &NodeId| {
        let mut instances = asset.instances.iter();
        instances.any(|instance| has_weight(asset, instance, *joint))
    };
    if joints.iter().any(weighted) {
        return None;
    }
    let bound = asset.bound_joints();
    let [joint] = joints else {
        return Some(format!(
            "no vertex has weight on any of the {} joints",
            joints.len()
        ));
    };
    let but = if bound[joint.index()] {
        "although a skin binds it"
    } else {
        "no skin binds it; `skincheck inspect MODEL --joints` marks the joints of skins"
    };
    let name = escaped(&asset.skeleton.get(*joint)?.name);
    Some(format!("no vertex has weight on \"{name}\" ({but})"))
}

/// Whether a vertex of `instance` follows `joint`, by weight or because the mesh is attached to that node.
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
