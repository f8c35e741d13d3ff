//! The presets as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::check::config::{PRESETS, Preset, PresetSetting};
use crate::report::json::pretty;
use crate::report::rules::level;

/// The name of the format; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/presets/1";

/// All presets as JSON.
#[must_use]
pub fn list_presets_json() -> String {
    pretty(&List {
        schema: SCHEMA,
        presets: PRESETS.iter().map(Listed::of).collect(),
    })
}

/// The presets of `check`.
#[derive(Serialize, JsonSchema)]
pub(in crate::report) struct List<'a> {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    presets: Vec<Listed<'a>>,
}

/// The settings of a discipline.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Preset")]
struct Listed<'a> {
    name: &'static str,
    title: &'a str,
    /// For which models it is, and what to add to it.
    about: &'a str,
    settings: Vec<ListedSetting<'a>>,
}

/// A setting of a preset.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PresetSetting")]
struct ListedSetting<'a> {
    /// The code of its rule; `None` if it concerns no single rule.
    rule: Option<&'static str>,
    /// The level of the rule without the preset.
    default: Option<&'static str>,
    /// As in `skincheck.toml`.
    setting: &'a str,
    /// The reason.
    why: &'a str,
}

impl<'a> Listed<'a> {
    fn of(preset: &'a Preset) -> Self {
        Self {
            name: preset.name,
            title: &preset.title,
            about: &preset.about,
            settings: preset.settings.iter().map(ListedSetting::of).collect(),
        }
    }
}

impl<'a> ListedSetting<'a> {
    fn of(setting: &'a PresetSetting) -> Self {
        Self {
            rule: setting.rule.map(|rule| rule.code.0),
            default: setting.rule.map(level),
            setting: &setting.setting,
            why: &setting.why,
        }
    }
}
