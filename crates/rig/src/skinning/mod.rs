//! Linear blend skinning and dual quaternion skinning.
//!
//! [`deform`] skins in f32, for images; [`reference`](mod@reference) computes the same in f64. [`bound`] bounds the
//! difference of the two.

pub mod bound;
mod dual_quaternion;
mod kernel;
mod morph;
#[cfg(any(test, feature = "testing"))]
mod plain;
mod posed;
mod prepared;
pub mod reference;
mod truth;
#[doc(hidden)]
pub mod weights;

use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, SkinningOptions};

#[doc(hidden)]
pub use dual_quaternion::rotation_of_slot;
#[cfg(any(test, feature = "testing"))]
pub use plain::deform_plain;
pub use posed::{MAX_VERTICES, SkinningError};
#[doc(hidden)]
pub use prepared::PreparedMeshes;
pub use prepared::{Attributes, DistinctPositions, Prepared};
pub use truth::{Known, MeshTruth, truth};
pub use weights::effective;

/// Skins every mesh instance of `asset`, in order. For many poses, [`Prepared`] is several times faster.
///
/// * `pose` – of the skeleton of `asset`, in world space.
///
/// A vertex of a skinned instance is `Σ weight * world_from_joint * inverse_bind * vertex`, or, where
/// [`SkinningOptions::method`] asks for dual quaternions, the blend of the joints' rigid motions; the instance's own
/// node does not matter. An instance without a skin, and a vertex without a weight, follows its node. Morph targets are
/// added first. Normals are transformed by the inverse transpose of the blended matrix, tangents and bitangents by the
/// matrix itself. All have unit length, or are zero where they have no direction. The last row of each matrix is taken
/// as 0 0 0 1.
///
/// Returns world-space vertices, bit-identical for any number of threads.
///
/// # Errors
///
/// [`SkinningError`] if `pose` is of another skeleton, a mesh uses a slot that its skin lacks (validated assets do not),
/// or there are more than [`MAX_VERTICES`].
///
/// # Reference
///
/// glTF 2.0 §3.7.3 "Skins"; L. Kavan et al., "Geometric Skinning with Approximate Dual Quaternion Blending", 2008; K.
/// Turkowski, "Transformations of Surface Normal Vectors", Apple technical report 22, 1990.
///
/// ```
/// # mod skincheck { pub use skincheck_rig::{glam, pose, rig, skinning, units}; }
/// # use skincheck::glam::Vec3;
/// # let asset = skincheck::rig::leg();
/// # let knee = skincheck::rig::NodeId(1);
/// use skincheck::{pose, rig::SkinningOptions, skinning, units::Seconds};
///
/// let local = pose::sample(&asset, &asset.clips[0], Seconds(1.0))?;
/// let meshes = skinning::deform(&asset, &pose::model_pose(&asset, &local), &SkinningOptions::default())?;
/// // The tip swings by half a turn about the knee at (0, 1, 0).
/// assert!(meshes[0].positions[2].abs_diff_eq(Vec3::ZERO, 1e-6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn deform(
    asset: &Asset,
    pose: &ModelPose,
    options: &SkinningOptions,
) -> Result<Vec<DeformedMesh>, SkinningError> {
    Prepared::new(asset, options).deform(pose, Attributes::All)
}

/// Skins as [`deform`] does, but only the positions; all other attributes are empty.
///
/// # Errors
///
/// Same as [`deform`].
pub fn deform_positions(
    asset: &Asset,
    pose: &ModelPose,
    options: &SkinningOptions,
) -> Result<Vec<DeformedMesh>, SkinningError> {
    Prepared::new(asset, options).deform(pose, Attributes::Positions)
}

#[cfg(test)]
mod laws;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::rigs::posed_rigs;
    use crate::units::law::check;

    #[test]
    fn one_preparation_serves_every_pose() {
        let verdict = check(&posed_rigs(), |rig| {
            let options = SkinningOptions::default();
            let prepared = PreparedMeshes::new(&rig.asset, options);
            let mut reused = Vec::new();
            let rest = crate::pose::model_pose(&rig.asset, &crate::pose::rest(&rig.asset));
            for pose in [rest, rig.model_pose()] {
                let anew = deform(&rig.asset, &pose, &options).expect("the rig is whole");
                let again = Prepared::new(&rig.asset, &options).deform_into(
                    &pose,
                    Attributes::All,
                    &mut reused,
                );
                again.expect("the rig is whole");
                proptest::prop_assert_eq!(&anew, &reused);
                let part = prepared.deform(&rig.asset, &pose, Attributes::Normals);
                for (whole, part) in anew.iter().zip(&part.expect("the rig is whole")) {
                    proptest::prop_assert_eq!(&whole.positions, &part.positions);
                    proptest::prop_assert_eq!(&whole.normals, &part.normals);
                    proptest::prop_assert!(part.tangents.is_empty());
                }
                let positions = prepared.distinct_positions(&rig.asset, &pose, |_| true);
                for (whole, distinct) in anew.iter().zip(&positions.expect("the rig is whole")) {
                    let all: Vec<glam::Vec3> = distinct.iter().collect();
                    proptest::prop_assert_eq!(&whole.positions, &all);
                }
            }
            Ok(())
        });
        verdict.unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn positions_alone_are_those_of_the_whole() {
        let verdict = check(&posed_rigs(), |rig| {
            let (pose, options) = (rig.model_pose(), SkinningOptions::default());
            let whole = deform(&rig.asset, &pose, &options).expect("the rig is whole");
            let alone = deform_positions(&rig.asset, &pose, &options).expect("the rig is whole");
            for (whole, alone) in whole.iter().zip(&alone) {
                proptest::prop_assert_eq!(&whole.positions, &alone.positions);
                proptest::prop_assert!(alone.normals.is_empty() && alone.tangents.is_empty());
            }
            proptest::prop_assert_eq!(whole.len(), alone.len());
            Ok(())
        });
        verdict.unwrap_or_else(|error| panic!("{error}"));
    }
}
