//! How large a model is, and so how far off a baked clip may be.

use glam::{DMat4, DVec4};
use ufbx::{Node, Scene};

use super::math::{dmat4, dvec3};
use crate::import::bake::TOLERANCE;
use crate::rig::Bounds;

/// The diagonal of everything that the rest pose shows, joints and vertices; 1 where that is nothing or not finite.
pub(super) fn diagonal(scene: &Scene) -> f64 {
    let mut bounds = Bounds::EMPTY;
    for node in &scene.nodes {
        bounds.include(dmat4(&node.node_to_world).w_axis.truncate());
        let Some(mesh) = &node.mesh else { continue };
        let world_from_geometry = dmat4(&node.geometry_to_world);
        for &vertex in &mesh.vertices {
            bounds.include(world_from_geometry.transform_point3(dvec3(vertex)));
        }
    }
    let diagonal = bounds.diagonal();
    if diagonal.is_finite() && diagonal > 0.0 {
        diagonal
    } else {
        1.0
    }
}

/// [`TOLERANCE`] for translations of `node`, in its parent's units.
///
/// * `diagonal` – of the model, in the world.
pub(super) fn translation_tolerance(node: &Node, diagonal: f64) -> f64 {
    let world_from_parent = node
        .parent
        .as_deref()
        .map_or(DMat4::IDENTITY, |parent| dmat4(&parent.node_to_world));
    let axes = [
        world_from_parent.x_axis,
        world_from_parent.y_axis,
        world_from_parent.z_axis,
    ];
    let largest = axes.map(DVec4::length).into_iter().fold(0.0, f64::max);
    let scale = Some(largest).filter(|scale| scale.is_finite() && *scale > 0.0);
    TOLERANCE * diagonal / scale.unwrap_or(1.0)
}
