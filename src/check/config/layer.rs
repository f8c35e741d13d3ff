//! Settings of the rules from one source, and those that name clips and joints.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::pattern::{Exclusion, Pattern};
use super::rules::{RuleSetting, Selector, rule_settings};
use super::tested::Test;
use super::word::one_of;
use crate::finding::Level;
use crate::lens::Chosen;
use crate::lint::{
    Contract, ExpectedHeight, PROFILES, Profile, RangeOfMotion, SampleTimes, Settings,
};
use crate::names::{matches, nearest};
use crate::paths::seen_from;
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
    #[serde(deserialize_with = "profile")]
    pub profile: Option<&'static Profile>,
    /// The engine whose view of the model is checked; only on the command line.
    #[serde(skip)]
    pub lens: Option<Chosen>,
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
    /// Whether cross-checks run. They take far longer than all other rules.
    pub cross: Option<bool>,
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
    /// The model to compare each file with.
    pub compare: Compare,
    /// The settings of `diff`.
    pub diff: crate::diff::Settings,
    /// The `[[test]]` tables; not allowed in an override.
    #[serde(rename = "test")]
    pub tests: Vec<Spanned<Test>>,
    /// The folder of approvals, relative to the folder of the configuration; if unset, they are next to each model. Not
    /// allowed in an override.
    pub approved: Option<PathBuf>,
    /// Files that folders and patterns do not find; not allowed in an override.
    pub exclude: Vec<Exclusion>,
    /// The files that an override applies to, relative to the folder of the configuration.
    pub files: Vec<Spanned<Pattern>>,
    /// Layers that override this one for some files.
    pub overrides: Vec<Spanned<Layer>>,
}

impl Layer {
    /// Makes the paths of a configuration in `folder` relative to `other`.
    pub(super) fn rebase(&mut self, folder: &Path, other: &Path) {
        if let Some(original) = &mut self.compare.original
            && original.is_relative()
        {
            *original = seen_from(other, &folder.join(&original));
        }
        for inner in &mut self.overrides {
            inner.get_mut().rebase(folder, other);
        }
    }
}

/// The model that a file was made from.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Compare {
    /// Its path, relative to the folder of the configuration; `{stem}` stands for the file's name without its extension.
    pub original: Option<PathBuf>,
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

fn profile<'de, D>(deserializer: D) -> Result<Option<&'static Profile>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    let known = PROFILES.iter().map(|profile| (profile.name, profile));
    one_of(deserializer, "profile", known).map(Some)
}

macro_rules! presets {
    ($($name:literal),+) => {
        [$(($name, include_str!(concat!("presets/", $name, ".toml")))),+]
    };
}

/// The name and text of each preset that a layer can choose: a layer whose settings are tables with the key `why`.
pub(super) const PRESET_TEXTS: [(&str, &str); 6] =
    presets!["mocap", "stylized", "mobile", "film", "avatar", "generated"];

/// The names of the presets.
pub fn preset_names() -> impl Iterator<Item = &'static str> + Clone {
    PRESET_TEXTS.into_iter().map(|(name, _)| name)
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
            if known.iter().any(|name| matches(pattern, name)) {
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
