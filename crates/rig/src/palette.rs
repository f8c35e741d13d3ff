//! Joint palette: the matrices that skinning blends.

use std::ops::Index;

use glam::Mat4;

use crate::pose::ModelPose;
use crate::rig::{NodeId, Skin, SkinSlot};

/// Skinning matrices of one skin in one pose, indexed by palette slot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Palette(pub Vec<Mat4>);

/// The matrix of a slot.
///
/// # Panics
///
/// If the palette has no such slot.
impl Index<SkinSlot> for Palette {
    type Output = Mat4;

    #[inline]
    fn index(&self, slot: SkinSlot) -> &Mat4 {
        &self.0[slot.index()]
    }
}

/// A skin and a pose that do not match.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PaletteError {
    /// The skin has different numbers of matrices and joints.
    #[error("the skin has {joints} joints but {matrices} inverse bind matrices")]
    LengthMismatch {
        /// How many joints.
        joints: usize,
        /// How many inverse bind matrices.
        matrices: usize,
    },
    /// The pose belongs to another skeleton.
    #[error("the skin binds joint {joint}, but the pose has {joint_count} joints")]
    UnknownJoint {
        /// The missing joint.
        joint: NodeId,
        /// How many joints the pose has.
        joint_count: usize,
    },
}

/// Builds the palette of `skin` posed by `pose`.
///
/// Slot `i` is `world_from_joint[skin.joints[i]] * skin.inverse_bind_matrices[i]`: it takes a vertex from mesh space at
/// bind time, through joint space, to world space at pose time. The transform of the mesh's own node is not involved.
///
/// * `skin` – `n` joints and `n` inverse bind matrices.
/// * `pose` – one world-space matrix per joint of the skeleton.
///
/// Returns `n` matrices. In the bind pose each is the identity.
///
/// # Errors
///
/// [`PaletteError::LengthMismatch`] if `skin` has different numbers of matrices and joints, and
/// [`PaletteError::UnknownJoint`] if `skin` names a joint that `pose` lacks.
///
/// # Reference
///
/// glTF 2.0 §3.7.3.3 "Skinned Mesh Attributes", the `jointMatrix` of a joint.
///
/// ```
/// # mod skincheck { pub use skincheck_rig::{glam, palette, pose, rig}; }
/// # use skincheck::glam::Vec3;
/// # let asset = skincheck::rig::leg();
/// # let knee = skincheck::rig::NodeId(1);
/// use skincheck::{palette::build_palette, pose, rig::SkinSlot};
///
/// let bind = pose::bind(&asset);
/// let palette = build_palette(&asset.skins[0], &bind)?;
/// let slot = SkinSlot(1);
/// assert_eq!(asset.skins[0][slot], knee);
/// assert_eq!(palette[slot].transform_point3(Vec3::X), Vec3::X);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build_palette(skin: &Skin, pose: &ModelPose) -> Result<Palette, PaletteError> {
    build_slots(skin, pose, skin.joints.len())
}

/// The first `count` slots of what [`build_palette`] builds.
pub(crate) fn build_slots(
    skin: &Skin,
    pose: &ModelPose,
    count: usize,
) -> Result<Palette, PaletteError> {
    let (joints, matrices) = (skin.joints.len(), skin.inverse_bind_matrices.len());
    if joints != matrices {
        return Err(PaletteError::LengthMismatch { joints, matrices });
    }
    let joint_count = pose.nodes.len();
    let bound = skin.joints.iter().zip(&skin.inverse_bind_matrices);
    let mut slots = Vec::with_capacity(count.min(joints));
    for (&joint, &joint_from_mesh) in bound.take(count) {
        let world_from_joint = pose.nodes.get(joint.index());
        let unknown = PaletteError::UnknownJoint { joint, joint_count };
        slots.push(*world_from_joint.ok_or(unknown)? * joint_from_mesh);
    }
    Ok(Palette(slots))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use proptest::prelude::*;

    use super::*;
    use crate::pose::rigs::{PosedRig, posed_rigs};
    use crate::pose::{bind, model_pose, rest};
    use crate::rig::Asset;
    use crate::units::law::{Verdict, check};

    fn skin_of(matrices: usize) -> Skin {
        Skin {
            name: String::new(),
            joints: vec![NodeId(0), NodeId(1)],
            inverse_bind_matrices: vec![Mat4::IDENTITY; matrices],
        }
    }

    fn pose_of(joints: usize) -> ModelPose {
        ModelPose {
            nodes: vec![Mat4::IDENTITY; joints],
            ..ModelPose::default()
        }
    }

    #[test]
    fn a_joint_missing_from_the_pose_is_an_error() {
        let error = build_palette(&skin_of(2), &pose_of(1)).unwrap_err();
        let joint = NodeId(1);
        assert_eq!(
            error,
            PaletteError::UnknownJoint {
                joint,
                joint_count: 1
            }
        );
    }

    #[test]
    fn a_skin_with_too_few_matrices_is_an_error() {
        let error = build_palette(&skin_of(1), &pose_of(2)).unwrap_err();
        assert_eq!(
            error,
            PaletteError::LengthMismatch {
                joints: 2,
                matrices: 1
            }
        );
    }

    type Build = fn(&Skin, &ModelPose) -> Result<Palette, PaletteError>;

    /// A vertex bound to one joint keeps its joint-space position, wherever the joint goes.
    fn a_rigid_vertex_follows_its_joint(build: Build) -> Verdict<PosedRig> {
        check(&posed_rigs(), |rig| {
            let (skin, pose) = (&rig.asset.skins[0], rig.model_pose());
            let palette = build(skin, &pose).expect("the rig is whole");
            let in_joint = Vec3::new(0.5, -0.25, 1.0);
            for (slot, joint) in skin.joints.iter().enumerate() {
                let in_mesh = skin.inverse_bind_matrices[slot]
                    .inverse()
                    .transform_point3(in_joint);
                let skinned = palette.0[slot].transform_point3(in_mesh);
                let expected = pose[*joint].transform_point3(in_joint);
                prop_assert!(
                    skinned.abs_diff_eq(expected, 1e-3),
                    "{} != {}",
                    skinned,
                    expected
                );
            }
            Ok(())
        })
    }

    #[test]
    fn the_palette_carries_rigid_vertices_with_their_joints() {
        a_rigid_vertex_follows_its_joint(build_palette).unwrap();
    }

    const SWAPPED: Build = |skin, pose| {
        let slots = skin.joints.iter().zip(&skin.inverse_bind_matrices);
        let swapped = slots.map(|(joint, inverse_bind)| *inverse_bind * pose[*joint]);
        Ok(Palette(swapped.collect()))
    };

    const TRANSPOSED: Build = |skin, pose| {
        let mut skin = skin.clone();
        let matrices = skin.inverse_bind_matrices.iter_mut();
        matrices.for_each(|matrix| *matrix = matrix.transpose());
        build_palette(&skin, pose)
    };

    const SLOT_AS_JOINT: Build = |skin, pose| {
        let mut skin = skin.clone();
        skin.joints = (0..skin.joints.len()).map(NodeId::from_index).collect();
        build_palette(&skin, pose)
    };

    #[test]
    fn swapped_factors_are_caught() {
        assert!(a_rigid_vertex_follows_its_joint(SWAPPED).is_err());
    }

    #[test]
    fn a_transposed_inverse_bind_matrix_is_caught() {
        assert!(a_rigid_vertex_follows_its_joint(TRANSPOSED).is_err());
    }

    #[test]
    fn a_slot_taken_for_a_joint_is_caught() {
        assert!(a_rigid_vertex_follows_its_joint(SLOT_AS_JOINT).is_err());
    }

    /// Building and binding undo each other.
    ///
    /// Blind to the order of the two factors, since a matrix commutes with its own inverse:
    /// [`a_rigid_vertex_follows_its_joint`] sees that.
    fn the_bind_pose_changes_nothing(
        build: Build,
        bind: fn(&Asset) -> ModelPose,
    ) -> Verdict<PosedRig> {
        check(&posed_rigs(), |rig| {
            let palette = build(&rig.asset.skins[0], &bind(&rig.asset)).unwrap();
            let identity = |matrix: &Mat4| matrix.abs_diff_eq(Mat4::IDENTITY, 1e-4);
            prop_assert!(palette.0.iter().all(identity));
            Ok(())
        })
    }

    #[test]
    fn in_the_bind_pose_the_palette_is_the_identity() {
        the_bind_pose_changes_nothing(build_palette, bind).unwrap();
    }

    #[test]
    fn a_palette_that_is_not_an_identity_in_the_bind_pose_is_caught() {
        assert!(the_bind_pose_changes_nothing(SWAPPED, bind).is_ok());
        assert!(the_bind_pose_changes_nothing(TRANSPOSED, bind).is_err());
        assert!(the_bind_pose_changes_nothing(SLOT_AS_JOINT, bind).is_err());
    }

    #[test]
    fn the_rest_pose_instead_of_the_bind_pose_is_caught() {
        let at_rest = |asset: &Asset| model_pose(asset, &rest(asset));
        assert!(the_bind_pose_changes_nothing(build_palette, at_rest).is_err());
    }
}
