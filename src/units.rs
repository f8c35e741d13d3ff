//! Time, axes and units: the conventions of every stage.

mod amount;
#[cfg(test)]
pub(crate) mod law;
mod length;

use std::fmt;

use glam::{DMat4, DVec3, DVec4};
use serde::{Deserialize, Serialize};

pub(crate) use amount::{amount, counted};
pub use length::{Handedness, LengthUnit};

/// A time in seconds, absolute in its clip.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
pub struct Seconds(pub f64);

impl Seconds {
    /// The origin of a clip's time line.
    pub const ZERO: Self = Self(0.0);

    /// The raw number of seconds.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.0)
    }
}

/// One of the six directions of a coordinate system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SignedAxis {
    /// +X.
    PlusX,
    /// -X.
    MinusX,
    /// +Y.
    PlusY,
    /// -Y.
    MinusY,
    /// +Z.
    PlusZ,
    /// -Z.
    MinusZ,
}

impl SignedAxis {
    /// The unit vector along this axis.
    #[must_use]
    pub fn unit(self) -> DVec3 {
        match self {
            Self::PlusX => DVec3::X,
            Self::MinusX => DVec3::NEG_X,
            Self::PlusY => DVec3::Y,
            Self::MinusY => DVec3::NEG_Y,
            Self::PlusZ => DVec3::Z,
            Self::MinusZ => DVec3::NEG_Z,
        }
    }

    /// The axis `index` (0 = x, 1 = y, 2 = z) with the sign of `sign`; `None` for another index.
    #[must_use]
    pub fn from_index(index: i32, sign: i32) -> Option<Self> {
        Some(match (index, sign >= 0) {
            (0, true) => Self::PlusX,
            (0, false) => Self::MinusX,
            (1, true) => Self::PlusY,
            (1, false) => Self::MinusY,
            (2, true) => Self::PlusZ,
            (2, false) => Self::MinusZ,
            _ => return None,
        })
    }
}

impl fmt::Display for SignedAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PlusX => "+X",
            Self::MinusX => "-X",
            Self::PlusY => "+Y",
            Self::MinusY => "-Y",
            Self::PlusZ => "+Z",
            Self::MinusZ => "-Z",
        })
    }
}

/// Axes and unit of a coordinate system, right-handed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// Where a standing character's head is.
    pub up: SignedAxis,
    /// Where a character's face looks; perpendicular to `up`.
    pub front: SignedAxis,
    /// Length of one unit in metres; `None` if the format does not state it.
    pub metres_per_unit: Option<f64>,
}

impl Space {
    /// +Y up, +Z front, metres: the space of glTF 2.0 (§3.4) and of skincheck's images.
    pub const Y_UP_METRES: Self = Self {
        up: SignedAxis::PlusY,
        front: SignedAxis::PlusZ,
        metres_per_unit: Some(1.0),
    };

    /// +Y up, +Z front, unit unknown.
    pub const Y_UP: Self = Self {
        metres_per_unit: None,
        ..Self::Y_UP_METRES
    };

    /// The matrix that takes points from this space to [`Space::Y_UP_METRES`]. An unknown unit counts as a metre.
    ///
    /// Rows are `left = up × front`, `up` and `front`, so it is a rotation and a uniform scale.
    #[must_use]
    pub fn y_up_metres_from_self(&self) -> DMat4 {
        let (up, front) = (self.up.unit(), self.front.unit());
        let scale = self.metres_per_unit.unwrap_or(1.0);
        let row = |axis: DVec3| (axis * scale).extend(0.0);
        let rows = [row(up.cross(front)), row(up), row(front), DVec4::W];
        DMat4::from_cols(rows[0], rows[1], rows[2], rows[3]).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_z_up_centimetre_file_stands_upright_in_metres() {
        let max = Space {
            up: SignedAxis::PlusZ,
            front: SignedAxis::MinusY,
            metres_per_unit: Some(0.01),
        };
        let convert = max.y_up_metres_from_self();
        let head = convert.transform_point3(DVec3::new(0.0, 0.0, 180.0));
        assert!(head.abs_diff_eq(DVec3::new(0.0, 1.8, 0.0), 1e-12), "{head}");
        let nose = convert.transform_point3(DVec3::new(0.0, -10.0, 170.0));
        assert!(nose.abs_diff_eq(DVec3::new(0.0, 1.7, 0.1), 1e-12), "{nose}");
        assert!(convert.determinant() > 0.0);
    }

    #[test]
    fn y_up_metres_converts_to_itself() {
        assert_eq!(Space::Y_UP_METRES.y_up_metres_from_self(), DMat4::IDENTITY);
    }
}
