//! Joint palette: the matrices that skinning blends.

use glam::Mat4;

use crate::pose::ModelPose;
use crate::rig::{JointId, Skin};

/// Skinning matrices of one skin in one pose, indexed by palette slot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Palette(pub Vec<Mat4>);

/// Why a skin and a pose do not fit together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PaletteError {
    /// The skin has not as many matrices as joints.
    #[error("the skin has {joints} joints but {matrices} inverse bind matrices")]
    LengthMismatch {
        /// How many joints.
        joints: usize,
        /// How many inverse bind matrices.
        matrices: usize,
    },
    /// The pose is of another skeleton.
    #[error("the skin binds joint {joint}, and the pose has {joint_count} joints")]
    UnknownJoint {
        /// The missing joint.
        joint: JointId,
        /// How many joints the pose has.
        joint_count: usize,
    },
}

/// Builds the palette of `skin` posed by `pose`.
///
/// Slot `i` is `world_from_joint[skin.joints[i]] * skin.inverse_bind_matrices[i]`: it carries a vertex from mesh space
/// at bind time, through joint space, to world space at pose time. The transform of the mesh's own node has no part in
/// it.
///
/// * `skin` – `n` joints and `n` inverse bind matrices.
/// * `pose` – one world-space matrix a joint of the skeleton.
///
/// Returns `n` matrices. In the bind pose each is the identity.
///
/// # Errors
///
/// [`PaletteError::LengthMismatch`] if `skin` has not as many matrices as joints, and
/// [`PaletteError::UnknownJoint`] if `skin` names a joint that `pose` lacks.
///
/// # Reference
///
/// glTF 2.0 §3.7.3.3 "Skinned Mesh Attributes", the `jointMatrix` of a joint.
pub fn build_palette(skin: &Skin, pose: &ModelPose) -> Result<Palette, PaletteError> {
    let (joints, matrices) = (skin.joints.len(), skin.inverse_bind_matrices.len());
    if joints != matrices {
        return Err(PaletteError::LengthMismatch { joints, matrices });
    }
    let joint_count = pose.joints.len();
    let slot = |(&joint, &joint_from_mesh): (&JointId, &Mat4)| match pose.joints.get(joint.index())
    {
        Some(&world_from_joint) => Ok(world_from_joint * joint_from_mesh),
        None => Err(PaletteError::UnknownJoint { joint, joint_count }),
    };
    let slots = skin.joints.iter().zip(&skin.inverse_bind_matrices);
    slots.map(slot).collect::<Result<_, _>>().map(Palette)
}
