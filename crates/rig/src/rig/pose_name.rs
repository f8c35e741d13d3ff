//! Poses outside any clip, and their notation: `rest`, or `rom:LeftArm:x:+30` for a joint rotated by 30° about x.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ids::NodeId;
use crate::shown::escaped;

/// The notation of the bind pose.
const BIND: &str = "bind";

/// The notation of the rest pose.
const REST: &str = "rest";

/// The start of the notation of a rotated joint.
const PREFIX: &str = "rom:";

const AXES: [&str; 3] = ["x", "y", "z"];

/// A pose of the range of motion. With ids of joints it belongs to one model; with their names, to any version of the
/// model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RangePose<Joint = NodeId> {
    /// No joint is rotated.
    Rest,
    /// One joint is rotated.
    Rotated(Rotation<Joint>),
}

/// A joint that is rotated in its own frame, before it is scaled: scale would shear the rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rotation<Joint = NodeId> {
    /// The joint: an id, or a name or `#` and an index.
    pub joint: Joint,
    /// The axis: 0 for x, 1 for y, 2 for z.
    pub axis: usize,
    /// The angle, in degrees.
    pub degrees: f64,
}

impl<Joint> RangePose<Joint> {
    /// The same pose, of what `find` returns for the joint.
    pub(crate) fn try_map<Other, Error>(
        self,
        find: impl FnOnce(Joint) -> Result<Other, Error>,
    ) -> Result<RangePose<Other>, Error> {
        Ok(match self {
            Self::Rest => RangePose::Rest,
            Self::Rotated(Rotation {
                joint,
                axis,
                degrees,
            }) => RangePose::Rotated(Rotation {
                joint: find(joint)?,
                axis,
                degrees,
            }),
        })
    }
}

impl fmt::Display for RangePose<String> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Rotated(rotation) = self else {
            return f.write_str(REST);
        };
        let axis = AXES[rotation.axis];
        write!(
            f,
            "{PREFIX}{}:{axis}:{:+}",
            rotation.joint, rotation.degrees
        )
    }
}

/// A pose without a clip, as `--pose` names it.
///
/// ```
/// # mod skincheck { pub use skincheck_rig::rig; }
/// use skincheck::rig::{PoseName, RangePose};
///
/// let pose: PoseName = "rom:LeftArm:x:+30".parse()?;
/// assert!(matches!(pose, PoseName::Range(RangePose::Rotated(_))));
/// assert_eq!(pose.to_string(), "rom:LeftArm:x:+30");
/// # Ok::<(), skincheck::rig::PoseNameError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum PoseName {
    /// `bind`: the pose in which the skins were bound.
    Bind,
    /// `rest`, or `rom:` and a joint, an axis and an angle in degrees.
    Range(RangePose<String>),
    /// A pose file.
    File(String),
}

/// The text starts with `rom:`, but the rest is not a joint, an axis and an angle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected rom:JOINT:AXIS:DEGREES, such as rom:LeftArm:x:+30")]
pub struct PoseNameError;

impl PoseName {
    /// The rest pose.
    pub const REST: Self = Self::Range(RangePose::Rest);

    /// In words, such as `"LeftArm" rotated by 30° about x`, or `rest pose`. Names are escaped.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Bind => "bind pose".to_owned(),
            Self::Range(RangePose::Rest) => "rest pose".to_owned(),
            Self::Range(RangePose::Rotated(rotation)) => format!(
                "\"{}\" rotated by {}° about {}",
                escaped(&rotation.joint),
                rotation.degrees,
                AXES[rotation.axis]
            ),
            Self::File(name) => format!("pose {}", escaped(name)),
        }
    }
}

impl FromStr for PoseName {
    type Err = PoseNameError;

    fn from_str(text: &str) -> Result<Self, PoseNameError> {
        match text {
            BIND => return Ok(Self::Bind),
            REST => return Ok(Self::REST),
            _ => {}
        }
        let Some(rotation) = text.strip_prefix(PREFIX) else {
            return Ok(Self::File(text.to_owned()));
        };
        // The name of a joint may contain colons.
        let mut parts = rotation.rsplitn(3, ':');
        let degrees: Option<f64> = parts.next().and_then(|degrees| degrees.parse().ok());
        let axis = parts.next();
        let axis = axis.and_then(|axis| AXES.iter().position(|own| *own == axis));
        Ok(Self::Range(RangePose::Rotated(Rotation {
            joint: parts.next().ok_or(PoseNameError)?.to_owned(),
            axis: axis.ok_or(PoseNameError)?,
            degrees: degrees
                .filter(|degrees| degrees.is_finite())
                .ok_or(PoseNameError)?,
        })))
    }
}

impl fmt::Display for PoseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bind => f.write_str(BIND),
            Self::Range(pose) => pose.fmt(f),
            Self::File(name) => f.write_str(name),
        }
    }
}

impl Serialize for PoseName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PoseName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pose_is_read_and_written() {
        for text in [
            "rest",
            "bind",
            "rom:rig:hip:x:+30",
            "rom:#2:z:-0.5",
            "rom::y:+0.1",
            "poses/wave.json",
        ] {
            let pose: PoseName = text.parse().expect("it is a pose");
            assert_eq!(pose.to_string(), text);
            let bytes = postcard::to_stdvec(&pose).expect("it is a string");
            assert_eq!(postcard::from_bytes(&bytes), Ok(pose), "{text}");
        }
        for text in ["rom:knee", "rom:knee:w:30", "rom:knee:x:inf", "rom:x:30"] {
            assert_eq!(text.parse::<PoseName>(), Err(PoseNameError), "{text}");
        }
    }
}
