//! A mesh on the graphics card, ready to be deformed.

use glam::Vec3;

use super::buffer::{Buffer, TexelBuffer, TexelFormat};
use super::morphs::Morphs;
use super::vertex_array::VertexArray;
use super::weights;
use super::{Current, GlError};
use crate::rig::{Mesh, SkinningOptions};

/// A mesh at rest.
#[derive(Debug)]
pub(super) struct MeshData<'gl> {
    pub(super) array: VertexArray<'gl>,
    pub(super) vertex_count: usize,
    pub(super) morphs: Morphs<'gl>,
    weights: Option<Weights<'gl>>,
    _vertices: Buffer<'gl>,
}

/// The weights of a mesh for one set of options.
#[derive(Debug)]
pub(super) struct Weights<'gl> {
    options: SkinningOptions,
    pub(super) ranges: TexelBuffer<'gl>,
    pub(super) influences: TexelBuffer<'gl>,
    /// The shares of dual quaternions, one per vertex; `None` if all are 0.
    pub(super) shares: Option<TexelBuffer<'gl>>,
}

/// Position, normal, tangent and bitangent.
pub(super) const VECTORS: u8 = 4;

impl<'gl> MeshData<'gl> {
    pub(super) fn upload(gl: Current<'gl>, mesh: &Mesh) -> Result<Self, GlError> {
        let vertices = Buffer::upload(gl, &interleaved(mesh))?;
        Ok(Self {
            array: VertexArray::new(&vertices, VECTORS, VECTORS, None)?,
            vertex_count: mesh.positions.len(),
            morphs: Morphs::upload(gl, mesh)?,
            weights: None,
            _vertices: vertices,
        })
    }

    /// The weights for `options`. The weights of the last call are cached.
    pub(super) fn weights(
        &mut self,
        gl: Current<'gl>,
        mesh: &Mesh,
        options: SkinningOptions,
    ) -> Result<&Weights<'gl>, GlError> {
        let kept = self
            .weights
            .take()
            .filter(|weights| weights.options == options);
        let weights = match kept {
            Some(weights) => weights,
            None => Weights::upload(gl, mesh, options)?,
        };
        Ok(self.weights.insert(weights))
    }
}

impl<'gl> Weights<'gl> {
    fn upload(gl: Current<'gl>, mesh: &Mesh, options: SkinningOptions) -> Result<Self, GlError> {
        let packed = weights::pack(mesh, options);
        let upload =
            |rows: &[[u32; 2]]| TexelBuffer::upload(gl, rows, TexelFormat::Rg32U, "the influences");
        let shares = mesh.has_dual_quaternions(options.method).then(|| {
            let share = |vertex| mesh.dual_quaternion_share(vertex, options.method);
            let shares: Vec<f32> = (0..mesh.positions.len()).map(share).collect();
            TexelBuffer::upload(
                gl,
                &shares,
                TexelFormat::R32F,
                "the shares of dual quaternions",
            )
        });
        Ok(Self {
            options,
            ranges: upload(&packed.ranges)?,
            influences: upload(&packed.influences)?,
            shares: shares.transpose()?,
        })
    }
}

/// Zero for an attribute that the mesh lacks.
fn interleaved(mesh: &Mesh) -> Vec<[[f32; 3]; 4]> {
    let at = |list: &[Vec3], vertex: usize| list.get(vertex).map_or([0.0; 3], Vec3::to_array);
    let lists = [
        &mesh.positions,
        &mesh.normals,
        &mesh.tangents,
        &mesh.bitangents,
    ];
    let vertices = 0..mesh.positions.len();
    vertices
        .map(|vertex| lists.map(|list| at(list, vertex)))
        .collect()
}
