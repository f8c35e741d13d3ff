//! The poses that findings refer to.

use crate::lint::analysis::motion::range;
use crate::pose::{self, ModelPose};
use crate::rig::{Asset, Location};

/// The pose that `location` names: a clip at a time, or at its start, or a joint rotated as [`Location::pose`] states.
/// `None` if it names no pose of `asset`.
#[must_use]
pub fn pose_of(asset: &Asset, location: &Location) -> Option<ModelPose> {
    if let Some(words) = &location.pose {
        let mut poses = range::poses(asset).into_iter();
        let pose = poses.find(|pose| pose.words(asset) == *words)?;
        return Some(pose::model_pose(asset, &pose.pose(asset)));
    }
    let name = location.clip.as_ref()?;
    let clip = asset.clips.iter().find(|clip| clip.name == *name)?;
    let time = location.time.unwrap_or(clip.start);
    let local = pose::sample_finite(asset, clip, time);
    Some(pose::model_pose(asset, &local))
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::lint::testing::{arm, rotating};
    use crate::units::Seconds;

    #[test]
    fn a_pose_is_found_again_by_its_words() {
        let asset = arm();
        let rest = pose::model_pose(&asset, &pose::rest(&asset));
        for pose in range::poses(&asset) {
            let location = Location {
                pose: Some(pose.words(&asset)),
                ..Location::FILE
            };
            let found = pose_of(&asset, &location).expect("it is one of them");
            assert_eq!(found, pose::model_pose(&asset, &pose.pose(&asset)));
            assert_eq!(found == rest, pose == range::RangePose::Rest);
        }
        let unknown = Location {
            pose: Some("joint \"tail\" rotated by 30° about x".to_owned()),
            ..Location::FILE
        };
        assert_eq!(pose_of(&asset, &unknown), None);
    }

    #[test]
    fn a_clip_is_posed_at_the_time_of_the_location() {
        let asset = rotating(arm(), Quat::from_rotation_z(1.0));
        let at = |time| pose_of(&asset, &Location::clip("turn").at(Seconds(time)));
        assert_ne!(at(0.0), at(0.5));
        assert_eq!(at(0.0), pose_of(&asset, &Location::clip("turn")));
        assert_eq!(pose_of(&asset, &Location::clip("walk")), None);
        assert_eq!(pose_of(&asset, &Location::FILE), None);
    }
}
