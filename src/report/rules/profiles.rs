//! The profiles as JSON.

use serde::Serialize;

use crate::lint::{PROFILES, Profile, Sources};
use crate::report::json::pretty;
use crate::units::Handedness;

/// The name of the format; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/profiles/1";

/// All profiles as JSON.
#[must_use]
pub fn list_profiles_json() -> String {
    pretty(&List {
        schema: SCHEMA,
        profiles: PROFILES.iter().map(Listed::of).collect(),
    })
}

#[derive(Serialize)]
struct List {
    schema: &'static str,
    profiles: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    title: &'static str,
    max_influences: Option<u32>,
    max_joints: Option<u32>,
    unit: &'static str,
    metres_per_unit: f64,
    axes: ListedAxes,
    conversion: &'static str,
    sources: Sources,
}

#[derive(Serialize)]
struct ListedAxes {
    up: String,
    forward: String,
    front: String,
    handedness: Handedness,
}

impl Listed {
    fn of(profile: &Profile) -> Self {
        let axes = profile.axes;
        Self {
            name: profile.name,
            title: profile.title,
            max_influences: profile.max_influences,
            max_joints: profile.max_joints,
            unit: profile.unit.name(),
            metres_per_unit: profile.unit.metres(),
            axes: ListedAxes {
                up: axes.up.to_string(),
                forward: axes.forward.to_string(),
                front: axes.front.to_string(),
                handedness: axes.handedness,
            },
            conversion: profile.conversion,
            sources: profile.sources,
        }
    }
}
