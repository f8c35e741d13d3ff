//! The smallest rigs that show a track or the weights of a vertex.

use glam::{Mat4, Quat, Vec3};

use super::Body;
use crate::rig::{
    Asset, Channel, Clip, Influence, Influences, LocalTransform, Mesh, MeshId, MeshInstance,
    MorphChannel, MorphTarget, Node, NodeId, Skeleton, Track, Trs,
};
use crate::units::Seconds;

fn end<T>(track: &Track<T>) -> f64 {
    track.keys.last().map_or(0.0, |key| key.time.0)
}

/// One node whose rotation follows `track`.
pub(super) fn rig_of_rotation(track: &Track<Quat>) -> Asset {
    let channel = Channel {
        rotation: Some(track.clone()),
        ..Channel::of(NodeId(0))
    };
    rig_of_track(channel, end(track))
}

/// One node whose translation follows `track`.
pub(super) fn rig_of_vector(track: &Track<Vec3>) -> Asset {
    let channel = Channel {
        translation: Some(track.clone()),
        ..Channel::of(NodeId(0))
    };
    rig_of_track(channel, end(track))
}

/// One node with a mesh of one vertex, whose three morph targets follow `track`. Each moves the vertex along an axis.
pub(super) fn rig_of_morph(track: &Track<Vec3>) -> Asset {
    let mut rig = rig_of_track(Channel::of(NodeId(0)), end(track));
    let target = |axis: Vec3| MorphTarget {
        name: String::new(),
        positions: vec![axis],
        ..MorphTarget::default()
    };
    rig.meshes = vec![Mesh {
        name: "mesh".to_owned(),
        positions: vec![Vec3::ZERO],
        triangles: vec![[0; 3]],
        morph_targets: [Vec3::X, Vec3::Y, Vec3::Z].map(target).into(),
        ..Mesh::default()
    }];
    rig.instances = vec![MeshInstance {
        node: NodeId(0),
        mesh: MeshId(0),
        skin: None,
        morph_weights: vec![0.0; 3],
    }];
    rig.clips[0].channels.clear();
    rig.clips[0].morph_channels = vec![MorphChannel {
        node: NodeId(0),
        weights: track.map(|v| v.to_array().to_vec()),
    }];
    rig
}

/// One node whose matrix has the samples of `track` as its last column.
pub(super) fn rig_of_matrix(track: &Track<Vec3>) -> Asset {
    let channel = Channel {
        matrix: Some(track.map(|v| Mat4::from_translation(*v))),
        ..Channel::of(NodeId(0))
    };
    rig_of_track(channel, end(track))
}

/// One node that `channel` animates.
fn rig_of_track(channel: Channel, end: f64) -> Asset {
    let node = Node {
        name: "joint".to_owned(),
        parent: None,
        rest: LocalTransform::Trs(Trs::IDENTITY),
    };
    let clip = Clip {
        channels: vec![channel],
        ..Clip::new("clip", Seconds(end))
    };
    Asset {
        clips: vec![clip],
        ..Asset::of(Skeleton::new(vec![node]).expect("one node is a root"))
    }
}

/// One vertex with `weights`.
pub(super) fn rig_of_weights(weights: &[Influence]) -> Asset {
    let joints = weights.iter().map(|influence| influence.slot.index() + 1);
    let joints = joints.max().unwrap_or(0);
    let body = Body {
        positions: vec![Vec3::ZERO],
        influences: Influences::from_vertices([weights.iter().copied()]),
        inverse_binds: vec![Mat4::IDENTITY; joints],
        joints: vec![Mat4::IDENTITY; joints],
        node: Mat4::IDENTITY,
        ..Body::default()
    };
    body.to_asset()
}
