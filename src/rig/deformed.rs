//! What skinning makes of a mesh.

use glam::Vec3;

use super::InstanceId;

/// The vertices of one mesh instance in one pose, in world space (the file's axes and units).
///
/// Lists are as long as those of the mesh; attributes that the mesh lacks are empty.
#[derive(Debug, Clone, PartialEq)]
pub struct DeformedMesh {
    /// Which instance of the asset.
    pub instance: InstanceId,
    /// World space.
    pub positions: Vec<Vec3>,
    /// Unit length, or zero where the surface is degenerate.
    pub normals: Vec<Vec3>,
    /// Unit length, or zero.
    pub tangents: Vec<Vec3>,
    /// Unit length, or zero.
    pub bitangents: Vec<Vec3>,
}
