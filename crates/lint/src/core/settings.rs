//! The settings of a run: levels, limits, and the user's expectations.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::Arc;

use serde::Deserialize;

use crate::core::contract::Contract;
use crate::core::meta::{Limit, RuleMeta};
use crate::engines::TargetEngine;
use crate::finding::{Code, Level};
use crate::units::LengthUnit;

/// The rule and the key of the maximum number of influences per vertex.
pub const MAX_INFLUENCES: (Code, &str) = (Code("W106"), "max_influences");

/// The configuration for one file as plain data; the `config` module reads it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// Levels that override those of the rules; `None` switches a rule off.
    pub levels: BTreeMap<Code, Option<Level>>,
    /// Limits that override those of the rules, by rule and key.
    pub limits: BTreeMap<(Code, &'static str), f64>,
    /// Rules that are checked only on request ([`RuleMeta::is_on_request`]) and were requested.
    pub asked: BTreeSet<Code>,
    /// The engine that the model is for.
    pub engine: Option<TargetEngine>,
    /// Clips that are loops: names, in which `*` matches any characters.
    pub loops: Vec<String>,
    /// Loops whose root stays in place: names, in which `*` matches any characters.
    pub in_place: Vec<String>,
    /// Joints that must exist: names, in which `*` matches any characters.
    pub required_joints: Vec<String>,
    /// Joints that touch the ground: names, in which `*` matches any characters.
    pub feet: Vec<String>,
    /// The joint that moves the whole model: its name, in which `*` matches any characters. By default, the root of the
    /// skin's joints.
    pub root: Option<String>,
    /// The skeleton that the model must have.
    pub skeleton: Option<Arc<Contract>>,
    /// The expected height of the model.
    pub height: Option<ExpectedHeight>,
    /// For which models the range of motion is checked.
    pub range_of_motion: RangeOfMotion,
    /// The sampling density of clips.
    pub sample_times: SampleTimes,
}

/// The expected height of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedHeight {
    /// The minimum height, in `unit`.
    pub least: f64,
    /// The maximum height, in `unit`.
    pub most: f64,
    /// The unit of both.
    pub unit: LengthUnit,
}

/// The models for which each joint that may rotate alone is rotated about each of its axes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RangeOfMotion {
    /// Models without clips.
    #[default]
    #[serde(rename = "auto")]
    WithoutClips,
    /// All models.
    Always,
    /// No model.
    Never,
}

/// The sampling density of clips.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SampleTimes {
    /// No more than [`MOST_SAMPLES_OF_MODEL`](crate::MOST_SAMPLES_OF_MODEL) samples over all clips of a model,
    /// and fewer for a large model. The report names the clips that were sampled sparsely.
    #[default]
    #[serde(rename = "auto")]
    Limited,
    /// Every key and every midpoint, however long that takes.
    All,
}

impl Settings {
    /// The maximum number of influences per vertex: configured for `W106`, else the engine's, else four. `None` if the
    /// engine has no limit.
    #[must_use]
    pub fn most_influences(&self) -> Option<NonZeroU32> {
        /// One set of `JOINTS_0` and `WEIGHTS_0`.
        const FOUR: NonZeroU32 = NonZeroU32::new(4).expect("it is not 0");
        let configured = self.limits.get(&MAX_INFLUENCES);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range of the limit holds small whole numbers"
        )]
        let configured = configured.and_then(|most| NonZeroU32::new(*most as u32));
        if configured.is_some() {
            return configured;
        }
        match &self.engine {
            Some(target) => target.engine().influences.map(|stated| stated.value),
            None => Some(FOUR),
        }
    }

    /// The level of a rule's findings; `None` if it is not checked.
    #[must_use]
    pub fn level(&self, meta: &RuleMeta) -> Option<Level> {
        self.level_or(meta, meta.level)
    }

    /// The level in glTF files: the highest that the rule has in any format.
    #[must_use]
    pub fn level_in_gltf(&self, meta: &RuleMeta) -> Option<Level> {
        self.level_or(meta, meta.level_in_gltf.unwrap_or(meta.level))
    }

    /// The level that the configuration sets for a rule, if any.
    #[must_use]
    pub fn configured_level(&self, code: Code) -> Option<Level> {
        self.levels.get(&code).copied().flatten()
    }

    fn level_or(&self, meta: &RuleMeta, default: Level) -> Option<Level> {
        match self.levels.get(&meta.code) {
            Some(level) => *level,
            None if meta.is_on_request() && !self.asked.contains(&meta.code) => None,
            None => Some(default),
        }
    }

    /// The value of a rule's limit.
    #[must_use]
    pub fn limit(&self, meta: &RuleMeta, limit: &Limit) -> f64 {
        let configured = self.limits.get(&(meta.code, limit.key));
        configured.copied().unwrap_or(limit.default)
    }
}
