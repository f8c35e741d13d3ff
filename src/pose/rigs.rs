//! Rigs for tests.

use glam::{Mat3, Quat, Vec3};
use proptest::prelude::*;

use super::{ModelPose, Pose, model_pose};
use crate::rig::{
    Asset, Clip, Influence, Influences, JointId, LocalTransform, Mesh, MeshId, MeshInstance,
    MorphTarget, Node, NodeId, Skeleton, Skin, SkinId, TickRate, Trs,
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

/// Numbers in -1..1 from which a whole rig is made.
const POOL: usize = 1024;

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
    prop::collection::vec(-1.0_f32..1.0, POOL).prop_map(|pool| Maker::new(pool).rig())
}

/// One of the rigs.
pub(crate) fn nth_rig(seed: u8) -> PosedRig {
    let step = 0.381_966 + f32::from(seed) * 0.007;
    let numbers = (1..=1024_u16).map(|n| 2.0 * (f32::from(n) * step).fract() - 1.0);
    Maker::new(numbers.collect()).rig()
}

/// Makes a rig from a pool of numbers.
struct Maker {
    pool: std::iter::Cycle<std::vec::IntoIter<f32>>,
}

impl Maker {
    fn new(pool: Vec<f32>) -> Self {
        let pool = pool.into_iter().cycle();
        Self { pool }
    }

    fn rig(&mut self) -> PosedRig {
        let count = 2 + self.below(4);
        let joints = (0..count).map(|index| self.joint(index)).collect();
        let mut asset = asset_of(joints);
        asset.skins.push(self.skin(&asset));
        asset.meshes.push(self.mesh(count));
        asset.instances = vec![
            self.instance(count, Some(SkinId(0))),
            self.instance(count, None),
        ];
        let pose = Pose {
            locals: (0..count)
                .map(|_| LocalTransform::Trs(self.trs()))
                .collect(),
            morph_weights: (0..2).map(|_| vec![self.number(), self.number()]).collect(),
        };
        PosedRig { asset, pose }
    }

    fn joint(&mut self, index: usize) -> Node {
        let parent = (index > 0).then(|| NodeId::from_index(self.below(index)));
        Node {
            name: format!("joint {index}"),
            parent,
            rest: LocalTransform::Trs(self.trs()),
        }
    }

    /// All joints, from the last to the first, so that a slot is not the joint's id.
    fn skin(&mut self, asset: &Asset) -> Skin {
        let ids = (0..asset.skeleton.len()).rev().map(NodeId::from_index);
        Skin {
            name: "skin".into(),
            inverse_bind_matrices: ids
                .clone()
                .map(|_| self.trs().to_matrix().inverse())
                .collect(),
            joints: ids.collect(),
        }
    }

    fn mesh(&mut self, slots: usize) -> Mesh {
        let count = 12;
        let frames: Vec<Mat3> = (0..count)
            .map(|_| Mat3::from_quat(self.rotation()))
            .collect();
        let influences: Vec<Vec<Influence>> = (0..count)
            .map(|vertex| self.influences(vertex % 8, slots))
            .collect();
        Mesh {
            positions: self.vectors(count),
            normals: frames.iter().map(|frame| frame.z_axis).collect(),
            tangents: frames.iter().map(|frame| frame.x_axis).collect(),
            bitangents: frames.iter().map(|frame| frame.y_axis).collect(),
            influences: Influences::from_vertices(influences),
            morph_targets: vec![self.morph_target(count), self.morph_target(count)],
            ..Mesh::default()
        }
    }

    fn influences(&mut self, count: usize, slots: usize) -> Vec<Influence> {
        let one = |_| Influence {
            joint: JointId(u32::try_from(self.below(slots)).expect("there are few slots")),
            weight: 0.05 + self.number().abs(),
        };
        (0..count).map(one).collect()
    }

    fn morph_target(&mut self, vertices: usize) -> MorphTarget {
        let mut small = || self.vectors(vertices).iter().map(|v| *v * 0.3).collect();
        MorphTarget {
            name: "target".into(),
            positions: small(),
            normals: small(),
            tangents: small(),
        }
    }

    fn instance(&mut self, joints: usize, skin: Option<SkinId>) -> MeshInstance {
        MeshInstance {
            node: NodeId::from_index(self.below(joints)),
            mesh: MeshId(0),
            skin,
            morph_weights: vec![0.0, 0.0],
        }
    }

    fn trs(&mut self) -> Trs {
        Trs {
            translation: self.vector() * 2.0,
            rotation: self.rotation(),
            scale: Vec3::new(self.factor(), self.factor(), self.factor()),
        }
    }

    /// 0.5 to 1.5, and now and then mirrored.
    fn factor(&mut self) -> f32 {
        let size = 1.0 + 0.5 * self.number();
        if self.number() > 0.8 { -size } else { size }
    }

    fn rotation(&mut self) -> Quat {
        let components = [self.number(), self.number(), self.number(), self.number()];
        let rotation = Quat::from_array(components);
        if rotation.length() > 0.01 {
            rotation.normalize()
        } else {
            Quat::IDENTITY
        }
    }

    fn vectors(&mut self, count: usize) -> Vec<Vec3> {
        (0..count).map(|_| self.vector()).collect()
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a small number of choices"
    )]
    fn below(&mut self, count: usize) -> usize {
        let unit = 0.5 + 0.5 * self.number();
        ((unit * count as f32) as usize).min(count - 1)
    }

    fn number(&mut self) -> f32 {
        self.pool.next().expect("the pool is a cycle")
    }
}
