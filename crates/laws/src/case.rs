//! The cases that laws are tested on, and the smallest rigs that show them.

use glam::{Mat4, Quat, Vec3, Vec4};

use crate::lists::distinct;
use crate::pose::ModelPose;
use crate::rig::{
    Asset, Blending, Channel, Clip, Influence, Influences, InstanceId, LocalTransform, Mesh,
    MeshId, MeshInstance, Node, NodeId, Skeleton, Skin, SkinId, SkinSlot, Track, Trs,
};
use crate::units::Seconds;

/// A track and a time.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion<T> {
    /// All keys are usable: no zero quaternion, and every number is finite.
    pub track: Track<T>,
    /// In seconds, on the track's time line.
    pub time: f64,
}

impl<T> Motion<T> {
    /// A case from a track and a time in seconds.
    #[must_use]
    pub fn new(track: Track<T>, time: f64) -> Self {
        Self { track, time }
    }
}

/// A linear track from `from` at 0 s to `to` at 1 s.
#[must_use]
pub fn key_pair<T>(from: T, to: T) -> Track<T> {
    Track::linear([(0.0, from), (1.0, to)])
}

/// Skinned vertices in a pose: the complete input of skinning.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Body {
    /// In mesh space.
    pub positions: Vec<Vec3>,
    /// One list per vertex, weights as in the file.
    pub influences: Influences,
    /// `joint_from_mesh` at bind time, one per joint. Affine.
    pub inverse_binds: Vec<Mat4>,
    /// `world_from_joint` in the pose, one per joint. Affine.
    pub joints: Vec<Mat4>,
    /// `world_from_mesh`, for vertices without weight.
    pub node: Mat4,
    /// How the joints of a vertex are blended.
    pub blending: Blending,
}

impl Body {
    /// Some vertices of an instance in a pose, with the joints that they use. Morph targets are not applied.
    ///
    /// * `pose` – of the skeleton of `asset`.
    /// * `vertices` – of the instance's mesh.
    ///
    /// `None` for an instance without a skin, and where a matrix is not finite.
    ///
    /// # Panics
    ///
    /// If `asset` is not [valid](Asset::validate), or has no such instance or vertex.
    #[must_use]
    pub fn of(
        asset: &Asset,
        instance: InstanceId,
        pose: &ModelPose,
        vertices: &[usize],
    ) -> Option<Self> {
        let instance = &asset[instance];
        let (mesh, skin) = (asset.mesh_of(instance), asset.skin_of(instance)?);
        let lists: Vec<&[Influence]> = vertices
            .iter()
            .map(|vertex| mesh.influences.of(*vertex))
            .collect();
        let used = distinct(lists.iter().copied().flatten().map(|i| i.slot));
        let renumbered = |influence: &Influence| {
            Influence::new(
                SkinSlot::from_index(used.partition_point(|joint| *joint < influence.slot)),
                influence.weight,
            )
        };
        let world = |joint: &SkinSlot| pose.nodes[skin.joints[joint.index()].index()];
        let inverse_bind = |joint: &SkinSlot| skin.inverse_bind_matrices[joint.index()];
        let body = Self {
            positions: vertices.iter().map(|v| mesh.positions[*v]).collect(),
            influences: Influences::from_vertices(
                lists.iter().map(|list| list.iter().map(renumbered)),
            ),
            inverse_binds: used.iter().map(inverse_bind).map(affine).collect(),
            joints: used.iter().map(world).map(affine).collect(),
            node: affine(pose[instance.node]),
            blending: mesh.blending.picked(vertices),
        };
        let mut matrices = body.inverse_binds.iter().chain(&body.joints);
        let finite = matrices.all(glam::Mat4::is_finite) && body.node.is_finite();
        (finite && body.positions.iter().all(|p| p.is_finite())).then_some(body)
    }

    /// The same as an asset of root nodes, whose rest pose is the body's pose: node 0 is the mesh's, node `i + 1` is
    /// joint `i`. Each vertex has a degenerate triangle, since readers and engines drop vertices without one.
    ///
    /// # Panics
    ///
    /// Never: all nodes are roots.
    #[must_use]
    pub fn to_asset(&self) -> Asset {
        let node = |(index, matrix): (usize, &Mat4)| Node {
            name: match index {
                0 => "mesh".to_owned(),
                joint => format!("joint {}", joint - 1),
            },
            parent: None,
            rest: LocalTransform::Matrix(*matrix),
        };
        let corners = (0_u32..).take(self.positions.len());
        let matrices = std::iter::once(&self.node).chain(&self.joints);
        let nodes = matrices.enumerate().map(node).collect();
        let skeleton = Skeleton::new(nodes).expect("all nodes are roots");
        Asset {
            meshes: vec![Mesh {
                name: "mesh".to_owned(),
                positions: self.positions.clone(),
                // Without normals glTF asks for flat ones, for which importers split vertices.
                normals: vec![Vec3::Z; self.positions.len()],
                triangles: corners.map(|vertex| [vertex; 3]).collect(),
                influences: self.influences.clone(),
                blending: self.blending.clone(),
                ..Mesh::default()
            }],
            skins: vec![Skin {
                name: "skin".to_owned(),
                joints: (0..self.joints.len())
                    .map(|joint| NodeId::from_index(joint + 1))
                    .collect(),
                inverse_bind_matrices: self.inverse_binds.clone(),
            }],
            instances: vec![MeshInstance::skinned(NodeId(0), MeshId(0), SkinId(0))],
            ..Asset::of(skeleton)
        }
    }

    /// The pose of [`Body::to_asset`].
    #[must_use]
    pub fn pose(&self) -> ModelPose {
        let nodes = std::iter::once(&self.node).chain(&self.joints);
        ModelPose {
            nodes: nodes.copied().collect(),
            morph_weights: vec![Vec::new()],
            ..ModelPose::default()
        }
    }
}

/// The matrix with the last row 0 0 0 1, as skinning assumes.
fn affine(mut matrix: Mat4) -> Mat4 {
    for (axis, w) in [
        (&mut matrix.x_axis, 0.0),
        (&mut matrix.y_axis, 0.0),
        (&mut matrix.z_axis, 0.0),
        (&mut matrix.w_axis, 1.0),
    ] {
        *axis = Vec4::from((axis.truncate(), w));
    }
    matrix
}

/// A body, and the parameters of laws that change it.
#[derive(Debug, Clone, PartialEq)]
pub struct SkinCase {
    /// The body to skin.
    pub body: Body,
    /// A motion of the whole body: rotation (unit quaternion) and translation.
    pub motion: (Quat, Vec3),
    /// A uniform scale of the whole body; above 0.
    pub scale: f32,
}

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
    let joints = weights
        .iter()
        .map(|influence| influence.slot.index() + 1)
        .max()
        .unwrap_or(0);
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
