//! The positions of an instance's vertices; vertices that skinning cannot distinguish are stored once.

use std::sync::Arc;

use glam::{Mat4, Vec3};

use crate::rig::InstanceId;

/// The positions of a mesh instance in a pose, in world space.
///
/// A mesh repeats a vertex where normals or texture coordinates differ; here it is stored once. For callers that sample
/// many poses: cheaper than a [`DeformedMesh`](crate::rig::DeformedMesh).
#[derive(Debug, Clone, PartialEq)]
pub struct DistinctPositions<'a> {
    /// The index of the instance in the asset.
    pub instance: InstanceId,
    /// Without duplicates, in an order of their own.
    pub distinct: Vec<Vec3>,
    /// For each vertex of the mesh, the index of its position in `distinct`.
    pub kinds: &'a [u32],
    /// The `world_from_mesh` of each slot of the skin; empty without one.
    pub palette: Arc<[Mat4]>,
}

impl DistinctPositions<'_> {
    /// The position of a vertex of the mesh.
    ///
    /// # Panics
    ///
    /// If the mesh has no such vertex.
    #[must_use]
    #[inline]
    pub fn at(&self, vertex: usize) -> Vec3 {
        self.distinct[self.kinds[vertex] as usize]
    }

    /// The positions of all vertices of the mesh, in order.
    pub fn iter(&self) -> impl Iterator<Item = Vec3> {
        let kinds = self.kinds.iter();
        kinds.map(|kind| self.distinct[*kind as usize])
    }
}
