//! The size of a model, which sets the tolerance of a baked clip.

use glam::{DMat4, DVec3, DVec4};

use super::TOLERANCE;
use crate::import::source::Node;
use crate::rig::{Bounds, Mesh, MeshInstance};

/// A model at rest.
pub(in crate::import) struct Extent {
    /// One per node.
    world_from_node: Vec<DMat4>,
    /// The diagonal of the box around the origin and all nodes and shown vertices at rest; 1 if that is 0 or not finite.
    diagonal: f64,
}

impl Extent {
    /// * `nodes` – each behind its parent.
    pub(in crate::import) fn new(
        nodes: &[Node],
        meshes: &[Mesh],
        instances: &[MeshInstance],
    ) -> Self {
        let mut world_from_node: Vec<DMat4> = Vec::with_capacity(nodes.len());
        let mut bounds = Bounds::EMPTY;
        bounds.include(DVec3::ZERO);
        for node in nodes {
            let local = node.rest.to_matrix().as_dmat4();
            let world = node
                .parent
                .map_or(local, |parent| world_from_node[parent] * local);
            bounds.include(world.w_axis.truncate());
            world_from_node.push(world);
        }
        for instance in instances {
            let world = world_from_node[instance.node.index()];
            for position in &meshes[instance.mesh.index()].positions {
                bounds.include(world.transform_point3(position.as_dvec3()));
            }
        }
        let diagonal = Some(bounds.diagonal()).filter(|size| size.is_finite() && *size > 0.0);
        Self {
            world_from_node,
            diagonal: diagonal.unwrap_or(1.0),
        }
    }

    /// [`TOLERANCE`] for translations below node number `parent`, in its units.
    pub(in crate::import) fn tolerance(&self, parent: Option<usize>) -> f64 {
        let world = parent.map_or(DMat4::IDENTITY, |parent| self.world_from_node[parent]);
        // The longest axis bounds how far a unit below the parent reaches in the world, in any direction.
        let axes = [world.x_axis, world.y_axis, world.z_axis];
        let largest = axes.map(DVec4::length).into_iter().fold(0.0, f64::max);
        let scale = Some(largest).filter(|scale| scale.is_finite() && *scale > 0.0);
        TOLERANCE * self.diagonal / scale.unwrap_or(1.0)
    }
}
