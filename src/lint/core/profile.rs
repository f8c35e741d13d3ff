//! Profiles: limits, units and axes of engines and formats.

mod conversion;
mod table;

pub use conversion::{Conversion, Quantity};
pub(in crate::lint) use conversion::{stated, unit_name};
pub use table::PROFILES;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::units::{Handedness, LengthUnit, SignedAxis};

/// The limits and conventions of an engine, a format or a platform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// The name in the configuration, such as `unity`.
    pub name: &'static str,
    /// Its title, for people.
    pub title: &'static str,
    /// The limit of influences per vertex, if any.
    pub max_influences: Option<u32>,
    /// The limit of joints per skin, if any.
    pub max_joints: Option<u32>,
    /// The unit of length.
    pub unit: LengthUnit,
    /// The directions of up, forward and front.
    pub axes: Axes,
    /// How it treats a file with another unit or other axes; a sentence without a full stop.
    pub conversion: &'static str,
    /// The sources.
    pub sources: Sources,
}

/// The axes of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axes {
    /// The up direction: from a standing character's feet to its head.
    pub up: SignedAxis,
    /// The engine's forward: where an unrotated object moves and looks.
    pub forward: SignedAxis,
    /// The direction that a character's face looks in models made for the engine, in the engine's axes. In some engines
    /// it is not forward, so the importer or an artist must rotate characters.
    pub front: SignedAxis,
    /// Its handedness.
    pub handedness: Handedness,
}

/// The source of each statement of a [`Profile`]: a document with its section, or a constant in the engine's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sources {
    /// The source of [`Profile::max_influences`].
    pub max_influences: &'static str,
    /// The source of [`Profile::max_joints`], or of its absence.
    pub max_joints: &'static str,
    /// The source of [`Profile::unit`].
    pub unit: &'static str,
    /// The source of [`Profile::axes`].
    pub axes: &'static str,
    /// The source of [`Profile::conversion`].
    pub conversion: &'static str,
}

impl Serialize for Profile {
    /// Writes its name.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for &'static Profile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        find_profile(&name).ok_or_else(|| D::Error::custom("unknown profile"))
    }
}

/// The profile named `name`, ignoring case.
#[must_use]
pub fn find_profile(name: &str) -> Option<&'static Profile> {
    let mut profiles = PROFILES.iter();
    profiles.find(|profile| profile.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::find_rule;

    #[test]
    fn every_profile_says_where_each_of_its_statements_is_from() {
        for profile in PROFILES {
            let Sources {
                max_influences,
                max_joints,
                unit,
                axes,
                conversion,
            } = profile.sources;
            let texts = [max_influences, max_joints, unit, axes, conversion];
            for text in texts.into_iter().chain([profile.title, profile.conversion]) {
                assert!(
                    text.len() > 3 && !text.ends_with('.'),
                    "{}: {text}",
                    profile.name
                );
            }
            assert!(profile.max_influences.is_some(), "{}", profile.name);
        }
    }

    #[test]
    fn the_up_axis_is_neither_forward_nor_front() {
        for Profile { name, axes, .. } in PROFILES {
            let up = axes.up.unit();
            for ahead in [axes.forward, axes.front] {
                assert!(up.dot(ahead.unit()).abs() < 0.5, "{name}: {ahead}");
            }
        }
    }

    #[test]
    fn a_profile_is_found_by_its_name_and_no_rule_has_the_same() {
        for profile in PROFILES {
            assert_eq!(find_profile(profile.name), Some(profile));
            assert_eq!(find_profile(&profile.name.to_uppercase()), Some(profile));
            assert!(find_rule(profile.name).is_none(), "{}", profile.name);
        }
        assert_eq!(find_profile("quake"), None);
    }
}
