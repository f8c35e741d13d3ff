//! The bind pose of a model, in world space.

use glam::{DMat4, DVec3, DVec4};

use super::apart;
use crate::pose;
use crate::rig::{Asset, Bounds, MeshInstance, Skin};

/// Joints and meshes before any joint moves.
pub(super) struct Binding {
    /// `world_from_joint`, one per node. A joint that no skin binds keeps its transform relative to its parent.
    pub(super) joints: Vec<DMat4>,
    /// One per instance, without morph targets.
    pub(super) shapes: Vec<Shape>,
}

/// A mesh in the bind pose.
pub(super) struct Shape {
    /// In world space.
    pub(super) positions: Vec<DVec3>,
    /// In world space, of unit length; empty without normals.
    pub(super) normals: Vec<DVec3>,
    /// The mesh's `world_from_mesh`.
    pub(super) world_from_mesh: DMat4,
}

/// The most slots of a skin that are examined to find the mesh's transform.
const MOST_SLOTS: usize = 64;

/// Two slots agree on the mesh's transform if they put it this close together, relative to its size.
const AGREES: f64 = 1e-3;

impl Binding {
    /// A file states only where joints are relative to the mesh. The mesh itself is where its node is, if a joint
    /// agrees in the rest pose; otherwise where most joints put it; and in a model whose rest pose is not its bind
    /// pose, where its node is.
    pub(super) fn of(asset: &Asset) -> Self {
        let rest = pose::model_pose(asset, &pose::rest(asset));
        let rest: Vec<DMat4> = rest.joints.iter().map(glam::Mat4::as_dmat4).collect();
        let world_from_mesh: Vec<DMat4> = asset
            .instances
            .iter()
            .map(|instance| match asset.skin_of(instance) {
                Some(skin) => {
                    let bounds = Bounds::of_f32(&asset.mesh_of(instance).positions);
                    let node = rest[instance.node.index()];
                    usual(skin, &rest, node, &bounds).unwrap_or(node)
                }
                None => rest[instance.node.index()],
            })
            .collect();
        let mut bound: Vec<Option<DMat4>> = vec![None; rest.len()];
        for (instance, world_from_mesh) in asset.instances.iter().zip(&world_from_mesh) {
            let Some(skin) = asset.skin_of(instance) else {
                continue;
            };
            for (joint, inverse_bind) in skin.joints.iter().zip(&skin.inverse_bind_matrices) {
                let position = *world_from_mesh * inverse_bind.as_dmat4().inverse();
                if position.is_finite() {
                    bound[joint.index()].get_or_insert(position);
                }
            }
        }
        let mut joints: Vec<DMat4> = Vec::with_capacity(rest.len());
        let mut is_moved: Vec<bool> = Vec::with_capacity(rest.len());
        for ((joint, bound), rest) in asset.skeleton.nodes().iter().zip(bound).zip(&rest) {
            let parent = joint.parent.map(crate::rig::NodeId::index);
            let below = parent.filter(|parent| is_moved[*parent]);
            is_moved.push(bound.is_some() || below.is_some());
            joints.push(match (bound, below) {
                (Some(bound), _) => bound,
                (None, Some(parent)) => joints[parent] * joint.rest.to_matrix().as_dmat4(),
                (None, None) => *rest,
            });
        }
        let shapes = asset.instances.iter().zip(&world_from_mesh);
        Self {
            joints,
            shapes: shapes
                .map(|(instance, world_from_mesh)| shape(asset, instance, world_from_mesh))
                .collect(),
        }
    }
}

/// The `world_from_mesh` that the mesh's node and a slot agree on in the rest pose, or else at least half of all slots.
/// Joints that disagree have no effect.
///
/// * `node` – `world_from_node` at rest.
/// * `bounds` – of the mesh, in its own space.
fn usual(skin: &Skin, rest: &[DMat4], node: DMat4, bounds: &Bounds) -> Option<DMat4> {
    let step = skin.joints.len().div_ceil(MOST_SLOTS).max(1);
    let slots = skin.joints.iter().zip(&skin.inverse_bind_matrices);
    let palette = slots
        .step_by(step)
        .map(|(joint, inverse_bind)| rest[joint.index()] * inverse_bind.as_dmat4())
        .filter(DMat4::is_finite);
    let palette: Vec<DMat4> = palette.collect();
    let corners = bounds.corners();
    let agreeing = |matrix: &DMat4| {
        let size = matrix.transform_vector3(bounds.high - bounds.low).length();
        let near = palette.iter();
        near.filter(|other| apart::carried(&corners, matrix, other) <= AGREES * size)
            .count()
    };
    if agreeing(&node) > 0 {
        return Some(node);
    }
    let agreeing = palette.iter().map(|matrix| (agreeing(matrix), matrix));
    // The first of equals, which is nearer to the root.
    let best = agreeing.rev().max_by_key(|(count, _)| *count);
    let (_, matrix) = best.filter(|(count, _)| 2 * count >= palette.len())?;
    Some(*matrix)
}

fn shape(asset: &Asset, instance: &MeshInstance, world_from_mesh: &DMat4) -> Shape {
    let mesh = asset.mesh_of(instance);
    let positions = mesh.positions.iter();
    let normals = mesh.normals.iter();
    Shape {
        positions: positions
            .map(|position| world_from_mesh.transform_point3(position.as_dvec3()))
            .collect(),
        normals: normals
            .map(|normal| transformed_normal(world_from_mesh, normal.as_dvec3()))
            .collect(),
        world_from_mesh: *world_from_mesh,
    }
}

/// The direction of a normal after the transform `matrix`: of unit length, or zero.
pub(super) fn transformed_normal(matrix: &DMat4, normal: DVec3) -> DVec3 {
    // The inverse transpose up to a factor, which exists for singular matrices too.
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(DVec4::truncate);
    let sign = x.dot(y.cross(z)).signum();
    let cofactors = [y.cross(z), z.cross(x), x.cross(y)];
    let normal = cofactors[0] * normal.x + cofactors[1] * normal.y + cofactors[2] * normal.z;
    (sign * normal).normalize_or_zero()
}
