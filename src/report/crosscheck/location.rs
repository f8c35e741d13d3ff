//! Describes the location of the worst vertex.

use crate::compare::{Culprit, WorstVertex};
use crate::rig::{Asset, InstanceId};
use crate::shown::escaped;

/// The joints that influence a vertex, with their weights as stored in the file.
pub(super) fn joint_weights<'a>(asset: &'a Asset, worst: &WorstVertex) -> Vec<(&'a str, f32)> {
    let Some(instance) = asset.instances.get(worst.instance.index()) else {
        return Vec::new();
    };
    let Some(skin) = asset.skin_of(instance) else {
        return Vec::new();
    };
    let influences = asset.mesh_of(instance).influences.of(worst.vertex).iter();
    let named = influences.filter_map(|influence| {
        let joint = skin.joints.get(influence.slot.index())?;
        let joint = asset.skeleton.get(*joint)?;
        Some((joint.name.as_str(), influence.weight))
    });
    named.collect()
}

/// The names of an instance's mesh and node.
pub(super) fn names(asset: &Asset, instance: InstanceId) -> [&str; 2] {
    let Some(instance) = asset.instances.get(instance.index()) else {
        return [""; 2];
    };
    let node = asset.skeleton.get(instance.node);
    let node = node.map_or("", |joint| joint.name.as_str());
    [&asset.mesh_of(instance).name, node]
}

/// A mesh by its name, or by its node's name.
pub(super) fn mesh(asset: &Asset, instance: InstanceId) -> String {
    let [mesh, node] = names(asset, instance);
    match (mesh, node) {
        ("", "") => format!("mesh {}", instance.index()),
        ("", node) => format!("mesh of node \"{}\"", escaped(node)),
        (mesh, _) => format!("mesh \"{}\"", escaped(mesh)),
    }
}

/// The name of the attribute that is wrong.
pub(super) fn culprit(culprit: Culprit) -> &'static str {
    match culprit {
        Culprit::First => "cpu",
        Culprit::Second => "gl",
        Culprit::Both => "both",
    }
}
