//! Converts joints relative to their parents to world space.

use glam::Mat4;

use super::{ModelPose, Pose};
use crate::rig::{Asset, NodeId};

/// Concatenates the transforms of `pose` from the roots down: `world_from_joint = world_from_parent * parent_from_joint`.
///
/// * `pose` – one local transform per joint; joints past the end of the list keep their rest transforms.
///
/// The root's own transform counts, whether or not it is bound by a skin. Morph weights pass through.
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
/// let world = pose::model_pose(&asset, &pose::rest(&asset));
/// assert_eq!(world.joints[knee.index()].transform_point3(Vec3::ZERO), Vec3::Y);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn model_pose(asset: &Asset, pose: &Pose) -> ModelPose {
    let local = |joint: NodeId, rest| *pose.locals.get(joint.index()).unwrap_or(rest);
    let mut joints: Vec<Mat4> = Vec::with_capacity(asset.skeleton.len());
    for (id, joint) in asset.skeleton.iter() {
        let parent_from_joint = local(id, &joint.rest).to_matrix();
        joints.push(under_parent(&joints, joint.parent, parent_from_joint));
    }
    ModelPose {
        joints,
        morph_weights: pose.morph_weights.clone(),
    }
}

/// `world_from_joint` of a joint whose parent is already in `worlds`.
#[inline]
pub(super) fn under_parent(
    worlds: &[Mat4],
    parent: Option<NodeId>,
    parent_from_joint: Mat4,
) -> Mat4 {
    match parent.and_then(|parent| worlds.get(parent.index())) {
        Some(&world_from_parent) => world_from_parent * parent_from_joint,
        None => parent_from_joint,
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};
    use proptest::prelude::*;

    use super::*;
    use crate::pose::law::{Verdict, check};
    use crate::pose::rest;
    use crate::pose::rigs::{PosedRig, asset_of, named_joint, posed_rigs};
    use crate::rig::{LocalTransform, Trs};

    type Concatenate = fn(&Asset, &Pose) -> ModelPose;

    /// Moving the root moves every joint by the same world transform.
    fn moving_the_root_moves_the_world(concatenate: Concatenate) -> Verdict<PosedRig> {
        let rotation = Quat::from_xyzw(0.5, 0.1, 0.7, 0.5).normalize();
        let motion = Mat4::from_rotation_translation(rotation, Vec3::new(3.0, -1.0, 2.0));
        check(&posed_rigs(), |rig| {
            let before = concatenate(&rig.asset, &rig.pose);
            let mut pose = rig.pose.clone();
            pose.locals[0] = LocalTransform::Matrix(motion * pose.locals[0].to_matrix());
            let after = concatenate(&rig.asset, &pose);
            for (before, after) in before.joints.iter().zip(&after.joints) {
                prop_assert!(after.abs_diff_eq(motion * *before, 1e-3));
            }
            Ok(())
        })
    }

    #[test]
    fn the_transform_of_the_root_counts_for_all() {
        moving_the_root_moves_the_world(model_pose).unwrap();
    }

    #[test]
    fn child_times_parent_is_caught() {
        let swapped: Concatenate = |asset, pose| {
            let mut joints: Vec<Mat4> = vec![];
            for (joint, local) in asset.skeleton.nodes().iter().zip(&pose.locals) {
                let parent = joint
                    .parent
                    .map_or(Mat4::IDENTITY, |parent| joints[parent.index()]);
                joints.push(local.to_matrix() * parent);
            }
            ModelPose {
                joints,
                morph_weights: vec![],
            }
        };
        assert!(moving_the_root_moves_the_world(swapped).is_err());
    }

    #[test]
    fn a_child_stands_where_its_parents_put_it() {
        let rotated = LocalTransform::Trs(Trs {
            translation: Vec3::new(1.0, 0.0, 0.0),
            rotation: Quat::from_xyzw(0.0, 0.0, 0.5_f32.sqrt(), 0.5_f32.sqrt()),
            scale: Vec3::splat(2.0),
        });
        let asset = asset_of(vec![
            named_joint("root", None, rotated),
            named_joint("child", Some(0), rotated),
            named_joint("other root", None, rotated),
        ]);
        let worlds = model_pose(&asset, &rest(&asset)).joints;
        let origins: Vec<Vec3> = worlds.iter().map(|world| world.w_axis.truncate()).collect();
        // The root rotates x to y, doubles it and adds x.
        let expected = [Vec3::X, Vec3::new(1.0, 2.0, 0.0), Vec3::X];
        for (origin, expected) in origins.iter().zip(expected) {
            assert!(origin.abs_diff_eq(expected, 1e-6), "{origin} != {expected}");
        }
    }

    #[test]
    fn a_joint_that_the_pose_lacks_keeps_its_rest() {
        let moved = LocalTransform::Matrix(Mat4::from_translation(Vec3::Y));
        let asset = asset_of(vec![named_joint("root", None, moved)]);
        let worlds = model_pose(&asset, &Pose::default()).joints;
        assert_eq!(worlds, [Mat4::from_translation(Vec3::Y)]);
    }
}
