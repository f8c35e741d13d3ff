//! Meshes on the graphics card, with morph targets and influences in the layout that shaders read, and skins, whose palette
//! a shader computes from joints and inverse bind matrices.

use glam::{Mat4, Vec3};

use super::buffer::{self, Buffer, Part, TexelBuffer, TexelFormat, VertexArray};
use super::program::{Program, Source};
use super::{Current, GlError};
use crate::rig::{Mesh, MorphTarget, Skin, SkinId, SkinningOptions};
use crate::skinning::weights::of_vertex;

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
        let packed = pack_influences(mesh, options);
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

/// The offsets of all targets of one mesh, and the start of each.
#[derive(Debug)]
pub(super) struct Morphs<'gl> {
    offsets: TexelBuffer<'gl>,
    targets: Vec<Target>,
    /// Whether the mesh has all attributes from which bitangents are computed.
    has_frames: bool,
}

/// The start of a target's position, normal and tangent offsets, plus one; 0 for attributes that it does not move.
#[derive(Debug, Clone, Copy, Default)]
struct Target {
    positions: u32,
    normals: u32,
    tangents: u32,
}

/// The targets that a pose uses.
#[derive(Debug)]
pub(super) struct ActiveTargets<'gl> {
    /// Weights (as bits) and the starts of the offsets.
    pub(super) table: TexelBuffer<'gl>,
    pub(super) count: i32,
    /// Whether normals or tangents move, so that bitangents must be recomputed.
    pub(super) rotates_bitangents: bool,
}

impl<'gl> Morphs<'gl> {
    pub(super) fn upload(gl: Current<'gl>, mesh: &Mesh) -> Result<Self, GlError> {
        let mut offsets = Vec::new();
        let targets = mesh
            .morph_targets
            .iter()
            .map(|target| pack(mesh, target, &mut offsets))
            .collect();
        let count = mesh.bitangents.len();
        Ok(Self {
            offsets: TexelBuffer::upload(gl, &offsets, TexelFormat::R32F, "the morph targets")?,
            targets,
            has_frames: mesh.normals.len() == count && mesh.tangents.len() == count,
        })
    }

    pub(super) fn offsets(&self) -> &TexelBuffer<'gl> {
        &self.offsets
    }

    /// The targets whose weight in `weights` is not 0, in order. Targets past the end of `weights` are inactive.
    pub(super) fn active(
        &self,
        gl: Current<'gl>,
        weights: &[f32],
    ) -> Result<ActiveTargets<'gl>, GlError> {
        let pairs = self.targets.iter().zip(weights);
        let active: Vec<_> = pairs.filter(|(_, weight)| **weight != 0.0).collect();
        let row = |(target, weight): &(&Target, &f32)| {
            [
                weight.to_bits(),
                target.positions,
                target.normals,
                target.tangents,
            ]
        };
        let rows: Vec<[u32; 4]> = active.iter().map(row).collect();
        let rotates = |(target, _): &(&Target, &f32)| target.normals != 0 || target.tangents != 0;
        Ok(ActiveTargets {
            table: TexelBuffer::upload(gl, &rows, TexelFormat::Rgba32U, "the morph targets")?,
            count: i32::try_from(rows.len()).unwrap_or(i32::MAX),
            rotates_bitangents: self.has_frames && active.iter().any(rotates),
        })
    }
}

/// Appends the offsets of `target`; those of attributes that the mesh lacks have no effect.
fn pack(mesh: &Mesh, target: &MorphTarget, offsets: &mut Vec<f32>) -> Target {
    let mut section = |base: &[Vec3], moved: &[Vec3]| {
        if base.is_empty() || moved.is_empty() {
            return 0;
        }
        // A count that overflows exceeds any buffer, and the upload refuses it.
        let first = u32::try_from(offsets.len() + 1).unwrap_or(0);
        offsets.extend(moved.iter().flat_map(Vec3::to_array));
        first
    };
    Target {
        positions: section(&mesh.positions, &target.positions),
        normals: section(&mesh.normals, &target.normals),
        tangents: section(&mesh.tangents, &target.tangents),
    }
}

/// The influences of all vertices, as shaders read them.
#[derive(Debug, Default)]
struct PackedInfluences {
    /// First influence and number of influences of each vertex; none for a vertex that follows its mesh's node.
    pub(super) ranges: Vec<[u32; 2]>,
    /// Joint and weight (as bits).
    pub(super) influences: Vec<[u32; 2]>,
}

/// Packs the weights of `mesh` according to `options`.
fn pack_influences(mesh: &Mesh, options: SkinningOptions) -> PackedInfluences {
    let mut packed = PackedInfluences::default();
    for vertex in 0..mesh.positions.len() {
        let first = packed.influences.len();
        let blended = of_vertex(mesh.influences.of(vertex), options);
        let texel = blended.map(|influence| [influence.slot.0, influence.weight.to_bits()]);
        packed.influences.extend(texel);
        let count = packed.influences.len() - first;
        packed.ranges.push([first, count].map(number));
    }
    packed
}

/// Influences of an asset are fewer than 2^32.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Multiplies joint and inverse bind matrices, one slot per vertex.
#[derive(Debug)]
pub(super) struct PaletteMaker<'gl> {
    program: Program<'gl>,
    nothing: VertexArray<'gl>,
}

impl<'gl> PaletteMaker<'gl> {
    pub(super) fn new(gl: Current<'gl>) -> Result<Self, GlError> {
        let program = Program::link(
            gl,
            &Source {
                name: "palette",
                vertex: &[include_str!("shaders/palette.vert")],
                fragment: &[],
                feedback: &[c"v_x", c"v_y", c"v_z", c"v_w", c"v_rotation"],
            },
        )?;
        let nothing = VertexArray::bare(gl);
        Ok(Self { program, nothing })
    }
}

/// A skin, and its palette in the last pose.
#[derive(Debug)]
pub(super) struct SkinData<'gl> {
    joints: TexelBuffer<'gl>,
    inverse_binds: TexelBuffer<'gl>,
    palette: TexelBuffer<'gl>,
    slots: usize,
}

/// The bytes of a slot: a matrix, and the rotation nearest to it.
const SLOT: usize = size_of::<[f32; 20]>();

impl<'gl> SkinData<'gl> {
    pub(super) fn upload(gl: Current<'gl>, skin: &Skin) -> Result<Self, GlError> {
        let joints: Vec<u32> = skin.joints.iter().map(|joint| joint.0).collect();
        let slots = joints.len();
        let palette = Buffer::empty(gl, slots * SLOT)?;
        Ok(Self {
            joints: TexelBuffer::upload(gl, &joints, TexelFormat::R32U, "the joints of a skin")?,
            inverse_binds: upload_matrices(gl, &skin.inverse_bind_matrices)?,
            palette: TexelBuffer::new(palette, TexelFormat::Rgba32F, "the joints of a skin")?,
            slots,
        })
    }

    /// Computes the palette for joints at `worlds`: `world_from_joint`, as many as the pose has.
    pub(super) fn pose(
        &self,
        gl: Current<'gl>,
        maker: &PaletteMaker<'gl>,
        worlds: &TexelBuffer<'gl>,
    ) -> Result<(), GlError> {
        let inputs = maker.program.bind();
        inputs.buffer(c"u_joints", &self.joints);
        inputs.buffer(c"u_inverse_binds", &self.inverse_binds);
        inputs.buffer(c"u_worlds", worlds);
        maker.nothing.bind();
        let bytes = self.slots * SLOT;
        buffer::run_feedback(
            gl,
            self.slots,
            self.palette.buffer(),
            Part { first: 0, bytes },
        )
    }

    pub(super) fn palette(&self) -> &TexelBuffer<'gl> {
        &self.palette
    }
}

/// Uploads matrices, four texels each: their columns.
pub(super) fn upload_matrices<'gl>(
    gl: Current<'gl>,
    matrices: &[Mat4],
) -> Result<TexelBuffer<'gl>, GlError> {
    let columns: Vec<[f32; 16]> = matrices.iter().map(Mat4::to_cols_array).collect();
    TexelBuffer::upload(gl, &columns, TexelFormat::Rgba32F, "the joints")
}

/// Refuses a pose with `joints` joints that lacks a joint of `skin`.
pub(super) fn check_joints(skin: &Skin, id: SkinId, joints: usize) -> Result<(), GlError> {
    let missing = skin.joints.iter().find(|joint| joint.index() >= joints);
    missing.map_or(Ok(()), |&joint| {
        Err(GlError::UnknownJoint {
            skin: id,
            joint,
            joints,
        })
    })
}
