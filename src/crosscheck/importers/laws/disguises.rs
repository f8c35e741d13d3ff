//! Ways to hold the same rig differently, as importers do.

use glam::{Mat4, Vec3};
use proptest::prelude::*;

use super::{Change, animated, compare, first_difference_is, parts, renumber};
use crate::pose::law::check;
use crate::pose::rigs::{clip, posed_rigs};
use crate::rig::{
    Asset, Channel, Influences, Key, LocalTransform, MeshId, MeshInstance, Node, NodeId, Skeleton,
    SkinId, Span, Trs,
};
use crate::units::{Seconds, SignedAxis, Space};

#[track_caller]
fn agrees(disguise: Change) {
    first_difference_is(None, disguise).unwrap_or_else(|error| panic!("{error}"));
}

fn plain(name: &str, parent: Option<NodeId>) -> Node {
    Node {
        name: name.into(),
        parent,
        rest: LocalTransform::Trs(Trs::IDENTITY),
    }
}

/// All joints one number higher, below a new first one.
fn below(asset: &mut Asset, root: Node) {
    let next = |id: NodeId| NodeId(id.0 + 1);
    let joints = asset.skeleton.nodes().iter().map(|joint| Node {
        parent: Some(joint.parent.map_or(NodeId(0), next)),
        ..joint.clone()
    });
    let joints = std::iter::once(root).chain(joints).collect();
    asset.skeleton = Skeleton::new(joints).unwrap();
    renumber(asset, next);
}

#[test]
fn a_root_that_one_importer_adds_is_not_a_difference() {
    agrees(|asset| below(asset, plain("RootNode", None)));
    agrees(|asset| below(asset, plain("", None)));
}

#[test]
fn roots_above_the_scene_that_each_importer_names_are_not_a_difference() {
    check(&posed_rigs(), |rig| {
        let [a, b] = ["DefaultScene", "Scene"].map(|name| {
            let mut asset = animated(&rig);
            below(&mut asset, plain(name, None));
            asset
        });
        let report = compare(&a, &b).expect("the rig is small");
        prop_assert!(report.agrees(), "{:?}", report.first_difference());
        Ok(())
    })
    .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn names_that_an_importer_makes_up_are_not_a_difference() {
    agrees(|asset| {
        let joints = asset.skeleton.nodes().iter().map(|joint| Node {
            name: String::new(),
            ..joint.clone()
        });
        asset.skeleton = Skeleton::new(joints.collect()).unwrap();
    });
}

/// Each joint X becomes a row of two: the translation, then the rest of it.
fn with_pivots(asset: &mut Asset) {
    let twice = |id: NodeId| NodeId(2 * id.0 + 1);
    let mut joints = Vec::new();
    for (id, joint) in asset.skeleton.iter() {
        let rest = parts(&joint.rest);
        let above = Trs {
            translation: rest.translation,
            ..Trs::IDENTITY
        };
        let own = Trs {
            translation: Vec3::ZERO,
            ..rest
        };
        joints.push(Node {
            name: format!("{}_$AssimpFbx$_Translation", joint.name),
            parent: joint.parent.map(twice),
            rest: LocalTransform::Trs(above),
        });
        joints.push(Node {
            name: joint.name.clone(),
            parent: Some(NodeId(2 * id.0)),
            rest: LocalTransform::Trs(own),
        });
    }
    asset.skeleton = Skeleton::new(joints).unwrap();
    renumber(asset, twice);
    for clip in &mut asset.clips {
        let moved: Vec<Channel> = clip
            .channels
            .iter_mut()
            .map(|channel| Channel {
                translation: channel.translation.take(),
                ..Channel::of(NodeId(channel.node.0 - 1))
            })
            .collect();
        clip.channels.extend(moved);
    }
}

#[test]
fn pivots_as_joints_of_their_own_are_not_a_difference() {
    agrees(with_pivots);
    agrees(|asset| {
        with_pivots(asset);
        below(asset, plain("RootNode", None));
    });
}

/// The last vertex first, and each twice.
fn split_and_reorder(asset: &mut Asset) {
    let mesh = &mut asset.meshes[0];
    let count = mesh.positions.len();
    let order: Vec<usize> = (0..2 * count).map(|new| count - 1 - new / 2).collect();
    let gather = |list: &mut Vec<Vec3>| *list = order.iter().map(|&old| list[old]).collect();
    gather(&mut mesh.positions);
    gather(&mut mesh.normals);
    gather(&mut mesh.tangents);
    gather(&mut mesh.bitangents);
    for target in &mut mesh.morph_targets {
        gather(&mut target.positions);
        gather(&mut target.normals);
        gather(&mut target.tangents);
    }
    let influences = order.iter().map(|&old| {
        let mut list = mesh.influences.of(old).to_vec();
        list.reverse();
        list
    });
    mesh.influences = Influences::from_vertices(influences.collect::<Vec<_>>());
    for corner in mesh.triangles.iter_mut().flatten() {
        *corner = u32::try_from(2 * (count - 1) - 2 * *corner as usize).unwrap();
    }
}

#[test]
fn vertices_that_are_split_and_reordered_are_not_a_difference() {
    agrees(split_and_reorder);
}

#[test]
fn a_skin_a_mesh_or_one_for_all_is_not_a_difference() {
    agrees(|asset| {
        let mut other = asset.skins[0].clone();
        other.joints.reverse();
        other.inverse_bind_matrices.reverse();
        let slots = u32::try_from(other.joints.len()).unwrap();
        asset.skins.push(other);
        let mut mesh = asset.meshes[0].clone();
        let lists = mesh.influences.iter().map(|list| {
            let mut list = list.to_vec();
            for influence in &mut list {
                influence.slot = crate::rig::SkinSlot(slots - 1 - influence.slot.0);
            }
            list
        });
        mesh.influences = Influences::from_vertices(lists.collect::<Vec<_>>());
        asset.meshes.push(mesh);
        asset.instances[0] = MeshInstance {
            mesh: MeshId(1),
            skin: Some(SkinId(1)),
            ..asset.instances[0].clone()
        };
    });
}

/// The same model in centimetres with +Z up and -Y in front.
fn in_other_axes(asset: &mut Asset) {
    asset.space = Space {
        up: SignedAxis::PlusZ,
        front: SignedAxis::MinusY,
        metres_per_unit: Some(0.01),
    };
    let there_from_here = asset.space.y_up_metres_from_self().inverse().as_mat4();
    let root = Node {
        rest: LocalTransform::Matrix(there_from_here),
        ..plain("", None)
    };
    below(asset, root);
}

#[test]
fn other_axes_and_units_are_not_a_difference() {
    agrees(in_other_axes);
}

#[test]
fn a_key_on_the_line_between_two_is_not_a_difference() {
    agrees(|asset| {
        let track = asset.clips[0].channels[0].translation.as_mut().unwrap();
        let middle = track.keys[0].value.midpoint(track.keys[1].value);
        let key = Key {
            time: Seconds(0.375),
            value: middle,
            span: Span::Linear,
        };
        track.keys.insert(1, key);
    });
}

#[test]
fn morph_targets_in_another_order_are_not_a_difference() {
    agrees(|asset| {
        asset.meshes[0].morph_targets.reverse();
        for key in &mut asset.clips[0].morph_channels[0].weights.keys {
            key.value.reverse();
        }
    });
}

#[test]
fn a_channel_without_effect_is_not_a_difference() {
    agrees(|asset| {
        asset.clips.push(clip("empty", 0.0, 1.0));
        let mesh = &mut asset.meshes[0];
        mesh.triangles.push([0, 0, 1]);
    });
}

#[test]
fn rounding_is_not_a_difference() {
    agrees(|asset| {
        let nudge = 1.0 + 2.0 * f32::EPSILON;
        let joints = asset.skeleton.nodes().iter().map(|joint| Node {
            rest: LocalTransform::Matrix(joint.rest.to_matrix() * nudge),
            ..joint.clone()
        });
        let last_row = |joint: Node| Node {
            rest: LocalTransform::Matrix(affine(joint.rest.to_matrix())),
            ..joint
        };
        asset.skeleton = Skeleton::new(joints.map(last_row).collect()).unwrap();
        for matrix in &mut asset.skins[0].inverse_bind_matrices {
            *matrix = affine(*matrix * nudge);
        }
    });
}

fn affine(mut matrix: Mat4) -> Mat4 {
    matrix.x_axis.w = 0.0;
    matrix.y_axis.w = 0.0;
    matrix.z_axis.w = 0.0;
    matrix.w_axis.w = 1.0;
    matrix
}
