//! The joints that a surface follows.

use crate::analysis::joints;
use crate::rig::{Asset, MeshInstance, NodeId, Skin};

/// For each joint, whether a vertex follows it directly: joints with weights, and nodes that show a mesh without a skin
/// or vertices without weights. A skin without a mesh may be for meshes of another file; all of its joints count.
pub(super) fn deforming(asset: &Asset) -> Vec<bool> {
    let mut deforming = joints::followed(asset);
    for instance in &asset.instances {
        if follows_its_node(asset, instance) {
            deforming[instance.node.index()] = true;
        }
    }
    for joint in spare_skins(asset).flat_map(|skin| &skin.joints) {
        deforming[joint.index()] = true;
    }
    deforming
}

fn spare_skins(asset: &Asset) -> impl Iterator<Item = &Skin> {
    let mut used = vec![false; asset.skins.len()];
    for skin in asset.instances.iter().filter_map(|instance| instance.skin) {
        used[skin.index()] = true;
    }
    let skins = asset.skins.iter().zip(used);
    skins.filter(|(_, used)| !used).map(|(skin, _)| skin)
}

/// The same, and the ancestors of all of them.
pub(super) fn carrying(asset: &Asset) -> Vec<bool> {
    let mut carrying = deforming(asset);
    for index in (0..asset.skeleton.len()).rev() {
        let joint = asset.skeleton.get(NodeId::from_index(index));
        if let Some(parent) = joint.and_then(|joint| joint.parent)
            && carrying[index]
        {
            carrying[parent.index()] = true;
        }
    }
    carrying
}

fn follows_its_node(asset: &Asset, instance: &MeshInstance) -> bool {
    let mut influences = asset.mesh_of(instance).influences.iter();
    instance.skin.is_none() || influences.any(<[_]>::is_empty)
}
