//! Skinning in shaders.

use std::ops::Range;

use glam::Vec3;

use super::buffer::{self, Buffer, Part, TexelBuffer, TexelFormat};
use super::mesh::{MeshData, PaletteMaker, SkinData, VECTORS, check_joints, upload_matrices};
use super::program::{Inputs, Program, Source};
use super::{Current, GlError};
use crate::look::glsl;
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, InstanceId, MeshInstance, Skin, SkinId, SkinningOptions};

/// Most vertices of all instances together. Each takes some 100 bytes, so this is about 2 GiB.
pub(super) const MAX_VERTICES: usize = 1 << 24;

/// A posed vertex: position, normal, tangent, bitangent.
type Vertex = [[f32; 3]; VECTORS as usize];

/// An asset on the graphics card, and its vertices in the last pose.
#[derive(Debug)]
pub(super) struct Deformer<'gl> {
    gl: Current<'gl>,
    asset: &'gl Asset,
    palettes: PaletteMaker<'gl>,
    program: Program<'gl>,
    meshes: Vec<MeshData<'gl>>,
    skins: Vec<SkinData<'gl>>,
    /// Stand-ins for missing weights and palette.
    nothing: TexelBuffer<'gl>,
    nothing_whole: TexelBuffer<'gl>,
    /// The vertices of each instance in `posed`.
    ranges: Vec<Range<usize>>,
    posed: TexelBuffer<'gl>,
}

impl<'gl> Deformer<'gl> {
    pub(super) fn load(gl: Current<'gl>, asset: &'gl Asset) -> Result<Self, GlError> {
        let ranges = ranges(asset)?;
        let count = ranges.last().map_or(0, |range| range.end);
        let posed = Buffer::empty(gl, count * size_of::<Vertex>())?;
        let meshes = asset.meshes.iter().map(|mesh| MeshData::upload(gl, mesh));
        let skins = asset.skins.iter().map(|skin| SkinData::upload(gl, skin));
        Ok(Self {
            gl,
            asset,
            palettes: PaletteMaker::new(gl)?,
            program: Program::link(gl, &SOURCE)?,
            meshes: meshes.collect::<Result<_, _>>()?,
            skins: skins.collect::<Result<_, _>>()?,
            nothing: TexelBuffer::upload(gl, &[0.0_f32; 4], TexelFormat::Rgba32F, "nothing")?,
            nothing_whole: TexelBuffer::upload(gl, &[[0_u32; 2]], TexelFormat::Rg32U, "nothing")?,
            ranges,
            posed: TexelBuffer::new(posed, TexelFormat::Rgba32F, "the vertices of all instances")?,
        })
    }

    /// Three texels per vertex: position, normal, tangent and bitangent, one after the other. In the order of
    /// instances.
    pub(super) fn posed(&self) -> &TexelBuffer<'gl> {
        &self.posed
    }

    /// The vertices of each instance among the posed ones.
    pub(super) fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Poses all instances.
    pub(super) fn pose(
        &mut self,
        pose: &ModelPose,
        options: SkinningOptions,
    ) -> Result<(), GlError> {
        self.pose_skins(pose)?;
        for index in 0..self.asset.instances.len() {
            self.pose_instance(index, pose, options)?;
        }
        Ok(())
    }

    /// The palettes of the used skins.
    fn pose_skins(&self, pose: &ModelPose) -> Result<(), GlError> {
        let mut used = vec![false; self.skins.len()];
        for skin in self
            .asset
            .instances
            .iter()
            .filter_map(|instance| instance.skin)
        {
            used[skin.index()] = true;
        }
        let worlds = upload_matrices(self.gl, &pose.nodes)?;
        for (index, data) in self
            .skins
            .iter()
            .enumerate()
            .filter(|(index, _)| used[*index])
        {
            let id = SkinId::from_index(index);
            check_joints(&self.asset.skins[index], id, pose.nodes.len())?;
            data.pose(self.gl, &self.palettes, &worlds)?;
        }
        Ok(())
    }

    fn pose_instance(
        &mut self,
        index: usize,
        pose: &ModelPose,
        options: SkinningOptions,
    ) -> Result<(), GlError> {
        let (gl, id) = (self.gl, InstanceId::from_index(index));
        let instance = &self.asset.instances[index];
        let node = pose.nodes.get(instance.node.index());
        let world_from_node = node.ok_or(GlError::UnknownNode { instance: id })?;
        if let Some(skin) = self.asset.skin_of(instance) {
            check_slots(self.asset, instance, id, skin)?;
        }
        let inputs = self.program.bind();
        let weights = pose
            .morph_weights
            .get(index)
            .unwrap_or(&instance.morph_weights);
        let mesh = &mut self.meshes[instance.mesh.index()];
        let active = mesh.morphs.active(gl, weights)?;
        inputs.buffer(c"u_targets", &active.table);
        inputs.int(c"u_target_count", active.count);
        inputs.buffer(c"u_offsets", mesh.morphs.offsets());
        inputs.flag(c"u_rotate_bitangents", active.rotates_bitangents);
        inputs.mat4(c"u_world_from_node", world_from_node);
        match instance.skin {
            Some(skin) => {
                let source = self.asset.mesh_of(instance);
                let weights = mesh.weights(gl, source, options)?;
                inputs.flag(c"u_skinned", true);
                inputs.buffer(c"u_palette", self.skins[skin.index()].palette());
                inputs.buffer(c"u_ranges", &weights.ranges);
                inputs.buffer(c"u_influences", &weights.influences);
                inputs.flag(c"u_dual_quaternions", weights.shares.is_some());
                inputs.buffer(
                    c"u_shares",
                    weights.shares.as_ref().unwrap_or(&self.nothing),
                );
            }
            None => follow_node(&inputs, &self.nothing, &self.nothing_whole),
        }
        mesh.array.bind();
        let vertex = size_of::<Vertex>();
        let part = Part {
            first: self.ranges[index].start * vertex,
            bytes: mesh.vertex_count * vertex,
        };
        buffer::run_feedback(gl, mesh.vertex_count, self.posed.buffer(), part)
    }

    /// The posed vertices of all instances.
    pub(super) fn read(&self) -> Result<Vec<DeformedMesh>, GlError> {
        let count = self.ranges.last().map_or(0, |range| range.end);
        let vertices: Vec<Vertex> = self.posed.buffer().read(count)?;
        let instances = self.asset.instances.iter().enumerate();
        let unpack = |(index, instance): (usize, &MeshInstance)| {
            let mesh = self.asset.mesh_of(instance);
            let vertices = &vertices[self.ranges[index].clone()];
            let list = |own: &[Vec3], vector: usize| -> Vec<Vec3> {
                let count = own.len().min(vertices.len());
                let values = vertices[..count]
                    .iter()
                    .map(|vertex| Vec3::from(vertex[vector]));
                values.collect()
            };
            DeformedMesh {
                instance: InstanceId::from_index(index),
                positions: list(&mesh.positions, 0),
                normals: list(&mesh.normals, 1),
                tangents: list(&mesh.tangents, 2),
                bitangents: list(&mesh.bitangents, 3),
            }
        };
        Ok(instances.map(unpack).collect())
    }
}

const SOURCE: Source<'_> = Source {
    name: "deform",
    vertex: &[
        include_str!("shaders/version.glsl"),
        include_str!("shaders/buffers.glsl"),
        glsl::DEFORM,
        include_str!("shaders/deform.vert"),
    ],
    fragment: &[],
    feedback: &[c"v_position", c"v_normal", c"v_tangent", c"v_bitangent"],
};

fn follow_node(inputs: &Inputs<'_, '_>, floats: &TexelBuffer<'_>, numbers: &TexelBuffer<'_>) {
    inputs.flag(c"u_skinned", false);
    inputs.buffer(c"u_palette", floats);
    inputs.buffer(c"u_ranges", numbers);
    inputs.buffer(c"u_influences", numbers);
    inputs.flag(c"u_dual_quaternions", false);
    inputs.buffer(c"u_shares", floats);
}

/// One range per instance, one after the other.
fn ranges(asset: &Asset) -> Result<Vec<Range<usize>>, GlError> {
    let mut next = 0_usize;
    let counts = asset
        .instances
        .iter()
        .map(|i| asset.mesh_of(i).positions.len());
    let ranges: Vec<_> = counts
        .map(|count| {
            let first = next;
            next = next.saturating_add(count);
            first..next
        })
        .collect();
    if next > MAX_VERTICES {
        return Err(GlError::TooLarge {
            what: "the vertices of all instances",
            needed: next,
            limit: MAX_VERTICES,
        });
    }
    Ok(ranges)
}

/// Refuses slots that the skin lacks; validated assets name none.
fn check_slots(
    asset: &Asset,
    instance: &MeshInstance,
    id: InstanceId,
    skin: &Skin,
) -> Result<(), GlError> {
    let slots = skin.joints.len().min(skin.inverse_bind_matrices.len());
    let influences = asset.mesh_of(instance).influences.all().iter();
    let largest = influences.map(|influence| influence.slot).max();
    match largest {
        Some(slot) if slot.index() >= slots => Err(GlError::UnknownSlot {
            instance: id,
            slot,
            slots,
        }),
        _ => Ok(()),
    }
}
