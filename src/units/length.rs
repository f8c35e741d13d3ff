//! Units of length, and the handedness of a space.

use std::fmt;

use serde::{Deserialize, Serialize};

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

#[cfg(test)]
mod tests {
    use super::*;

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
