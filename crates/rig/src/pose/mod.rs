//! Poses: from the rest pose, a clip at a sample time, the bind pose or a file, to world space.

mod constraints;
mod default_clip;
mod expressions;
pub mod file;
mod frames;
mod interpolate;
mod playback;
mod range;
mod sample;
mod select;
mod take;
mod track;
mod visibility;

use std::ops::Index;

use glam::Mat4;

use crate::rig::{Asset, LocalTransform, NodeId, Visibility};

pub use crate::rig::{RangePose, Rotation};
pub use default_clip::{DefaultClip, Idle, default_clip, idle};
pub use file::{PoseFile, PoseFileError, PoseFormat};
pub use frames::{DEFAULT_FRAME_RATE, frame_rate, known_frame_rate};
#[doc(hidden)]
pub use frames::{frame_at, frames_in, rate_of_keys};
pub use playback::{Playback, PlaybackError, SampleTime, Wrap, resolve};
#[doc(hidden)]
pub use sample::sample_finite;
pub use sample::{Sampler, sample};
pub use select::{SUGGESTED, SelectError, find_clip, find_joint, find_joints, find_mesh};
pub use take::{Take, Times, TimesError};
pub use track::{matrix_at, morph_weights_at, rotation_at, vector_at};

/// One pose, each node relative to its parent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pose {
    /// `parent_from_node`, one per node of the skeleton.
    pub locals: Vec<LocalTransform>,
    /// One list per instance of the asset, one weight per morph target.
    pub morph_weights: Vec<Vec<f32>>,
    /// Which instances are shown.
    pub visibility: Visibility,
}

/// One pose in world space (the file's axes and units).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelPose {
    /// `world_from_node`, one per node of the skeleton.
    pub nodes: Vec<Mat4>,
    /// One list per instance of the asset, one weight per morph target.
    pub morph_weights: Vec<Vec<f32>>,
    /// Which instances are shown.
    pub visibility: Visibility,
}

/// The `parent_from_node` of a node.
///
/// # Panics
///
/// If the pose has no such node.
impl Index<NodeId> for Pose {
    type Output = LocalTransform;

    #[inline]
    fn index(&self, node: NodeId) -> &LocalTransform {
        &self.locals[node.index()]
    }
}

/// The `world_from_node` of a node.
///
/// # Panics
///
/// If the pose has no such node.
impl Index<NodeId> for ModelPose {
    type Output = Mat4;

    #[inline]
    fn index(&self, node: NodeId) -> &Mat4 {
        &self.nodes[node.index()]
    }
}

/// The rest pose: the nodes' own transforms, morph weights and visibility.
///
/// ```
/// # mod skincheck { pub use skincheck_rig::{pose, rig}; }
/// # let asset = skincheck::rig::leg();
/// # let knee = skincheck::rig::NodeId(1);
/// use skincheck::pose;
///
/// let local = pose::rest(&asset);
/// assert_eq!(local[knee], asset.skeleton[knee].rest);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn rest(asset: &Asset) -> Pose {
    let joints = asset.skeleton.nodes();
    Pose {
        locals: joints.iter().map(|joint| joint.rest).collect(),
        morph_weights: rest_morph_weights(asset),
        visibility: visibility::rest(asset),
    }
}

/// One list per instance, as the file gives them.
fn rest_morph_weights(asset: &Asset) -> Vec<Vec<f32>> {
    let weights = asset.instances.iter().map(|i| i.morph_weights.clone());
    weights.collect()
}

/// The pose in which skinning leaves every vertex at its position in the mesh.
///
/// The transform of a bound joint is the inverse of its inverse bind matrix, in the mesh's space; where several skins
/// bind it, the first whose matrix has an inverse decides. Every other joint (unbound, or bound by singular matrices
/// only) keeps its rest transform relative to its parent. Morph weights and visibility come from the rest pose.
///
/// ```
/// # mod skincheck { pub use skincheck_rig::{glam, pose, rig}; }
/// # use skincheck::glam::Vec3;
/// # let asset = skincheck::rig::leg();
/// # let knee = skincheck::rig::NodeId(1);
/// use skincheck::pose;
///
/// let bind = pose::bind(&asset);
/// assert_eq!(bind[knee].transform_point3(Vec3::ZERO), Vec3::Y);
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
        nodes: joints,
        morph_weights: rest_morph_weights(asset),
        visibility: visibility::rest(asset),
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

/// Concatenates the transforms of `pose` from the roots down: `world_from_node = world_from_parent * parent_from_node`.
///
/// * `pose` – one local transform per node; nodes past the end of the list keep their rest transforms.
///
/// The root's own transform counts, whether or not it is bound by a skin. Constraints of the asset rotate their nodes
/// first. Morph weights and the visibility pass through.
///
/// ```
/// # mod skincheck { pub use skincheck_rig::{glam, pose, rig}; }
/// # use skincheck::glam::Vec3;
/// # let asset = skincheck::rig::leg();
/// # let knee = skincheck::rig::NodeId(1);
/// use skincheck::pose;
///
/// let world = pose::model_pose(&asset, &pose::rest(&asset));
/// assert_eq!(world[knee].transform_point3(Vec3::ZERO), Vec3::Y);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn model_pose(asset: &Asset, pose: &Pose) -> ModelPose {
    let mut world = ModelPose::default();
    model_pose_into(asset, pose, &mut world);
    world
}

/// Like [`model_pose`], into an earlier pose, whose memory is used again.
pub fn model_pose_into(asset: &Asset, pose: &Pose, world: &mut ModelPose) {
    if asset.constraints.is_empty() {
        concatenate(asset, &pose.locals, &mut world.nodes);
    } else {
        let rest = asset.skeleton.nodes().iter().skip(pose.locals.len());
        let own = pose.locals.iter().copied();
        let mut locals: Vec<LocalTransform> = own.chain(rest.map(|node| node.rest)).collect();
        constraints::apply(asset, &mut locals);
        concatenate(asset, &locals, &mut world.nodes);
    }
    world.morph_weights.clone_from(&pose.morph_weights);
    world.visibility.clone_from(&pose.visibility);
}

fn concatenate(asset: &Asset, locals: &[LocalTransform], nodes: &mut Vec<Mat4>) {
    nodes.clear();
    nodes.reserve(asset.skeleton.len());
    for (id, node) in asset.skeleton.iter() {
        let local = locals.get(id.index()).unwrap_or(&node.rest);
        nodes.push(under_parent(nodes, node.parent, local.to_matrix()));
    }
}

/// `world_from_joint` of a joint whose parent is already in `worlds`.
#[inline]
fn under_parent(worlds: &[Mat4], parent: Option<NodeId>, parent_from_joint: Mat4) -> Mat4 {
    match parent.and_then(|parent| worlds.get(parent.index())) {
        Some(&world_from_parent) => world_from_parent * parent_from_joint,
        None => parent_from_joint,
    }
}

#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod rigs;

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};
    use proptest::prelude::*;

    use super::rigs::{PosedRig, asset_of, named_joint, posed_rigs};
    use super::{rest, *};
    use crate::rig::{LocalTransform, NodeId, Skin, Trs};
    use crate::units::law::{Verdict, check};

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
            .nodes
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
            for (before, after) in before.nodes.iter().zip(&after.nodes) {
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
                nodes: joints,
                ..ModelPose::default()
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
        let worlds = model_pose(&asset, &rest(&asset)).nodes;
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
        let worlds = model_pose(&asset, &Pose::default()).nodes;
        assert_eq!(worlds, [Mat4::from_translation(Vec3::Y)]);
    }
}
