//! Colours of the vertices: the file's own, or data made visible.

use std::num::NonZeroU32;

use glam::Vec4;

use crate::gl::weights::keep_largest;
use crate::look::colors::{influence_color, joint_color};
use crate::rig::{Asset, Influence, Mesh, MeshInstance, NodeId};
use crate::view::Show;

/// Linear RGBA of every vertex of `instance`. For [`Show::Weights`] red is the joint's share, coloured later.
///
/// * `limit` – how many influences of a vertex are blended.
/// * `base_color` – of the material, linear.
pub(super) fn vertex_colors(
    asset: &Asset,
    instance: &MeshInstance,
    (show, limit): (Show, Option<NonZeroU32>),
    base_color: Vec4,
) -> Vec<[f32; 4]> {
    let mesh = asset.mesh_of(instance);
    let shares = |vertex| shares(asset, instance, &blended(mesh, vertex, limit));
    let of = |vertex: usize| match show {
        Show::Lit | Show::Texture => base_color * own_color(mesh, vertex),
        Show::Values => Vec4::splat(value(mesh, vertex)),
        Show::Influences => influence_color(pulling(&blended(mesh, vertex, limit))).extend(1.0),
        Show::Weights(joint) => share_of(&shares(vertex), joint),
        Show::Joints => mixed(&shares(vertex)),
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

fn value(mesh: &Mesh, vertex: usize) -> f32 {
    let values = mesh
        .color_sets
        .first()
        .and_then(|values| values.get(vertex));
    values.map_or(0.0, |value| value.x)
}

/// The `limit` largest influences of `vertex`.
fn blended(mesh: &Mesh, vertex: usize, limit: Option<NonZeroU32>) -> Vec<Influence> {
    let mut influences = mesh.influences.of(vertex).to_vec();
    if let Some(limit) = limit {
        keep_largest(&mut influences, limit.get() as usize);
    }
    influences
}

/// The number of `influences` with a weight.
fn pulling(influences: &[Influence]) -> usize {
    influences
        .iter()
        .filter(|influence| influence.weight != 0.0)
        .count()
}

/// Joints and their shares of a vertex's `influences`; its node has the whole share if no joint has any.
fn shares(asset: &Asset, instance: &MeshInstance, influences: &[Influence]) -> Vec<(NodeId, f32)> {
    let total: f32 = influences.iter().map(|influence| influence.weight).sum();
    let skin = asset
        .skin_of(instance)
        .filter(|skin| !skin.joints.is_empty());
    let Some(skin) = skin.filter(|_| total > 0.0) else {
        return vec![(instance.node, 1.0)];
    };
    let pairs = influences.iter().filter_map(|influence| {
        let joint = skin.joints.get(influence.joint.index())?;
        Some((*joint, influence.weight / total))
    });
    pairs.collect()
}

fn share_of(shares: &[(NodeId, f32)], joint: NodeId) -> Vec4 {
    let own = shares.iter().filter(|(other, _)| *other == joint);
    Vec4::splat(own.map(|(_, share)| share).sum())
}

fn mixed(shares: &[(NodeId, f32)]) -> Vec4 {
    let parts = shares
        .iter()
        .map(|(joint, share)| joint_color(*joint) * *share);
    parts.sum::<glam::Vec3>().extend(1.0)
}
