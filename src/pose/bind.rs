//! The pose in which the mesh was bound to its joints.

use glam::Mat4;

use super::hierarchy::under_parent;
use super::{ModelPose, rest_morph_weights};
use crate::rig::Asset;

/// The pose in which skinning leaves every vertex at its position in the mesh.
///
/// The transform of a bound joint is the inverse of its inverse bind matrix, in the mesh's space; where several skins
/// bind it, the first whose matrix has an inverse decides. Every other joint (unbound, or bound by singular matrices
/// only) keeps its rest transform relative to its parent. Morph weights come from the rest pose.
///
/// ```
/// # use skincheck::glam::{Quat, Vec3};
/// # use skincheck::rig::{AssetBuilder, Mesh, Trs};
/// # let mut rig = AssetBuilder::new();
/// # let hip = rig.joint("hip", None, Trs::IDENTITY);
/// # let knee = rig.joint("knee", Some(hip), Trs { translation: Vec3::Y, ..Trs::IDENTITY });
/// # let leg = rig.mesh(Mesh {
/// #     positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y * 2.0],
/// #     triangles: vec![[0, 1, 2]],
/// #     ..Mesh::default()
/// # });
/// # rig.skin(leg, [[(hip, 1.0)], [(hip, 1.0)], [(knee, 1.0)]]);
/// # let kick = rig.clip("kick");
/// # rig.rotate(kick, knee, [(0.0, Quat::IDENTITY), (1.0, Quat::from_xyzw(0.0, 0.0, 1.0, 0.0))]);
/// # let asset = rig.build()?;
/// use skincheck::pose;
///
/// let bind = pose::bind(&asset);
/// assert_eq!(bind.joints[knee.index()].transform_point3(Vec3::ZERO), Vec3::Y);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn bind(asset: &Asset) -> ModelPose {
    let bound = bound_positions(asset);
    let mut joints: Vec<Mat4> = Vec::with_capacity(bound.len());
    for (joint, position) in asset.skeleton.nodes().iter().zip(bound) {
        let world =
            position.unwrap_or_else(|| under_parent(&joints, joint.parent, joint.rest.to_matrix()));
        joints.push(world);
    }
    ModelPose {
        joints,
        morph_weights: rest_morph_weights(asset),
    }
}

/// For each joint of the skeleton, `mesh_from_joint` at bind time, if a skin states it.
fn bound_positions(asset: &Asset) -> Vec<Option<Mat4>> {
    let mut positions = vec![None; asset.skeleton.len()];
    for skin in &asset.skins {
        for (joint, inverse_bind) in skin.joints.iter().zip(&skin.inverse_bind_matrices) {
            if let Some(position @ None) = positions.get_mut(joint.index()) {
                *position = inverse(inverse_bind);
            }
        }
    }
    positions
}

/// In f64, so that scales as small as millimetres in kilometres do not vanish in the determinant.
fn inverse(matrix: &Mat4) -> Option<Mat4> {
    let inverse = matrix.as_dmat4().inverse().as_mat4();
    inverse.is_finite().then_some(inverse)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::rig::{LocalTransform, NodeId, Skin};

    fn at(x: f32) -> Mat4 {
        Mat4::from_translation(Vec3::X * x)
    }

    /// A chain of three joints, each 1 from its parent, bound by `skins` of slots `(joint, inverse bind matrix)`.
    fn bound_at(skins: &[&[(u32, Mat4)]]) -> Vec<f32> {
        let rest = LocalTransform::Matrix(at(1.0));
        let mut asset = asset_of(vec![
            named_joint("a", None, rest),
            named_joint("b", Some(0), rest),
            named_joint("c", Some(1), rest),
        ]);
        let skin = |slots: &&[(u32, Mat4)]| Skin {
            name: String::new(),
            joints: slots.iter().map(|slot| NodeId(slot.0)).collect(),
            inverse_bind_matrices: slots.iter().map(|slot| slot.1).collect(),
        };
        asset.skins = skins.iter().map(skin).collect();
        bind(&asset)
            .joints
            .iter()
            .map(|world| world.w_axis.x)
            .collect()
    }

    #[test]
    fn bound_joints_stand_where_they_were_bound_and_their_children_with_them() {
        assert_eq!(bound_at(&[&[(1, at(-10.0))]]), [1.0, 10.0, 11.0]);
    }

    #[test]
    fn of_several_skins_the_first_with_an_inverse_decides() {
        let singular = Mat4::from_scale(Vec3::new(1.0, 0.0, 1.0));
        let skins: &[&[_]] = &[&[(1, singular)], &[(1, at(-5.0))], &[(1, at(-7.0))]];
        assert_eq!(bound_at(skins), [1.0, 5.0, 6.0]);
    }

    #[test]
    fn a_joint_bound_by_a_singular_matrix_keeps_its_rest() {
        assert_eq!(
            bound_at(&[&[(0, at(-3.0)), (1, Mat4::ZERO)]]),
            [3.0, 4.0, 5.0]
        );
    }

    #[test]
    fn a_tiny_scale_is_not_singular() {
        let tiny = Mat4::from_scale(Vec3::splat(1e-14)) * at(-2.0);
        let positions = bound_at(&[&[(0, tiny)]]);
        assert!((positions[0] - 2.0).abs() < 1e-6, "{}", positions[0]);
    }
}
