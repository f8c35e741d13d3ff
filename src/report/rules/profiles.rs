//! The profiles as JSON.

use schemars::JsonSchema;
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

/// The profiles of `check`.
#[derive(Serialize, JsonSchema)]
pub(in crate::report) struct List {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    profiles: Vec<Listed>,
}

/// The limits and conventions of an engine, a format or a platform.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Profile")]
struct Listed {
    name: &'static str,
    title: &'static str,
    /// Per vertex; `None` if no limit is published.
    max_influences: Option<u32>,
    /// Per skin; `None` if no limit is published.
    max_joints: Option<u32>,
    /// Of length.
    unit: &'static str,
    metres_per_unit: f64,
    axes: ListedAxes,
    /// By its importers.
    conversion: &'static str,
    sources: Sources,
}

/// The axes of an engine.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Axes")]
struct ListedAxes {
    up: String,
    /// The direction an unrotated object faces.
    forward: String,
    /// The direction characters face in models for it.
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
