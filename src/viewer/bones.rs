//! The matrices that a page blends: each pair of a joint and an inverse bind matrix once, however many skins share it.

use std::collections::BTreeMap;

use glam::Mat4;

use crate::pose::ModelPose;
use crate::rig::{NodeId, Skin};
use crate::skinning;

/// Numbers of a bone in a frame: the rows of its matrix, and a rotation where there are dual quaternions.
const MATRIX: usize = 12;
const ROTATION: usize = 4;

/// The bones of a page, in the order in which they were first used.
#[derive(Debug, Default)]
pub(super) struct Bones {
    /// `None` for a mesh that follows its node.
    all: Vec<(NodeId, Option<Mat4>)>,
    known: BTreeMap<(NodeId, Option<[u32; 16]>), u32>,
    /// Whether any vertex is skinned by dual quaternions.
    pub(super) dual_quaternions: bool,
}

impl Bones {
    /// The bone of a slot of `skin`.
    pub(super) fn of_slot(&mut self, skin: &Skin, slot: usize) -> u32 {
        self.add(skin.joints[slot], Some(skin.inverse_bind_matrices[slot]))
    }

    /// The bone of whatever follows `node`.
    pub(super) fn of_node(&mut self, node: NodeId) -> u32 {
        self.add(node, None)
    }

    fn add(&mut self, node: NodeId, inverse_bind: Option<Mat4>) -> u32 {
        let bits = inverse_bind.map(|matrix| matrix.to_cols_array().map(f32::to_bits));
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        *self.known.entry((node, bits)).or_insert_with(|| {
            self.all.push((node, inverse_bind));
            next
        })
    }

    /// The node of each bone.
    pub(super) fn nodes(&self) -> Vec<u32> {
        self.all.iter().map(|(node, _)| node.0).collect()
    }

    /// Numbers of a frame.
    pub(super) fn frame_len(&self) -> usize {
        let rotation = if self.dual_quaternions { ROTATION } else { 0 };
        self.all.len() * (MATRIX + rotation)
    }

    /// The matrices in `pose`.
    pub(super) fn matrices(&self, pose: &ModelPose) -> Vec<Mat4> {
        let matrix = |(node, inverse_bind): &(NodeId, Option<Mat4>)| match inverse_bind {
            Some(inverse_bind) => pose[*node] * *inverse_bind,
            None => pose[*node],
        };
        self.all.iter().map(matrix).collect()
    }

    /// Appends `matrices` as the page reads them: three rows each, since the last row of each is 0 0 0 1.
    pub(super) fn append(&self, matrices: &[Mat4], frame: &mut Vec<f32>) {
        for matrix in matrices {
            for row in 0..3 {
                frame.extend(matrix.row(row).to_array());
            }
            if self.dual_quaternions {
                frame.extend(skinning::rotation_of_slot(matrix));
            }
        }
    }
}
