//! Poses of the range of motion, and their notation: `rest`, or `rom:LeftArm:x:+30` for a joint rotated by 30° about x.

use std::fmt;
use std::str::FromStr;

use glam::{Mat4, Quat, Vec3};

use super::select::{SelectError, find_joint};
use super::{Pose, rest};
use crate::rig::{Asset, LocalTransform, NodeId, Trs};

/// The start of the notation of a rotated joint.
const PREFIX: &str = "rom:";

/// A pose outside any clip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RangePose {
    /// No joint is rotated.
    Rest,
    /// One joint is rotated.
    Rotated(Rotation<NodeId>),
}

/// A joint that is rotated in its own frame, before it is scaled: scale would shear the rotation.
///
/// As text it is `rom:LeftArm:x:+30`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rotation<Joint> {
    /// The joint: an id, or a name or `#` and an index.
    pub joint: Joint,
    /// The axis: 0 for x, 1 for y, 2 for z.
    pub axis: usize,
    /// The angle, in degrees.
    pub degrees: f64,
}

/// A text that is not a rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected rom:JOINT:AXIS:DEGREES, such as rom:LeftArm:x:+30")]
pub struct RotationError;

impl RangePose {
    /// Every joint relative to its parent.
    #[must_use]
    pub fn pose(self, asset: &Asset) -> Pose {
        let mut pose = rest(asset);
        if let Self::Rotated(rotation) = self {
            let local = &mut pose.locals[rotation.joint.index()];
            *local = rotated(local, rotation.quat());
        }
        pose
    }

    /// Its notation.
    #[must_use]
    pub fn name(self, asset: &Asset) -> String {
        let Self::Rotated(Rotation {
            joint,
            axis,
            degrees,
        }) = self
        else {
            return "rest".to_owned();
        };
        let name = asset.skeleton.get(joint).map(|node| node.name.as_str());
        let name = name.filter(|name| asset.skeleton.find(name) == Some(joint) && !name.is_empty());
        let joint = name.map_or_else(|| format!("#{}", joint.index()), str::to_owned);
        Rotation {
            joint,
            axis,
            degrees,
        }
        .to_string()
    }
}

impl Rotation<String> {
    /// Whether `text` is meant as a rotation.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(PREFIX)
    }

    /// The same rotation of a joint of `asset`.
    ///
    /// # Errors
    ///
    /// [`SelectError::UnknownJoint`].
    pub fn find(&self, asset: &Asset) -> Result<RangePose, SelectError> {
        let joint = find_joint(asset, &self.joint)?;
        let (axis, degrees) = (self.axis, self.degrees);
        Ok(RangePose::Rotated(Rotation {
            joint,
            axis,
            degrees,
        }))
    }
}

impl<Joint> Rotation<Joint> {
    #[expect(clippy::cast_possible_truncation, reason = "geometry is f32")]
    fn quat(&self) -> Quat {
        let half = self.degrees.to_radians() / 2.0;
        let along = Vec3::AXES[self.axis] * libm::sin(half) as f32;
        Quat::from_xyzw(along.x, along.y, along.z, libm::cos(half) as f32)
    }
}

impl FromStr for Rotation<String> {
    type Err = RotationError;

    fn from_str(text: &str) -> Result<Self, RotationError> {
        // The name of a joint may contain colons.
        let mut parts = text
            .strip_prefix(PREFIX)
            .ok_or(RotationError)?
            .rsplitn(3, ':');
        let degrees: Option<f64> = parts.next().and_then(|degrees| degrees.parse().ok());
        let axis = parts.next().and_then(|axis| match axis {
            "x" => Some(0),
            "y" => Some(1),
            "z" => Some(2),
            _ => None,
        });
        Ok(Self {
            joint: parts.next().ok_or(RotationError)?.to_owned(),
            axis: axis.ok_or(RotationError)?,
            degrees: degrees
                .filter(|degrees| degrees.is_finite())
                .ok_or(RotationError)?,
        })
    }
}

impl fmt::Display for Rotation<String> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = ["x", "y", "z"][self.axis];
        write!(f, "{PREFIX}{}:{axis}:{:+}", self.joint, self.degrees)
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
        for (joint, name) in names.into_iter().enumerate() {
            let rotation: Rotation<String> = name.parse().expect("it is a rotation");
            assert_eq!(rotation.to_string(), name);
            let pose = rotation.find(&asset).expect("there is such a joint");
            let RangePose::Rotated(found) = pose else {
                panic!("a joint is rotated");
            };
            assert_eq!(found.joint.index(), joint);
            assert_eq!(pose.name(&asset), name);
        }
        let unknown: Rotation<String> = "rom:tail:x:30".parse().expect("it is a rotation");
        assert!(unknown.find(&asset).is_err());
        for text in [
            "rest",
            "rom:knee",
            "rom:knee:w:30",
            "rom:knee:x:inf",
            "rom:x:30",
        ] {
            assert_eq!(
                text.parse::<Rotation<String>>(),
                Err(RotationError),
                "{text}"
            );
        }
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
