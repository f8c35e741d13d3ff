//! `--show joints`: the colours of the joints, mixed by their weights.

use super::legend::Legend;
use super::mode::{Mode, Show};
use super::vertices::{ColorSource, without_skin};
use crate::look::colors::joint_color;
use crate::rig::{Asset, InstanceId, NodeId};
use crate::shown::escaped;

pub(super) static MODE: Mode = Mode {
    missing: |asset, _| without_skin(asset, "each mesh has the colour of its own node"),
    legend: |asset, show| Some(legend(asset, show)),
    ..Mode::new(
        "joints",
        ColorSource::VertexColors(|vertices, vertex| {
            let shares = vertices.shares(vertex);
            shares
                .map(|(joint, share)| joint_color(joint) * share)
                .sum()
        }),
    )
};

impl Show {
    /// The colours of the joints, mixed by their weights.
    pub const JOINTS: Self = Self::plain(&MODE);
}

/// The joints that move vertices: the one that moves most of them first.
fn legend(asset: &Asset, show: &Show) -> Legend {
    let mut moved = vec![0.0_f64; asset.skeleton.len()];
    for (index, instance) in asset.instances.iter().enumerate() {
        let vertices = show.vertices(asset, InstanceId::from_index(index), None);
        for vertex in 0..asset.mesh_of(instance).positions.len() {
            for (joint, share) in vertices.shares(vertex) {
                moved[joint.index()] += f64::from(share);
            }
        }
    }
    let mut joints: Vec<NodeId> = asset.skeleton.iter().map(|(joint, _)| joint).collect();
    joints.retain(|joint| moved[joint.index()] > 0.0);
    joints.sort_by(|a, b| moved[b.index()].total_cmp(&moved[a.index()]));
    let name = |joint: NodeId| match asset.skeleton.get(joint) {
        Some(node) if !node.name.is_empty() => escaped(&node.name),
        _ => format!("#{}", joint.index()),
    };
    let legend = Legend::new("joints, mixed by weight");
    joints.into_iter().fold(legend, |legend, joint| {
        legend.swatch(joint_color(joint), name(joint))
    })
}
