//! Copies of a model with one thing changed, to see what else changes.

use glam::Vec3;

use crate::rig::{Asset, LocalTransform, Mesh, NodeId, Skeleton, SkinId};

/// The model with other transforms at rest.
///
/// * `change` – of a node and its transform, the new one; `None` to keep it.
pub(crate) fn with_rests(
    asset: &Asset,
    change: impl Fn(NodeId, &LocalTransform) -> Option<LocalTransform>,
) -> Option<Asset> {
    let mut nodes = asset.skeleton.nodes().to_vec();
    for (index, node) in nodes.iter_mut().enumerate() {
        if let Some(rest) = change(NodeId::from_index(index), &node.rest) {
            node.rest = rest;
        }
    }
    let skeleton = Skeleton::new(nodes).ok()?;
    Some(Asset {
        skeleton,
        ..asset.clone()
    })
}

/// The model with other meshes in a skin.
pub(crate) fn with_meshes(asset: &Asset, skin: SkinId, change: impl Fn(&mut Mesh)) -> Asset {
    let mut asset = asset.clone();
    let users = asset.instances.iter();
    let users = users.filter(|instance| instance.skin == Some(skin));
    let mut meshes: Vec<usize> = users.map(|instance| instance.mesh.index()).collect();
    meshes.sort_unstable();
    meshes.dedup();
    for mesh in meshes {
        change(&mut asset.meshes[mesh]);
    }
    asset
}

/// A transform at rest without its scale along each axis, at `scale` instead.
pub(crate) fn rescaled(rest: &LocalTransform, scale: Vec3) -> LocalTransform {
    let mut trs = rest.to_trs();
    trs.scale = scale;
    LocalTransform::Trs(trs)
}
