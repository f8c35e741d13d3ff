//! Morph targets as shaders read them.

use glam::Vec3;

use super::buffer::{TexelBuffer, TexelFormat};
use super::{Current, GlError};
use crate::rig::{Mesh, MorphTarget};

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
            .map(|target| pack(mesh, target, &mut offsets));
        let targets = targets.collect();
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
