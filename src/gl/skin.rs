//! A skin on the graphics card: joints, inverse bind matrices, and the palette that a shader computes from them.

use glam::Mat4;

use super::buffer::{Buffer, TexelBuffer, TexelFormat};
use super::feedback::{self, Part};
use super::program::{Program, Source};
use super::vertex_array::VertexArray;
use super::{Current, GlError};
use crate::rig::{Skin, SkinId};

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
        feedback::run(
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
