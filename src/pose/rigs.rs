//! Rigs for tests.

use glam::Mat3;
use proptest::collection::vec;
use proptest::prelude::*;

use super::{ModelPose, Pose, model_pose};
use crate::rig::strategies::{
    inverse_binds, repeated_weights, rotations, transforms, trees, vectors,
};
use crate::rig::{
    Asset, Clip, Influences, LocalTransform, Mesh, MeshId, MeshInstance, MorphTarget, Node, NodeId,
    Skeleton, Skin, SkinId, TickRate,
};
use crate::units::Seconds;

/// An asset with only joints.
pub(crate) fn asset_of(joints: Vec<Node>) -> Asset {
    Asset::of(Skeleton::new(joints).expect("parents come first"))
}

pub(crate) fn named_joint(name: &str, parent: Option<u32>, rest: LocalTransform) -> Node {
    Node {
        name: name.into(),
        parent: parent.map(NodeId),
        rest,
    }
}

/// A clip without channels.
pub(crate) fn clip(name: &str, start: f64, end: f64) -> Clip {
    Clip {
        name: name.into(),
        start: Seconds(start),
        end: Seconds(end),
        rate: TickRate::SECONDS,
        channels: vec![],
        morph_channels: vec![],
    }
}

/// A rig in a pose.
#[derive(Debug, Clone)]
pub(crate) struct PosedRig {
    /// One skin whose slots are not joint ids, and a mesh with weights of any sum, used with the skin and without.
    pub(crate) asset: Asset,
    pub(crate) pose: Pose,
}

impl PosedRig {
    pub(crate) fn model_pose(&self) -> ModelPose {
        model_pose(&self.asset, &self.pose)
    }
}

/// Any rig with two to five joints (scaled, mirrored, in any tree), posed at random.
pub(crate) fn posed_rigs() -> impl Strategy<Value = PosedRig> {
    (2..=5_usize).prop_flat_map(|joints| {
        let instance = |skin| {
            (0..joints).prop_map(move |node| MeshInstance {
                node: NodeId::from_index(node),
                mesh: MeshId(0),
                skin,
                morph_weights: vec![0.0; 2],
            })
        };
        let asset = (
            trees(joints),
            inverse_binds(joints),
            mesh(joints),
            [Some(SkinId(0)), None].map(instance),
        );
        let pose = (
            vec(transforms(), joints),
            [morph_weights(), morph_weights()],
        );
        (asset, pose).prop_map(
            |((skeleton, binds, mesh, instances), (locals, morphs))| PosedRig {
                asset: Asset {
                    // From the last joint to the first, so that a slot is not the joint's id.
                    skins: vec![Skin {
                        name: "skin".into(),
                        joints: (0..skeleton.len()).rev().map(NodeId::from_index).collect(),
                        inverse_bind_matrices: binds,
                    }],
                    meshes: vec![mesh],
                    instances: instances.into(),
                    ..Asset::of(skeleton)
                },
                pose: Pose {
                    locals: locals.into_iter().map(LocalTransform::Trs).collect(),
                    morph_weights: morphs.into(),
                },
            },
        )
    })
}

/// Vertices of the mesh of each rig.
const VERTICES: usize = 12;

/// With frames, two morph targets, and 0 to 7 positive weights of any sum, in which joints repeat.
fn mesh(joints: usize) -> impl Strategy<Value = Mesh> {
    let vertex = |index: usize| {
        (
            vectors(1.0),
            rotations().prop_map(Mat3::from_quat),
            repeated_weights(joints, 0.05_f32..1.05, index % 8),
        )
    };
    let vertices: Vec<_> = (0..VERTICES).map(vertex).collect();
    let targets = [morph_target(), morph_target()];
    (vertices, targets).prop_map(|(vertices, targets)| {
        let axes = |axis: usize| {
            vertices
                .iter()
                .map(|(_, frame, _)| frame.col(axis))
                .collect()
        };
        Mesh {
            positions: vertices.iter().map(|(position, ..)| *position).collect(),
            tangents: axes(0),
            bitangents: axes(1),
            normals: axes(2),
            influences: Influences::from_vertices(vertices.iter().map(|(.., list)| list.clone())),
            morph_targets: targets.into(),
            ..Mesh::default()
        }
    })
}

fn morph_target() -> impl Strategy<Value = MorphTarget> {
    let offsets = || vec(vectors(0.3), VERTICES);
    (offsets(), offsets(), offsets()).prop_map(|(positions, normals, tangents)| MorphTarget {
        name: "target".into(),
        positions,
        normals,
        tangents,
    })
}

fn morph_weights() -> impl Strategy<Value = Vec<f32>> {
    vec(-1.0_f32..1.0, 2)
}
