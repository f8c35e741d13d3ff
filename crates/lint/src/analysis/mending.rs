//! Copies of a model with one thing changed, to see what else changes.

use glam::Vec3;

use crate::finding::Finding;
use crate::rig::{Asset, Channel, LocalTransform, Mesh, NodeId, Skeleton, SkinId};

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

/// The model with other channels of the joints of a finding, in its clip.
///
/// * `change` – `None` if a channel cannot be mended, and so the model cannot.
pub(crate) fn with_channels(
    asset: &Asset,
    finding: &Finding,
    mut change: impl FnMut(&mut Channel) -> Option<()>,
) -> Option<Asset> {
    let mut asset = asset.clone();
    let clip = &mut asset.clips[finding.location.ids.clip?.index()];
    let joints = &finding.affected.joint_ids;
    let channels = clip.channels.iter_mut();
    for channel in channels.filter(|channel| joints.contains(&channel.node)) {
        change(channel)?;
    }
    Some(asset)
}

/// A transform at rest without its scale along each axis, at `scale` instead.
pub(crate) fn rescaled(rest: &LocalTransform, scale: Vec3) -> LocalTransform {
    let mut trs = rest.to_trs();
    trs.scale = scale;
    LocalTransform::Trs(trs)
}
