//! Time, axes and units: the conventions of every stage.

mod text;

use std::fmt;
use std::str::FromStr;

use glam::{DMat4, DVec3, DVec4};
use serde::{Deserialize, Serialize};

#[doc(hidden)]
pub use text::{
    amount, counted, first_few, length_in, metres, seconds, significant, time_with_frame, unit_for,
    unlike, without_trailing_zeros,
};

/// A time in seconds, absolute in its clip.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
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
    #[serde(rename = "+X")]
    PlusX,
    /// -X.
    #[serde(rename = "-X")]
    MinusX,
    /// +Y.
    #[serde(rename = "+Y")]
    PlusY,
    /// -Y.
    #[serde(rename = "-Y")]
    MinusY,
    /// +Z.
    #[serde(rename = "+Z")]
    PlusZ,
    /// -Z.
    #[serde(rename = "-Z")]
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

/// A text that names no [`SignedAxis`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not an axis; expected +X, -X, +Y, -Y, +Z or -Z")]
pub struct AxisError(String);

impl FromStr for SignedAxis {
    type Err = AxisError;

    /// Reads `+Z`, `-x` and `y`.
    fn from_str(text: &str) -> Result<Self, AxisError> {
        let (sign, letter) = match text.strip_prefix('-') {
            Some(letter) => (-1, letter),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let index = ["x", "y", "z"]
            .iter()
            .position(|own| letter.eq_ignore_ascii_case(own));
        let index = index.and_then(|index| i32::try_from(index).ok());
        let axis = index.and_then(|index| Self::from_index(index, sign));
        axis.ok_or_else(|| AxisError(text.to_owned()))
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

    /// The spaces of two files, made comparable: a unit that only one of them states holds for both.
    #[must_use]
    pub fn with_shared_unit([a, b]: [Self; 2]) -> [Self; 2] {
        let with_unit_of = |space: Self, other: Self| Self {
            metres_per_unit: space.metres_per_unit.or(other.metres_per_unit),
            ..space
        };
        [with_unit_of(a, b), with_unit_of(b, a)]
    }

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

/// A unit of length in use by engines and modelling programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LengthUnit {
    /// 1 m.
    Metre,
    /// 0.01 m.
    Centimetre,
    /// 0.001 m.
    Millimetre,
    /// 0.0254 m.
    Inch,
    /// 0.3048 m.
    Foot,
    /// 0.28 m: the unit of Roblox (Creator Hub, "Roblox units", *Unit conversions*: 1 stud is 28 cm).
    Stud,
}

/// How far a unit that a file states may be from a named one, as a ratio. COLLADA files write 0.02539999 for an inch,
/// and a number that passed through f32 is off by 6e-8. No two named units are closer than 9 %.
const ALIKE: f64 = 1e-4;

impl LengthUnit {
    /// Every unit.
    pub const ALL: [Self; 6] = [
        Self::Metre,
        Self::Centimetre,
        Self::Millimetre,
        Self::Inch,
        Self::Foot,
        Self::Stud,
    ];

    /// Its plural in words; the symbol `in` would not read as a unit.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Metre => "metres",
            Self::Centimetre => "centimetres",
            Self::Millimetre => "millimetres",
            Self::Inch => "inches",
            Self::Foot => "feet",
            Self::Stud => "studs",
        }
    }

    /// Its symbol, which is also its name in configurations.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Metre => "m",
            Self::Centimetre => "cm",
            Self::Millimetre => "mm",
            Self::Inch => "in",
            Self::Foot => "ft",
            Self::Stud => "studs",
        }
    }

    /// A single one, such as `1 cm`.
    #[must_use]
    pub const fn one(self) -> &'static str {
        match self {
            Self::Metre => "1 m",
            Self::Centimetre => "1 cm",
            Self::Millimetre => "1 mm",
            Self::Inch => "1 in",
            Self::Foot => "1 ft",
            Self::Stud => "1 stud",
        }
    }

    /// Its length in metres.
    #[must_use]
    pub const fn metres(self) -> f64 {
        match self {
            Self::Metre => 1.0,
            Self::Centimetre => 0.01,
            Self::Millimetre => 0.001,
            Self::Inch => 0.0254,
            Self::Foot => 0.3048,
            Self::Stud => 0.28,
        }
    }

    /// The unit whose length is `metres`, to within rounding.
    #[must_use]
    pub fn of_metres(metres: f64) -> Option<Self> {
        let alike = |unit: &Self| (metres / unit.metres() - 1.0).abs() <= ALIKE;
        Self::ALL.into_iter().find(alike)
    }
}

impl fmt::Display for LengthUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The handedness of a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Handedness {
    /// x × y = z by the right-hand rule.
    Right,
    /// The mirror image.
    Left,
}

impl fmt::Display for Handedness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Right => "right-handed",
            Self::Left => "left-handed",
        })
    }
}

#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod law;

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
    fn axes_are_read_as_they_are_written() {
        for axis in ["+X", "-X", "+Y", "-Y", "+Z", "-Z"] {
            assert_eq!(axis.parse::<SignedAxis>().unwrap().to_string(), axis);
        }
        assert_eq!("y".parse(), Ok(SignedAxis::PlusY));
        for wrong in ["", "+", "--X", "up", "xy"] {
            assert!(wrong.parse::<SignedAxis>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn y_up_metres_converts_to_itself() {
        assert_eq!(Space::Y_UP_METRES.y_up_metres_from_self(), DMat4::IDENTITY);
    }

    #[test]
    fn a_unit_is_known_by_its_length_as_files_write_it() {
        for unit in LengthUnit::ALL {
            let metres = unit.metres();
            for stated in [metres, metres * (1.0 + 6e-8), metres * 0.999_99] {
                assert_eq!(LengthUnit::of_metres(stated), Some(unit), "{stated}");
            }
            for stated in [metres * 1.01, -metres] {
                assert_eq!(LengthUnit::of_metres(stated), None, "{stated}");
            }
        }
        for metres in [0.0, f64::NAN, f64::INFINITY] {
            assert_eq!(LengthUnit::of_metres(metres), None, "{metres}");
        }
    }

    #[test]
    fn names_of_units_differ() {
        let mut names = LengthUnit::ALL.map(LengthUnit::name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), LengthUnit::ALL.len());
    }
}
