//! The bind pose of a model, in world space.

use glam::{DMat4, DVec3, DVec4, Vec2};

use super::apart;
use crate::pose;
use crate::rig::{Asset, Bounds, Mesh, MeshInstance, Skin};

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
    /// pose, where its node is. A mesh without a skin is on its node, wherever that is bound.
    pub(super) fn of(asset: &Asset) -> Self {
        let rest: Vec<DMat4> = pose::model_pose(asset, &pose::rest(asset))
            .nodes
            .iter()
            .map(glam::Mat4::as_dmat4)
            .collect();
        let skinned: Vec<Option<(&Skin, DMat4)>> = asset
            .instances
            .iter()
            .map(|instance| {
                let skin = asset.skin_of(instance)?;
                let bounds = Bounds::of_f32(&asset.mesh_of(instance).positions);
                let node = rest[instance.node.index()];
                Some((skin, usual(skin, &rest, node, &bounds).unwrap_or(node)))
            })
            .collect();
        let mut bound: Vec<Option<DMat4>> = vec![None; rest.len()];
        for (skin, world_from_mesh) in skinned.iter().flatten() {
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
        let shapes = asset
            .instances
            .iter()
            .zip(skinned)
            .map(|(instance, skinned)| {
                let on_node = || joints[instance.node.index()];
                let world_from_mesh =
                    skinned.map_or_else(on_node, |(_, world_from_mesh)| world_from_mesh);
                shape(asset, instance, &world_from_mesh)
            });
        Self {
            shapes: shapes.collect(),
            joints,
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
    let palette: Vec<DMat4> = slots
        .step_by(step)
        .map(|(joint, inverse_bind)| rest[joint.index()] * inverse_bind.as_dmat4())
        .filter(DMat4::is_finite)
        .collect();
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

/// The texture coordinates that a mesh is drawn with, or its first ones. A texture that its material transforms has a set of its own.
pub(super) fn seen_uvs<'m>(asset: &Asset, mesh: &'m Mesh) -> &'m [Vec2] {
    let material = mesh.material.and_then(|id| asset.materials.get(id.index()));
    let texture = material.and_then(|material| material.base_color_texture);
    let set = texture.map_or(0, |texture| texture.uv_set as usize);
    mesh.uv_sets.get(set).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{AssetBuilder, Mesh, Trs};

    /// A mesh whose three joints are at the origin at rest and bound at other positions.
    fn bound_at(positions: [Vec3; 3]) -> Asset {
        let mut rig = AssetBuilder::new();
        let joints = ["a", "b", "c"].map(|name| rig.node(name, None, Trs::IDENTITY));
        let mesh = rig.mesh(Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.skin(mesh, joints.map(|joint| [(joint, 1.0)]));
        let mut asset = rig.build().expect("it is whole");
        let bound = positions.map(|position| glam::Mat4::from_translation(-position));
        asset.skins[0].inverse_bind_matrices = bound.to_vec();
        asset
    }

    #[test]
    fn a_mesh_is_where_most_of_its_joints_put_it_unless_one_agrees_with_its_node() {
        let offset = |positions: [Vec3; 3]| {
            let asset = bound_at(positions);
            let shape = Binding::of(&asset).shapes.swap_remove(0);
            shape.world_from_mesh.w_axis.truncate()
        };
        let (near, far) = (Vec3::X * 5.0, Vec3::Z * 7.0);
        assert_eq!(offset([far, near, near]), -near.as_dvec3());
        assert_eq!(offset([near, near, Vec3::ZERO]), DVec3::ZERO);
        assert_eq!(offset([near, far, near + far]), DVec3::ZERO);
    }

    #[test]
    fn a_large_mesh_is_on_its_node_if_a_joint_is_within_a_thousandth_of_its_size() {
        let offset = |size: f32, off: f32| {
            let mut asset = bound_at([Vec3::X * off, Vec3::Y * size, Vec3::Y * size]);
            for position in &mut asset.meshes[0].positions {
                *position *= size;
            }
            let shape = Binding::of(&asset).shapes.swap_remove(0);
            shape.world_from_mesh.w_axis.truncate()
        };
        assert_eq!(offset(200.0, 0.1), DVec3::ZERO);
        assert_eq!(offset(200.0, 1.0), -DVec3::Y * 200.0);
    }
}
