//! Writes a reference, and creates one from a model.

use glam::{DVec3, Vec3};

use super::super::binding::{Binding, Shape, seen_uvs};
use super::{Clip, ClipHeader, Frame, Header, Mesh, MeshHeader, Node, Reference, SCHEMA};
use crate::pose::ModelPose;
use crate::rig::{Asset, ClipId, DeformedMesh, MeshInstance};
use crate::skinning::effective;
use crate::units::Seconds;

/// A model at one time of a clip.
#[derive(Debug, Clone)]
pub struct Pose {
    /// The clip.
    pub clip: ClipId,
    /// In seconds of that clip.
    pub time: Seconds,
    /// `world_from_node` of every node.
    pub pose: ModelPose,
    /// One per instance, in world space.
    pub meshes: Vec<DeformedMesh>,
}

/// Creates the reference of `asset` as evaluated by skincheck.
///
/// * `poses` – clip by clip, in order of time.
#[must_use]
pub fn of_model(asset: &Asset, poses: Vec<Pose>) -> Reference {
    let Binding { joints, shapes } = Binding::of(asset);
    let bound = asset.bound_joints();
    let nodes = asset.skeleton.iter().map(|(id, joint)| Node {
        name: joint.name.clone(),
        parent: joint.parent.map(crate::rig::NodeId::index),
        joint: bound[id.index()],
        rest: joints[id.index()].as_mat4(),
    });
    let meshes = asset.instances.iter().zip(&shapes);
    let mut clips: Vec<(ClipId, Clip)> = Vec::new();
    for pose in poses {
        let has_normals = |mesh: &DeformedMesh| {
            let instance = &asset[mesh.instance];
            !asset.mesh_of(instance).normals.is_empty()
        };
        let normals = pose.meshes.iter().map(|mesh| {
            if has_normals(mesh) {
                mesh.normals.clone()
            } else {
                Vec::new()
            }
        });
        let frame = Frame {
            time: pose.time.0,
            nodes: pose.pose.nodes,
            normals: normals.collect(),
            positions: pose.meshes.into_iter().map(|mesh| mesh.positions).collect(),
        };
        match clips.last_mut() {
            Some((id, clip)) if *id == pose.clip => clip.frames.push(frame),
            _ => clips.push((
                pose.clip,
                Clip {
                    name: asset[pose.clip].name.clone(),
                    frames: vec![frame],
                },
            )),
        }
    }
    Reference {
        generator: format!("skincheck {}", env!("CARGO_PKG_VERSION")),
        space: asset.space,
        nodes: nodes.collect(),
        meshes: meshes
            .map(|(instance, shape)| mesh(asset, instance, shape))
            .collect(),
        clips: clips.into_iter().map(|(_, clip)| clip).collect(),
    }
}

fn mesh(asset: &Asset, instance: &MeshInstance, shape: &Shape) -> Mesh {
    let mesh = asset.mesh_of(instance);
    let influences = match asset.skin_of(instance) {
        Some(skin) => {
            let lists = effective(&mesh.influences, crate::rig::SkinningOptions::default());
            let lists = lists.iter().map(|list| {
                let pairs = list.iter();
                let pairs = pairs.map(|one| (skin.joints[one.slot.index()].0, one.weight));
                pairs.collect()
            });
            lists.collect()
        }
        None => Vec::new(),
    };
    let moving = mesh
        .morph_targets
        .iter()
        .filter(|target| target.positions.iter().any(|offset| *offset != Vec3::ZERO));
    Mesh {
        name: mesh.name.clone(),
        node: Some(instance.node.index()),
        positions: shape
            .positions
            .iter()
            .copied()
            .map(DVec3::as_vec3)
            .collect(),
        normals: shape.normals.iter().copied().map(DVec3::as_vec3).collect(),
        uvs: seen_uvs(asset, mesh).to_vec(),
        triangles: mesh.triangles.clone(),
        influences,
        shape_keys: moving.map(|target| target.name.clone()).collect(),
    }
}

impl Reference {
    pub(super) fn header(&self) -> Header {
        Header {
            schema: SCHEMA.to_owned(),
            generator: self.generator.clone(),
            up: self.space.up,
            front: self.space.front,
            metres_per_unit: self.space.metres_per_unit,
            nodes: self.nodes.clone(),
            meshes: self.meshes.iter().map(MeshHeader::of).collect(),
            clips: self.clips.iter().map(ClipHeader::of).collect(),
        }
    }

    /// The bytes of the file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = self.header();
        let mut bytes = serde_json::to_vec(&header).unwrap_or_default();
        bytes.push(b'\n');
        for (mesh, header) in self.meshes.iter().zip(&header.meshes) {
            mesh.write(header.influences, &mut bytes);
        }
        for frame in self.clips.iter().flat_map(|clip| &clip.frames) {
            for matrix in &frame.nodes {
                floats(&matrix.to_cols_array(), &mut bytes);
            }
            for (positions, normals) in frame.positions.iter().zip(&frame.normals) {
                vectors(positions, &mut bytes);
                vectors(normals, &mut bytes);
            }
        }
        bytes
    }
}

impl MeshHeader {
    fn of(mesh: &Mesh) -> Self {
        Self {
            name: mesh.name.clone(),
            node: mesh.node,
            vertices: mesh.positions.len(),
            triangles: mesh.triangles.len(),
            normals: !mesh.normals.is_empty(),
            uvs: !mesh.uvs.is_empty(),
            influences: mesh.influences.iter().map(Vec::len).max().unwrap_or(0),
            shape_keys: mesh.shape_keys.clone(),
        }
    }
}

impl ClipHeader {
    fn of(clip: &Clip) -> Self {
        Self {
            name: clip.name.clone(),
            times: clip.frames.iter().map(|frame| frame.time).collect(),
        }
    }
}

impl Mesh {
    fn write(&self, influences: usize, bytes: &mut Vec<u8>) {
        vectors(&self.positions, bytes);
        vectors(&self.normals, bytes);
        for uv in &self.uvs {
            floats(&uv.to_array(), bytes);
        }
        for corner in self.triangles.as_flattened() {
            bytes.extend(corner.to_le_bytes());
        }
        let of = |vertex: usize, index: usize| {
            let list = self.influences.get(vertex);
            list.and_then(|list| list.get(index)).copied()
        };
        let all = (0..self.positions.len())
            .flat_map(|vertex| (0..influences).map(move |index| (vertex, index)));
        for (vertex, index) in all.clone() {
            bytes.extend(of(vertex, index).map_or(0, |(node, _)| node).to_le_bytes());
        }
        for (vertex, index) in all {
            floats(
                &[of(vertex, index).map_or(0.0, |(_, weight)| weight)],
                bytes,
            );
        }
    }
}

fn floats(numbers: &[f32], bytes: &mut Vec<u8>) {
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn vectors(list: &[Vec3], bytes: &mut Vec<u8>) {
    for vector in list {
        floats(&vector.to_array(), bytes);
    }
}
