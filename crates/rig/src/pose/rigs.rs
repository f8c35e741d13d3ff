//! Rigs for tests.

use glam::{Mat3, Vec3};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::{ModelPose, Pose, model_pose};
use crate::rig::strategies::{Pairs, repeated, rigs_of, rotations, transforms, vectors};
use crate::rig::{
    Asset, Clip, Influences, LocalTransform, Mesh, MeshId, MeshInstance, MorphTarget, Node, NodeId,
    Skeleton, SkinId,
};
use crate::units::Seconds;

/// An asset with only joints.
#[must_use]
pub fn asset_of(joints: Vec<Node>) -> Asset {
    Asset::of(Skeleton::new(joints).expect("parents come first"))
}

pub fn named_joint(name: &str, parent: Option<u32>, rest: LocalTransform) -> Node {
    Node {
        name: name.into(),
        parent: parent.map(NodeId),
        rest,
    }
}

/// A clip without channels.
#[must_use]
pub fn clip(name: &str, start: f64, end: f64) -> Clip {
    Clip {
        start: Seconds(start),
        ..Clip::new(name, Seconds(end))
    }
}

/// A rig in a pose.
#[derive(Debug, Clone)]
pub struct PosedRig {
    /// One skin whose slots are not joint ids, and a mesh with weights of any sum, used with the skin and without.
    pub asset: Asset,
    pub pose: Pose,
}

impl PosedRig {
    #[must_use]
    pub fn model_pose(&self) -> ModelPose {
        model_pose(&self.asset, &self.pose)
    }
}

/// Any rig with two to five joints (scaled, mirrored, in any tree), posed at random.
pub fn posed_rigs() -> impl Strategy<Value = PosedRig> {
    let nodes = [any::<Index>(), any::<Index>()];
    let weights = || vec(-1.0_f32..1.0, 2);
    let pose = (vec(transforms(), 5), [weights(), weights()]);
    (rigs_of(2..=5, mesh_parts(), mesh), nodes, pose).prop_map(
        |(mut asset, nodes, (locals, morph_weights))| {
            let joints = asset.skeleton.len();
            let instance = |(node, skin): (Index, _)| MeshInstance {
                node: NodeId::from_index(node.index(joints)),
                mesh: MeshId(0),
                skin,
                morph_weights: vec![0.0; 2],
            };
            let instances = nodes.into_iter().zip([Some(SkinId(0)), None]);
            asset.instances = instances.map(instance).collect();
            let locals = locals.into_iter().take(joints).map(LocalTransform::Trs);
            let pose = Pose {
                locals: locals.collect(),
                morph_weights: morph_weights.into(),
                ..Pose::default()
            };
            PosedRig { asset, pose }
        },
    )
}

/// Vertices of the mesh of each rig.
const VERTICES: usize = 12;

/// Vertices, each with a position, a frame and 0 to 7 weights, and two morph targets.
type MeshParts = (Vec<(Vec3, Mat3, Pairs)>, [MorphTarget; 2]);

fn mesh_parts() -> impl Strategy<Value = MeshParts> + Clone {
    let vertex = |index: usize| {
        let weights = vec((any::<Index>(), 0.05_f32..1.05), index % 8);
        (vectors(1.0), rotations().prop_map(Mat3::from_quat), weights)
    };
    let vertices: Vec<_> = (0..VERTICES).map(vertex).collect();
    (vertices, [morph_target(), morph_target()])
}

fn mesh((vertices, targets): MeshParts, joints: usize) -> Mesh {
    let axes = |axis| {
        vertices
            .iter()
            .map(|(_, frame, _)| frame.col(axis))
            .collect()
    };
    let lists = vertices
        .iter()
        .map(|(.., pairs)| repeated(pairs.clone(), joints));
    Mesh {
        positions: vertices.iter().map(|(position, ..)| *position).collect(),
        tangents: axes(0),
        bitangents: axes(1),
        normals: axes(2),
        influences: Influences::from_vertices(lists),
        morph_targets: targets.into(),
        ..Mesh::default()
    }
}

fn morph_target() -> impl Strategy<Value = MorphTarget> + Clone {
    let offsets = || vec(vectors(0.3), VERTICES);
    (offsets(), offsets(), offsets()).prop_map(|(positions, normals, tangents)| MorphTarget {
        name: "target".into(),
        positions,
        normals,
        tangents,
    })
}
