//! Differences of unit and axes between a file and an engine.

use serde::{Deserialize, Serialize};

use crate::core::numbers::significant;
use crate::engines::Engine;
use crate::rig::Asset;
use crate::units::{LengthUnit, Space};

/// As many as people grasp at a glance.
const DIGITS: usize = 4;

/// A difference between what a file states and the target engine.
///
/// Not a fault: importers convert, or can be told to. But if one does not, this is what goes wrong. The front is not
/// compared: files state the front of their space, while engines expect the character's. All files are right-handed as
/// read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Conversion {
    /// The converted quantity.
    pub what: Quantity,
    /// The file's, such as `1 cm` or `+Z`.
    pub file: String,
    /// The engine's.
    pub engine: String,
    /// For a unit, the factor for the file's lengths.
    pub factor: Option<f64>,
}

/// A quantity in which a file and an engine may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Quantity {
    /// The length of a unit.
    Unit,
    /// The up axis.
    Up,
}

impl Conversion {
    /// The conversions for `engine`. A file that states no unit and axes, because its format has none, has nothing to
    /// convert.
    pub(crate) fn of(asset: &Asset, engine: &Engine) -> Vec<Self> {
        let Some((stated, file_metres)) = stated(asset) else {
            return Vec::new();
        };
        let mut conversions = Vec::new();
        let unit = LengthUnit::of_metres(file_metres);
        if let Some(stated) = engine.unit.filter(|stated| unit != Some(stated.value)) {
            conversions.push(Self {
                what: Quantity::Unit,
                file: unit.map_or_else(|| in_metres(file_metres), |unit| unit.one().to_owned()),
                engine: stated.value.one().to_owned(),
                // Without the rounding of a named unit.
                factor: Some(unit.map_or(file_metres, LengthUnit::metres) / stated.value.metres()),
            });
        }
        let up = engine.axes.map(|axes| axes.value.up);
        if let Some(up) = up.filter(|up| stated.up != *up) {
            conversions.push(Self {
                what: Quantity::Up,
                file: stated.up.to_string(),
                engine: up.to_string(),
                factor: None,
            });
        }
        conversions
    }

    /// For people: `1 unit is 1 m in the file, 1 cm for unreal (× 100)`.
    ///
    /// * `name` – the engine, as it was given.
    #[must_use]
    pub fn reported(&self, name: &str) -> String {
        let what = match self.what {
            Quantity::Unit => "1 unit",
            Quantity::Up => "up",
        };
        let factor = self.factor.map_or_else(String::new, |factor| {
            format!(" (× {})", significant(factor, DIGITS))
        });
        format!(
            "{what} is {} in the file, {} for {name}{factor}",
            self.file, self.engine
        )
    }
}

/// The space that the file states, and its metres per unit; `None` if it states no unit: its format then has neither
/// units nor axes.
pub(crate) fn stated(asset: &Asset) -> Option<(Space, f64)> {
    let space = asset.stated_space.unwrap_or(asset.space);
    let metres = space.metres_per_unit?;
    (metres.is_finite() && metres > 0.0).then_some((space, metres))
}

/// Such as `centimetres`, or `units of 0.3 m`.
pub(crate) fn unit_name(metres: f64) -> String {
    match LengthUnit::of_metres(metres) {
        Some(unit) => unit.words().to_owned(),
        None => format!("units of {}", in_metres(metres)),
    }
}

fn in_metres(metres: f64) -> String {
    format!("{} m", significant(metres, DIGITS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::{ENGINES, find_engine};
    use crate::pose::rigs::asset_of;
    use crate::units::SignedAxis;

    fn reported(space: Space, name: &str) -> Vec<String> {
        let mut asset = asset_of(Vec::new());
        asset.space = space;
        let engine = find_engine(name).expect("there is such an engine");
        let conversions = Conversion::of(&asset, engine);
        let reported = conversions
            .iter()
            .map(|conversion| conversion.reported(name));
        reported.collect()
    }

    const Z_UP_CENTIMETRES: Space = Space {
        up: SignedAxis::PlusZ,
        front: SignedAxis::MinusY,
        metres_per_unit: Some(0.01),
    };

    #[test]
    fn a_different_unit_is_reported_with_the_factor() {
        assert_eq!(
            reported(Z_UP_CENTIMETRES, "unity"),
            [
                "1 unit is 1 cm in the file, 1 m for unity (× 0.01)",
                "up is +Z in the file, +Y for unity",
            ]
        );
        assert_eq!(
            reported(Space::Y_UP_METRES, "unreal"),
            [
                "1 unit is 1 m in the file, 1 cm for unreal (× 100)",
                "up is +Y in the file, +Z for unreal",
            ]
        );
        assert_eq!(
            reported(Space::Y_UP_METRES, "roblox"),
            ["1 unit is 1 m in the file, 1 stud for roblox (× 3.571)"]
        );
    }

    #[test]
    fn equal_conventions_are_not_reported() {
        assert!(reported(Z_UP_CENTIMETRES, "unreal").is_empty());
        for engine in ["gltf", "unity", "godot", "bevy", "vrm", "three"] {
            assert!(reported(Space::Y_UP_METRES, engine).is_empty(), "{engine}");
        }
        let rounded = Space {
            metres_per_unit: Some(f64::from(0.01_f32)),
            ..Z_UP_CENTIMETRES
        };
        assert!(reported(rounded, "unreal").is_empty());
    }

    #[test]
    fn a_unit_without_a_name_is_reported_in_metres() {
        let odd = Space {
            metres_per_unit: Some(0.3),
            ..Space::Y_UP_METRES
        };
        let expected = "1 unit is 0.3 m in the file, 1 m for unity (× 0.3)";
        assert_eq!(reported(odd, "unity"), [expected]);
    }

    #[test]
    fn a_file_that_states_nothing_is_not_compared() {
        for engine in ENGINES.iter() {
            assert!(reported(Space::Y_UP, engine.name).is_empty());
            for metres in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
                let wrong = Space {
                    metres_per_unit: Some(metres),
                    ..Z_UP_CENTIMETRES
                };
                assert!(reported(wrong, engine.name).is_empty(), "{metres}");
            }
        }
    }

    #[test]
    fn converted_units_count_as_the_file_states_them() {
        let mut asset = asset_of(Vec::new());
        asset.stated_space = Some(Z_UP_CENTIMETRES);
        let unity = find_engine("unity").expect("there is such an engine");
        assert_eq!(Conversion::of(&asset, unity).len(), 2);
    }
}
