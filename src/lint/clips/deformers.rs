//! Which joints a surface follows.

use glam::{DVec4, Vec3};

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

/// For each joint the middle of what follows it, by its weights, in its own space; its origin where nothing does.
pub(super) fn middles(asset: &Asset) -> Vec<Vec3> {
    let mut sums = vec![DVec4::ZERO; asset.skeleton.len()];
    for instance in &asset.instances {
        let (mesh, skin) = (asset.mesh_of(instance), asset.skin_of(instance));
        for (vertex, position) in mesh.positions.iter().enumerate() {
            let Some(skin) = skin else {
                sums[instance.joint.index()] += position.as_dvec3().extend(1.0);
                continue;
            };
            for pull in mesh.influences.of(vertex) {
                let slot = pull.slot as usize;
                let in_joint = skin.inverse_bind_matrices[slot].transform_point3(*position);
                let sum = &mut sums[skin.joints[slot].index()];
                *sum += f64::from(pull.weight) * in_joint.as_dvec3().extend(1.0);
            }
        }
    }
    let middle = |sum: DVec4| (sum.truncate() / sum.w).as_vec3();
    let middles = sums.into_iter().map(middle);
    middles
        .map(|middle| {
            if middle.is_finite() {
                middle
            } else {
                Vec3::ZERO
            }
        })
        .collect()
}

fn follows_its_node(asset: &Asset, instance: &MeshInstance) -> bool {
    let mut influences = asset.mesh_of(instance).influences.iter();
    instance.skin.is_none() || influences.any(<[_]>::is_empty)
}
