//! What a run of the rules is told: levels, limits, and what the user expects of the model.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::profile::Profile;
use super::rule::{Code, Level, Limit, RuleMeta};
use crate::units::LengthUnit;

/// Everything that is configured for one file. Plain data; see the `config` module for where it comes from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// Levels that are not the rules' own; `None` switches a rule off.
    pub levels: BTreeMap<Code, Option<Level>>,
    /// Limits that are not the rules' own, by rule and key.
    pub limits: BTreeMap<(Code, &'static str), f64>,
    /// Rules that are checked only on request ([`RuleMeta::is_on_request`]), and are asked for.
    pub asked: BTreeSet<Code>,
    /// What the model is made for.
    pub profile: Option<&'static Profile>,
    /// Clips that are loops: names, in which `*` stands for anything.
    pub loops: Vec<String>,
    /// Loops whose root stays in place: names, in which `*` stands for anything.
    pub in_place: Vec<String>,
    /// Joints that have to be there: names, in which `*` stands for anything.
    pub required_joints: Vec<String>,
    /// Joints that touch the ground: names, in which `*` stands for anything.
    pub feet: Vec<String>,
    /// The joint that carries the whole model: its name, in which `*` stands for anything; by default the root of the skin's joints.
    pub root: Option<String>,
    /// How high the model is expected to be.
    pub height: Option<ExpectedHeight>,
    /// When the range of motion is gone through.
    pub range_of_motion: RangeOfMotion,
    /// At how many moments clips are watched.
    pub moments: ClipMoments,
}

/// How high a model is expected to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedHeight {
    /// In `unit`.
    pub least: f64,
    /// In `unit`.
    pub most: f64,
    /// What the user counts in.
    pub unit: LengthUnit,
}

/// When each joint that may turn alone is turned about each of its axes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RangeOfMotion {
    /// Of models without clips.
    #[default]
    #[serde(rename = "auto")]
    WithoutClips,
    /// Of all models.
    Always,
    /// Of none.
    Never,
}

/// At how many moments clips are watched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClipMoments {
    /// At no more than [`MOST_MOMENTS_OF_MODEL`](super::MOST_MOMENTS_OF_MODEL) of all clips of a model, and of a large
    /// model at fewer; the report says of which clips some were left out.
    #[default]
    #[serde(rename = "auto")]
    Limited,
    /// At every key and in the middle between any two, however long that takes.
    All,
}

impl Settings {
    /// The level of a rule's findings; `None` if it is not to be checked.
    #[must_use]
    pub fn level(&self, meta: &RuleMeta) -> Option<Level> {
        match self.levels.get(&meta.code) {
            Some(level) => *level,
            None if self.awaits_request(meta) => None,
            None => Some(meta.level.level()),
        }
    }

    /// Whether nothing is said about a rule that would be checked if it were asked for.
    #[must_use]
    pub fn awaits_request(&self, meta: &RuleMeta) -> bool {
        let said = self.levels.contains_key(&meta.code) || self.asked.contains(&meta.code);
        meta.is_on_request() && !said
    }

    /// What a rule compares with.
    #[must_use]
    pub fn limit(&self, meta: &RuleMeta, limit: &Limit) -> f64 {
        let configured = self.limits.get(&(meta.code, limit.key));
        configured.copied().unwrap_or(limit.default)
    }
}

/// Whether `name` is what `pattern` says; in it, `*` stands for any characters, none among them.
#[must_use]
pub fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let (middles, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
    let inner = name.strip_prefix(head);
    let Some(mut inner) = inner.and_then(|inner| inner.strip_suffix(tail)) else {
        return false;
    };
    // What lies between two stars may be anywhere; the first place leaves the most to those that follow.
    middles.split('*').all(|middle| {
        let found = inner.split_once(middle);
        inner = found.map_or(inner, |(_, after)| after);
        found.is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name) in [
            ("Walk*", "Walk"),
            ("Walk*", "WalkFast"),
            ("*", ""),
            ("*_loop", "a_loop"),
            ("a*b*c", "a12b3c"),
            ("a*b*c", "abcbc"),
            ("*b*", "abc"),
            ("a**", "a"),
            ("*é*", "aéb"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("Walk*", "walk"),
            ("Walk", "WalkFast"),
            ("a*b", "abc"),
            ("ab*ba", "aba"),
            ("*b*b*", "abc"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn a_long_name_is_matched_at_once() {
        let name = "Walk".repeat(100_000);
        assert!(!matches("*a*l*k*Walk*Loop*", &name));
        assert!(matches(&"*a".repeat(1000), &"a".repeat(1000)));
    }
}
