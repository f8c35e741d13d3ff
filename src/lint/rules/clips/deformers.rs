//! The joints that a surface follows.

use std::collections::BTreeSet;

use glam::{DVec3, DVec4, Vec3};

use crate::lint::analysis::joints;
use crate::rig::{Asset, MeshInstance, NodeId, Skin, SkinId};

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
    let used: BTreeSet<SkinId> = asset.instances.iter().filter_map(|i| i.skin).collect();
    let skins = asset.skins.iter().enumerate();
    let spare = skins.filter(move |(id, _)| !used.contains(&SkinId::from_index(*id)));
    spare.map(|(_, skin)| skin)
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

/// Two points that represent the surface that follows a joint, in the joint's space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Probes {
    /// Its weighted centre; the joint's origin if nothing follows it.
    pub(super) middle: Vec3,
    /// A point beside the centre, as far from the line through origin and centre as the surface (root mean square).
    /// Only it shows a rotation about that line.
    pub(super) beside: Vec3,
}

/// Relative to the extent of the surface: a centre closer to the joint than this coincides with it.
const CENTRED: f64 = 0.01;

/// A surface around its joint (a wheel, an eye) has no such line; this axis stands in for it.
const ASKEW: DVec3 = DVec3::new(1.0, 0.7, 0.4);

/// The probes of each joint.
pub(super) fn probes(asset: &Asset) -> Vec<Probes> {
    let mut sums = vec![DVec4::ZERO; asset.skeleton.len()];
    for_each_follower(asset, |joint, position, weight| {
        sums[joint.index()] += weight * position.extend(1.0);
    });
    let middles: Vec<DVec3> = sums
        .iter()
        .map(|sum| sum.truncate() / sum.w)
        .map(or_origin)
        .collect();
    let mut squares = vec![0.0; asset.skeleton.len()];
    for_each_follower(asset, |joint, position, weight| {
        let axis = middles[joint.index()].normalize_or_zero();
        squares[joint.index()] += weight * position.reject_from_normalized(axis).length_squared();
    });
    let radii = squares
        .iter()
        .zip(&sums)
        .map(|(square, sum)| (square / sum.w).sqrt());
    let probes = middles.iter().zip(radii).map(|(middle, radius)| {
        let away = if middle.length() > CENTRED * radius {
            middle.normalize().any_orthonormal_vector()
        } else {
            ASKEW.normalize()
        };
        let beside = middle + or_origin(radius * away);
        Probes {
            middle: middle.as_vec3(),
            beside: beside.as_vec3(),
        }
    });
    probes.collect()
}

fn or_origin(position: DVec3) -> DVec3 {
    if position.is_finite() {
        position
    } else {
        DVec3::ZERO
    }
}

/// Calls `each` with every joint that a vertex follows, the vertex's position in the joint's space, and its weight.
fn for_each_follower(asset: &Asset, mut each: impl FnMut(NodeId, DVec3, f64)) {
    for instance in &asset.instances {
        let (mesh, skin) = (asset.mesh_of(instance), asset.skin_of(instance));
        for (vertex, position) in mesh.positions.iter().enumerate() {
            let Some(skin) = skin else {
                each(instance.node, position.as_dvec3(), 1.0);
                continue;
            };
            for influence in mesh.influences.of(vertex) {
                let slot = influence.slot.index();
                let in_joint = skin.inverse_bind_matrices[slot].transform_point3(*position);
                each(
                    skin.joints[slot],
                    in_joint.as_dvec3(),
                    f64::from(influence.weight),
                );
            }
        }
    }
}

fn follows_its_node(asset: &Asset, instance: &MeshInstance) -> bool {
    let mut influences = asset.mesh_of(instance).influences.iter();
    instance.skin.is_none() || influences.any(<[_]>::is_empty)
}
