//! Poses of the range of motion: of which joints, and how they pose a model.

use std::convert::Infallible;

use glam::{Mat4, Quat, Vec3};

use super::select::{SelectError, find_joint};
use super::{Pose, rest};
use crate::rig::{Asset, LocalTransform, NodeId, RangePose, Rotation, Trs};

impl RangePose {
    /// The pose, each node relative to its parent.
    #[must_use]
    pub fn pose(self, asset: &Asset) -> Pose {
        let mut pose = rest(asset);
        if let Self::Rotated(rotation) = self {
            let node = asset.rotating_node(rotation.joint);
            let local = &mut pose.locals[node.index()];
            *local = rotated(local, rotation.quat());
        }
        pose
    }

    /// The same pose by the name of its joint, or by `#` and its index if another joint is found by that name.
    #[must_use]
    pub fn named(self, asset: &Asset) -> RangePose<String> {
        let label = |joint: NodeId| {
            let name = asset.skeleton.get(joint).map(|node| node.name.as_str());
            let own =
                name.filter(|name| asset.skeleton.find(name) == Some(joint) && !name.is_empty());
            own.map_or_else(|| format!("#{}", joint.index()), str::to_owned)
        };
        let Ok(named) = self.try_map(|joint| Ok::<_, Infallible>(label(joint)));
        named
    }
}

impl RangePose<String> {
    /// The same pose of a joint of `asset`.
    ///
    /// # Errors
    ///
    /// [`SelectError::UnknownJoint`].
    pub fn find(self, asset: &Asset) -> Result<RangePose, SelectError> {
        self.try_map(|joint| find_joint(asset, &joint))
    }
}

impl Rotation {
    #[expect(clippy::cast_possible_truncation, reason = "geometry is f32")]
    fn quat(&self) -> Quat {
        let half = self.degrees.to_radians() / 2.0;
        let along = Vec3::AXES[self.axis] * libm::sin(half) as f32;
        Quat::from_xyzw(along.x, along.y, along.z, libm::cos(half) as f32)
    }
}

fn rotated(local: &LocalTransform, rotation: Quat) -> LocalTransform {
    match local {
        LocalTransform::Trs(trs) => LocalTransform::Trs(Trs {
            rotation: (trs.rotation.as_dquat() * rotation.as_dquat()).as_quat(),
            ..*trs
        }),
        LocalTransform::Matrix(matrix) => {
            LocalTransform::Matrix(*matrix * Mat4::from_quat(rotation))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::model_pose;
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::rig::PoseName;

    fn asset() -> Asset {
        let rest = |y| {
            LocalTransform::Trs(Trs {
                translation: Vec3::Y * y,
                ..Trs::IDENTITY
            })
        };
        asset_of(vec![
            named_joint("rig:hip", None, rest(0.0)),
            named_joint("knee", Some(0), rest(1.0)),
            named_joint("knee", Some(1), rest(1.0)),
            named_joint("", Some(2), rest(1.0)),
        ])
    }

    #[test]
    fn a_pose_is_found_by_its_name() {
        let asset = asset();
        let names = [
            "rom:rig:hip:x:+30",
            "rom:knee:y:-30",
            "rom:#2:z:+0.5",
            "rom:#3:x:+90",
        ];
        let read = |name: &str| match name.parse() {
            Ok(PoseName::Range(pose)) => pose,
            other => panic!("{other:?}"),
        };
        for (joint, name) in names.into_iter().enumerate() {
            let pose = read(name).find(&asset).expect("there is such a joint");
            let RangePose::Rotated(found) = pose else {
                panic!("a joint is rotated");
            };
            assert_eq!(found.joint.index(), joint);
            assert_eq!(pose.named(&asset).to_string(), name);
        }
        assert!(read("rom:tail:x:30").find(&asset).is_err());
    }

    #[test]
    fn a_rotation_keeps_the_joint_where_it_is() {
        let asset = asset();
        let rotation = Rotation {
            joint: NodeId(1),
            axis: 0,
            degrees: -30.0,
        };
        let [rest, rotated] = [RangePose::Rest, RangePose::Rotated(rotation)]
            .map(|pose| model_pose(&asset, &pose.pose(&asset)).nodes[1]);
        assert_eq!(rest.w_axis, rotated.w_axis);
        let angle = libm::acos(f64::from(rest.y_axis.dot(rotated.y_axis))).to_degrees();
        assert!((angle - 30.0).abs() < 1e-3, "{angle}");
        assert!(rotated.y_axis.z < 0.0);
    }
}
