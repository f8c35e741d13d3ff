//! The settings that name clips and joints.

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::layer::Layer;
use crate::lint::Settings;
use crate::names::{matches, nearest};
use crate::rig::Asset;

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
