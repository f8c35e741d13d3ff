//! Strategies that generate tracks, weights, meshes and rigs, and shrink well.

use std::fmt::Debug;

use glam::{Mat4, Quat, Vec3};
use proptest::collection::{SizeRange, vec};
use proptest::option;
use proptest::prelude::{Strategy, any};
use proptest::sample::Index;

use super::{
    Asset, Channel, Clip, Influence, Influences, Key, LocalTransform, Mesh, MeshId, MeshInstance,
    Node, NodeId, Skeleton, Skin, SkinId, SkinSlot, Span, Track, Trs,
};
use crate::units::Seconds;

/// Unit quaternions of any sign.
pub fn rotations() -> impl Strategy<Value = Quat> + Clone {
    [-1.0_f32..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(|parts| {
        let rotation = Quat::from_array(parts).as_dquat();
        let length = rotation.length_squared().sqrt();
        if length > 0.1 {
            (rotation * (1.0 / length)).as_quat()
        } else {
            Quat::IDENTITY
        }
    })
}

/// Vectors with coordinates from `-size` to `size`.
pub fn vectors(size: f32) -> impl Strategy<Value = Vec3> + Clone {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from_array)
}

/// Scales of 0.5 to 1.5 per axis, one axis in eight mirrored.
pub fn scales() -> impl Strategy<Value = Vec3> + Clone {
    let factor =
        (0.5_f32..1.5, 0..8_u8).prop_map(|(size, sign)| if sign == 7 { -size } else { size });
    [factor.clone(), factor.clone(), factor].prop_map(Vec3::from_array)
}

/// Transforms by parts.
pub fn transforms() -> impl Strategy<Value = Trs> + Clone {
    (vectors(2.0), rotations(), scales()).prop_map(|(translation, rotation, scale)| Trs {
        translation,
        rotation,
        scale,
    })
}

/// Tracks of 1 to 5 keys of `values`: step, linear or cubic, with `tangents`. Times are multiples of 1/64 s from -1 s on, so
/// that shifting them is exact.
pub fn tracks<T: Clone + Debug + 'static>(
    values: impl Strategy<Value = T> + Clone,
    tangents: impl Strategy<Value = T> + Clone,
) -> impl Strategy<Value = Track<T>> + Clone {
    let keys = vec((1..64_i32, values, tangents.clone(), tangents), 1..6);
    (keys, -64..64_i32, 0..4_u8).prop_map(|(keys, start, kind)| {
        let mut time = start;
        let key = |(gap, value, leave, arrive)| {
            let key = Key {
                time: Seconds(f64::from(time) / 64.0),
                value,
                span: match kind {
                    0 | 1 => Span::Linear,
                    2 => Span::Cubic { leave, arrive },
                    _ => Span::Step,
                },
            };
            time += gap;
            key
        };
        Track {
            keys: keys.into_iter().map(key).collect(),
        }
    })
}

/// Rotation tracks; tangents are any quaternions up to 4 per second.
pub fn rotation_tracks() -> impl Strategy<Value = Track<Quat>> + Clone {
    let tangents = [-4.0_f32..4.0, -4.0..4.0, -4.0..4.0, -4.0..4.0].prop_map(Quat::from_array);
    tracks(rotations(), tangents)
}

/// Translation tracks.
pub fn vector_tracks() -> impl Strategy<Value = Track<Vec3>> + Clone {
    tracks(vectors(100.0), vectors(100.0))
}

/// Joints and weights of a vertex, for any number of joints: the parts that do not depend on that number shrink alone.
pub(crate) type Pairs = Vec<(Index, f32)>;

#[doc(hidden)]
pub fn pairs() -> impl Strategy<Value = Pairs> + Clone {
    vec((any::<Index>(), 0.01_f32..2.0), 0..=8)
}

/// Each joint once.
fn influences(pairs: Pairs, joints: usize) -> Vec<Influence> {
    let mut influences: Vec<Influence> = Vec::new();
    for (joint, weight) in pairs {
        let joint = SkinSlot::from_index(joint.index(joints));
        if influences.iter().all(|influence| influence.slot != joint) {
            influences.push(Influence::new(joint, weight));
        }
    }
    influences
}

/// The weights of a vertex on some of `joints` joints: up to 8 positive ones, of any sum, each joint once.
pub fn weights(joints: usize) -> impl Strategy<Value = Vec<Influence>> + Clone {
    pairs().prop_map(move |pairs| influences(pairs, joints))
}

/// Like [`weights`], but as bad exporters write them: not normalized, negative, dust, zero, huge, and duplicate joints.
pub fn dirty_weights(joints: usize) -> impl Strategy<Value = Vec<Influence>> + Clone {
    let weight = (0.01_f32..2.0, 0..12_u8).prop_map(|(weight, kind)| match kind {
        0 => -0.1 * weight,
        1 => 1e-7 * weight,
        2 => 0.0,
        3 => 1e20 * weight,
        4 => 1e-20 * weight,
        _ => weight,
    });
    repeated_weights(joints, weight, 0..=8)
}

/// As many influences as `count` allows, with any of `weights`; a joint may have several.
pub(crate) fn repeated_weights(
    joints: usize,
    weights: impl Strategy<Value = f32> + Clone,
    count: impl Into<SizeRange>,
) -> impl Strategy<Value = Vec<Influence>> + Clone {
    vec((any::<Index>(), weights), count).prop_map(move |pairs| repeated(pairs, joints))
}

/// A joint may have several.
pub(crate) fn repeated(pairs: Pairs, joints: usize) -> Vec<Influence> {
    let influence = |(joint, weight): (Index, f32)| {
        Influence::new(SkinSlot::from_index(joint.index(joints)), weight)
    };
    pairs.into_iter().map(influence).collect()
}

/// Positions and influences of vertices on `joints` joints.
#[doc(hidden)]
#[must_use]
pub fn skinned(vertices: Vec<(Vec3, Pairs)>, joints: usize) -> (Vec<Vec3>, Influences) {
    let (positions, lists): (Vec<Vec3>, Vec<Pairs>) = vertices.into_iter().unzip();
    let lists = lists.into_iter().map(|pairs| influences(pairs, joints));
    (positions, Influences::from_vertices(lists))
}

/// Trees of 1 to `most` nodes with any rest pose, parents first.
pub fn hierarchies(most: usize) -> impl Strategy<Value = Skeleton> + Clone {
    vec((any::<Index>(), transforms()), 1..=most).prop_map(skeleton)
}

fn skeleton(nodes: Vec<(Index, Trs)>) -> Skeleton {
    let node = |(index, (parent, rest)): (usize, (Index, Trs))| Node {
        name: format!("joint {index}"),
        parent: (index > 0).then(|| NodeId::from_index(parent.index(index))),
        rest: LocalTransform::Trs(rest),
    };
    let nodes = nodes.into_iter().enumerate().map(node).collect();
    Skeleton::new(nodes).expect("each parent is before its child")
}

/// Clips that drive some of `nodes` nodes. They start at 0 s or with their first key and end with their last.
pub fn clips(nodes: usize) -> impl Strategy<Value = Clip> + Clone {
    vec(option::of(parts()), nodes).prop_map(clip)
}

/// The tracks of a node, and which parts they drive, as bits.
type Parts = (Track<Vec3>, Track<Quat>, Track<Vec3>, u8);

fn parts() -> impl Strategy<Value = Parts> + Clone {
    let scales = tracks(scales(), scales());
    (vector_tracks(), rotation_tracks(), scales, 1..8_u8)
}

fn clip(nodes: Vec<Option<Parts>>) -> Clip {
    let channel = |(index, parts): (usize, Option<Parts>)| {
        let (translation, rotation, scale, which) = parts?;
        Some(Channel {
            translation: (which & 1 != 0).then_some(translation),
            rotation: (which & 2 != 0).then_some(rotation),
            scale: (which & 4 != 0).then_some(scale),
            ..Channel::of(NodeId::from_index(index))
        })
    };
    let mut clip = Clip {
        channels: nodes.into_iter().enumerate().filter_map(channel).collect(),
        ..Clip::new("clip", Seconds::ZERO)
    };
    let ends = clip.drivers().filter_map(|driver| driver.track.ends());
    let (start, end) = ends.fold((0.0_f64, 0.0_f64), |(start, end), ends| {
        (start.min(ends.0), end.max(ends.1))
    });
    (clip.start, clip.end) = (Seconds(start), Seconds(end));
    clip
}

/// Meshes of 1 to 12 vertices with clean weights on `joints` joints, and triangles if there are three.
pub fn meshes(joints: usize) -> impl Strategy<Value = Mesh> + Clone {
    vertices().prop_map(move |vertices| mesh(vertices, joints))
}

fn vertices() -> impl Strategy<Value = Vec<(Vec3, Pairs)>> + Clone {
    vec((vectors(2.0), pairs()), 1..=12)
}

fn mesh(vertices: Vec<(Vec3, Pairs)>, joints: usize) -> Mesh {
    let (positions, influences) = skinned(vertices, joints);
    let corners = (0..positions.len()).filter_map(|vertex| u32::try_from(vertex).ok());
    Mesh {
        name: "mesh".to_owned(),
        triangles: corners
            .skip(2)
            .map(|last| [last - 2, last - 1, last])
            .collect(),
        influences,
        positions,
        ..Mesh::default()
    }
}

/// Inverse bind matrices of `joints` joints.
pub fn inverse_binds(joints: usize) -> impl Strategy<Value = Vec<Mat4>> + Clone {
    vec(transforms().prop_map(|trs| trs.to_matrix()), joints)
}

/// Whole rigs: a hierarchy of up to 5 nodes, a skin whose joints are in another order than the nodes, a mesh and a clip.
pub fn rigs() -> impl Strategy<Value = Asset> + Clone {
    rigs_of(1..=5, vertices(), mesh)
}

/// Like [`rigs`], but of as many nodes as `count` allows, and with a mesh made of `parts` for the number of joints.
pub(crate) fn rigs_of<P: Debug>(
    count: impl Into<SizeRange>,
    parts: impl Strategy<Value = P> + Clone,
    mesh: fn(P, usize) -> Mesh,
) -> impl Strategy<Value = Asset> + Clone {
    let node = (
        (any::<Index>(), transforms()),
        transforms(),
        option::of(self::parts()),
    );
    (vec(node, count), parts).prop_map(move |(nodes, of_mesh)| {
        let joints = (0..nodes.len()).rev().map(NodeId::from_index).collect();
        let binds = nodes.iter().map(|(_, bind, _)| bind.to_matrix()).collect();
        let mesh = mesh(of_mesh, nodes.len());
        let (rest, parts): (Vec<_>, Vec<_>) = nodes
            .into_iter()
            .map(|(rest, _, parts)| (rest, parts))
            .unzip();
        Asset {
            meshes: vec![mesh],
            skins: vec![Skin {
                name: "skin".to_owned(),
                joints,
                inverse_bind_matrices: binds,
            }],
            instances: vec![MeshInstance::skinned(NodeId(0), MeshId(0), SkinId(0))],
            clips: vec![clip(parts)],
            ..Asset::of(skeleton(rest))
        }
    })
}
