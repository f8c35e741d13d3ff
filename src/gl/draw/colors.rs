//! Colours of the vertices: the file's own, or data made visible.

use glam::Vec4;

use crate::look::colors::{influence_color, joint_color};
use crate::rig::{Asset, JointId, Mesh, MeshInstance};
use crate::view::Show;

/// Linear RGBA of every vertex of `instance`. For [`Show::Weights`] red is the joint's share, coloured later.
///
/// * `base_color` – of the material, linear.
pub(super) fn vertex_colors(
    asset: &Asset,
    instance: &MeshInstance,
    show: Show,
    base_color: Vec4,
) -> Vec<[f32; 4]> {
    let mesh = asset.mesh_of(instance);
    let of = |vertex: usize| match show {
        Show::Lit | Show::Texture => base_color * own_color(mesh, vertex),
        Show::Influences => influence_color(pulling(mesh, vertex)).extend(1.0),
        Show::Weights(joint) => share_of(&shares(asset, instance, vertex), joint),
        Show::Joints => mixed(&shares(asset, instance, vertex)),
        Show::Normals | Show::Uv | Show::Depth | Show::Wireframe => Vec4::ONE,
    };
    (0..mesh.positions.len())
        .map(|vertex| of(vertex).to_array())
        .collect()
}

fn own_color(mesh: &Mesh, vertex: usize) -> Vec4 {
    let set = mesh.color_sets.first().map_or(&[][..], Vec::as_slice);
    set.get(vertex).copied().unwrap_or(Vec4::ONE)
}

/// How many influences of the file pull at `vertex`.
fn pulling(mesh: &Mesh, vertex: usize) -> usize {
    let influences = mesh.influences.of(vertex).iter();
    influences
        .filter(|influence| influence.weight != 0.0)
        .count()
}

/// Joints and their parts in the pull on `vertex`; its node's is all where no joint pulls.
fn shares(asset: &Asset, instance: &MeshInstance, vertex: usize) -> Vec<(JointId, f32)> {
    let influences = asset.mesh_of(instance).influences.of(vertex);
    let total: f32 = influences.iter().map(|influence| influence.weight).sum();
    let skin = asset
        .skin_of(instance)
        .filter(|skin| !skin.joints.is_empty());
    let Some(skin) = skin.filter(|_| total > 0.0) else {
        return vec![(instance.joint, 1.0)];
    };
    let pairs = influences.iter().filter_map(|influence| {
        let joint = skin.joints.get(influence.slot as usize)?;
        Some((*joint, influence.weight / total))
    });
    pairs.collect()
}

fn share_of(shares: &[(JointId, f32)], joint: JointId) -> Vec4 {
    let own = shares.iter().filter(|(other, _)| *other == joint);
    Vec4::splat(own.map(|(_, share)| share).sum())
}

fn mixed(shares: &[(JointId, f32)]) -> Vec4 {
    let parts = shares
        .iter()
        .map(|(joint, share)| joint_color(*joint) * *share);
    parts.sum::<glam::Vec3>().extend(1.0)
}
