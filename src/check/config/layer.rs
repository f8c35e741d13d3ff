//! Settings of the rules from one source or of a preset, and those that name clips and joints.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use serde::de::{DeserializeSeed, Error as _, IgnoredAny};
use serde::{Deserialize, Serialize};
use toml::{Spanned, Table, Value};

use super::rules::{RuleSetting, Selector, rule_settings};
use super::strings::{Exclusion, Pattern, Word, one_of};
use crate::engines::TargetEngine;
use crate::finding::Level;
use crate::lint::{
    Contract, ExpectedHeight, RangeOfMotion, RuleMeta, SampleTimes, Settings, find_rule,
};
use crate::names::{fits, nearest};
use crate::rig::Asset;
use crate::units::LengthUnit;

/// The settings of one table of a configuration, or of the command line. Settings that are not given are `None` or
/// empty.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Layer {
    /// The configuration that this one extends, relative to its folder; not allowed in an override.
    pub extend: Option<Spanned<PathBuf>>,
    /// The target engine or format.
    #[serde(deserialize_with = "engine")]
    pub engine: Option<TargetEngine>,
    /// The discipline, whose settings come before those of every layer.
    #[serde(deserialize_with = "preset")]
    pub preset: Option<String>,
    /// The skeleton that models must have: a known one, or the path of a file relative to the folder of the configuration.
    pub skeleton: Option<Spanned<String>>,
    /// The contract of that skeleton.
    #[serde(skip)]
    pub contract: Option<Arc<Contract>>,
    /// The rules to check, instead of all.
    pub select: Option<Vec<Selector>>,
    /// Rules excluded from checking.
    pub ignore: Vec<Selector>,
    /// The least level that is shown and counted.
    pub level: Option<Level>,
    /// Whether warnings fail a check.
    pub deny_warnings: Option<bool>,
    /// Whether rules that could not be checked fail a check.
    pub deny_unchecked: Option<bool>,
    /// The models whose joints are moved through their range of motion.
    pub range_of_motion: Option<RangeOfMotion>,
    /// The sampling density of clips.
    pub moments: Option<SampleTimes>,
    /// Levels and limits of single rules.
    #[serde(deserialize_with = "rule_settings")]
    pub rules: Vec<RuleSetting>,
    /// Expectations of clips.
    pub clips: ClipNames,
    /// Expectations of joints.
    pub joints: JointNames,
    /// The expected height of models.
    #[serde(deserialize_with = "size")]
    pub size: Option<ExpectedHeight>,
    /// The settings of `diff`.
    pub diff: crate::diff::Settings,
    /// The `[[test]]` tables, which approvals read; not allowed in an override.
    pub test: Option<IgnoredAny>,
    /// The folder of approvals, which they read; not allowed in an override.
    pub approved: Option<IgnoredAny>,
    /// Files that folders and patterns do not find; not allowed in an override.
    pub exclude: Vec<Exclusion>,
    /// The files that an override applies to, relative to the folder of the configuration.
    pub files: Vec<Spanned<Pattern>>,
    /// Layers that override this one for some files.
    pub overrides: Vec<Spanned<Layer>>,
}

/// Names of clips; `*` matches any characters, `?` one.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClipNames {
    /// Clips that are loops.
    pub loops: Option<Vec<Spanned<String>>>,
    /// Loops whose root stays in place.
    pub in_place: Option<Vec<Spanned<String>>>,
}

/// Names of joints; `*` matches any characters, `?` one.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JointNames {
    /// Joints that must exist.
    pub required: Option<Vec<Spanned<String>>>,
    /// Joints that touch the ground.
    pub feet: Option<Vec<Spanned<String>>>,
    /// The joint that moves the whole model.
    pub root: Option<Spanned<String>>,
}

fn engine<'de, D>(deserializer: D) -> Result<Option<TargetEngine>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    let parse = |text: &str| text.parse::<TargetEngine>();
    let expected = "a string";
    let word = Word { expected, parse };
    word.deserialize(deserializer).map(Some)
}

fn preset<'de, D>(deserializer: D) -> Result<Option<String>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    let known = preset_names().map(|name| (name, name));
    let name: &str = one_of(deserializer, "preset", known)?;
    Ok(Some(name.to_owned()))
}

fn size<'de, D>(deserializer: D) -> Result<Option<ExpectedHeight>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Size {
        #[serde(deserialize_with = "height")]
        height: [f64; 2],
        #[serde(default = "metre", deserialize_with = "unit")]
        unit: LengthUnit,
    }
    let Size { height, unit } = Size::deserialize(deserializer)?;
    let [least, most] = height;
    Ok(Some(ExpectedHeight { least, most, unit }))
}

fn height<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<[f64; 2], D::Error> {
    match Vec::<f64>::deserialize(deserializer)?[..] {
        [least, most] if 0.0 <= least && least < most && most.is_finite() => Ok([least, most]),
        _ => Err(serde::de::Error::custom(
            "expected the minimum and maximum height, such as [1.5, 2.2] (in metres, unless `unit` says otherwise)",
        )),
    }
}

fn metre() -> LengthUnit {
    LengthUnit::Metre
}

fn unit<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<LengthUnit, D::Error> {
    one_of(
        deserializer,
        "unit",
        LengthUnit::ALL.map(|unit| (unit.name(), unit)),
    )
}

/// Settings for a discipline, such as motion capture. Their place is between the defaults and the configuration.
#[derive(Debug)]
pub struct Preset {
    /// The name in the configuration, such as `mocap`.
    pub name: &'static str,
    /// Its title, for people.
    pub title: String,
    /// Its models, its intent and what to add to it.
    pub about: String,
    /// What it sets: first what concerns no single rule, then the rules in order of their codes.
    pub settings: Vec<PresetSetting>,
    pub(super) layer: Layer,
}

/// A setting of a [`Preset`].
#[derive(Debug)]
pub struct PresetSetting {
    /// The rule; `None` if it concerns no single one.
    pub rule: Option<&'static RuleMeta>,
    /// As in a configuration, such as `level = "error", degrees = 1.5`.
    pub setting: String,
    /// The reason; a clause without a full stop.
    pub why: String,
}

/// Every preset, in the order of the documentation.
pub static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    let presets = TEXTS.into_iter().map(|(name, text)| {
        read_preset(name, text).unwrap_or_else(|error| panic!("a test reads {name}.toml: {error}"))
    });
    presets.collect()
});

/// The preset named `name`.
#[must_use]
pub fn find_preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

fn read_preset(name: &'static str, text: &str) -> Result<Preset, toml::de::Error> {
    let mut file: Table = toml::from_str(text)?;
    let [title, about] = [word(&mut file, "title")?, word(&mut file, "about")?];
    let mut settings = Vec::new();
    for (key, value) in file.iter_mut().filter(|(key, _)| *key != "rules") {
        let table = table(value)?;
        let why = word(table, "why")?;
        let to = word(table, "to")?;
        settings.push(PresetSetting {
            rule: None,
            setting: format!("{key} = \"{to}\""),
            why,
        });
        *value = Value::String(to);
    }
    if let Some(rules) = file.get_mut("rules") {
        for (code, value) in table(rules)?.iter_mut() {
            let rule = find_rule(code).ok_or_else(|| toml::de::Error::custom(code))?;
            let table = table(value)?;
            let why = word(table, "why")?;
            settings.push(PresetSetting {
                rule: Some(rule.meta()),
                setting: written(table),
                why,
            });
        }
    }
    Ok(Preset {
        name,
        title,
        about,
        settings,
        layer: file.try_into()?,
    })
}

fn table(value: &mut Value) -> Result<&mut Table, toml::de::Error> {
    let table = value.as_table_mut();
    table.ok_or_else(|| toml::de::Error::custom("expected a table with `why`"))
}

/// Takes the string at `key` out of `table`.
fn word(table: &mut Table, key: &str) -> Result<String, toml::de::Error> {
    match table.remove(key) {
        Some(Value::String(word)) => Ok(word),
        _ => Err(toml::de::Error::custom(format!("missing string `{key}`"))),
    }
}

/// Levels and limits as in a configuration, the level first.
fn written(table: &Table) -> String {
    let mut keys: Vec<(&String, &Value)> = table.iter().collect();
    keys.sort_by_key(|(key, _)| (*key != "level", *key));
    let parts = keys.into_iter().map(|(key, value)| match value {
        Value::String(word) => format!("{key} = \"{word}\""),
        Value::Integer(number) => format!("{key} = {number}"),
        Value::Float(number) => format!("{key} = {number:?}"),
        _ => key.clone(),
    });
    parts.collect::<Vec<_>>().join(", ")
}

macro_rules! presets {
    ($($name:literal),+) => {
        [$(($name, include_str!(concat!("presets/", $name, ".toml")))),+]
    };
}

/// The text of each preset: a configuration whose settings are tables with the key `why`.
const TEXTS: [(&str, &str); 6] =
    presets!["mocap", "stylized", "mobile", "film", "avatar", "generated"];

/// The names of the presets.
pub fn preset_names() -> impl Iterator<Item = &'static str> + Clone {
    TEXTS.into_iter().map(|(name, _)| name)
}

/// A setting that names clips or joints. A required joint that is missing is a finding, so it is not one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum NameSetting {
    /// `loops` in `[clips]`.
    Loops,
    /// `in-place` in `[clips]`.
    InPlace,
    /// `feet` in `[joints]`.
    Feet,
    /// `root` in `[joints]`.
    Root,
}

/// A name of a setting that matches nothing in a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnmatchedName {
    /// The setting.
    pub setting: NameSetting,
    /// The name or pattern.
    pub name: String,
    /// The most similar name in the model, if one is similar enough.
    pub nearest: Option<String>,
}

impl NameSetting {
    /// In the order of the documentation.
    pub(super) const ALL: [Self; 4] = [Self::Loops, Self::InPlace, Self::Feet, Self::Root];

    /// `clip` or `joint`.
    pub(in crate::check) fn what(self) -> &'static str {
        match self {
            Self::Loops | Self::InPlace => "clip",
            Self::Feet | Self::Root => "joint",
        }
    }

    /// The names in a table of a configuration, with their locations; `None` if it does not set them.
    pub(super) fn said(self, layer: &Layer) -> Option<&[Spanned<String>]> {
        match self {
            Self::Loops => layer.clips.loops.as_deref(),
            Self::InPlace => layer.clips.in_place.as_deref(),
            Self::Feet => layer.joints.feet.as_deref(),
            Self::Root => layer.joints.root.as_ref().map(std::slice::from_ref),
        }
    }

    /// The names that apply to a model.
    fn held(self, settings: &Settings) -> &[String] {
        match self {
            Self::Loops => &settings.loops,
            Self::InPlace => &settings.in_place,
            Self::Feet => &settings.feet,
            Self::Root => settings.root.as_slice(),
        }
    }

    /// The names in a model.
    fn known(self, asset: &Asset) -> Vec<&str> {
        match self {
            Self::Loops | Self::InPlace => {
                let clips = asset.clips.iter();
                clips.map(|clip| clip.name.as_str()).collect()
            }
            Self::Feet | Self::Root => {
                let nodes = asset.skeleton.nodes().iter();
                nodes.map(|node| node.name.as_str()).collect()
            }
        }
    }
}

/// The names of `settings` that match nothing in `asset`.
pub(in crate::check) fn unmatched_names(settings: &Settings, asset: &Asset) -> Vec<UnmatchedName> {
    let mut unmatched = Vec::new();
    for setting in NameSetting::ALL {
        let patterns = setting.held(settings);
        if patterns.is_empty() {
            continue;
        }
        let known = setting.known(asset);
        for pattern in patterns {
            if known.iter().any(|name| fits(pattern, name)) {
                continue;
            }
            let nearest = nearest(pattern.trim_matches('*'), known.iter().copied());
            unmatched.push(UnmatchedName {
                setting,
                name: pattern.clone(),
                nearest: nearest.map(str::to_owned),
            });
        }
    }
    unmatched
}

#[cfg(test)]
mod tests;
