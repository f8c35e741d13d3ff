//! Which joints a surface follows.

use crate::rig::{Asset, JointId, MeshInstance};

/// For each joint, whether a vertex follows it by itself: joints that skins bind, and nodes that show a mesh without a skin
/// or vertices without weights.
pub(super) fn deforming(asset: &Asset) -> Vec<bool> {
    let mut deforming = asset.bound_joints();
    for instance in &asset.instances {
        if follows_its_node(asset, instance) {
            deforming[instance.joint.index()] = true;
        }
    }
    deforming
}

/// The same, and the ancestors of all of them.
pub(super) fn carrying(asset: &Asset) -> Vec<bool> {
    let mut carrying = deforming(asset);
    for index in (0..asset.skeleton.len()).rev() {
        let joint = asset.skeleton.get(JointId::from_index(index));
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
