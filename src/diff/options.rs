//! Options of a comparison.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::{Kind, Stage, Tolerance};
use crate::deadline::Deadline;
use crate::finding::{Finding, Level};
use crate::rig::WeightPolicy;
use crate::view::{ViewDirection, Viewport};

/// Options of a comparison.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The user's settings.
    pub settings: Settings,
    /// The camera of [`Surface::pixels`](super::Surface::pixels).
    pub direction: ViewDirection,
    /// The size of its images.
    pub viewport: Viewport,
    /// How the models use their weights: before and after.
    pub weights: [WeightPolicy; 2],
    /// When the comparison must be done.
    pub deadline: Deadline,
}

impl Default for Options {
    /// No settings and no deadline, at 1920 by 1080 pixels.
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            direction: ViewDirection::default(),
            viewport: Viewport {
                width: 1920,
                height: 1080,
            },
            weights: [WeightPolicy::default(); 2],
            deadline: Deadline::NEVER,
        }
    }
}

/// The settings in `[diff]` of `skincheck.toml` and on the command line.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Overrides the default tolerance.
    pub tolerance: Option<Tolerance>,
    /// Differences that are accepted and undone.
    pub align: Vec<Accepted>,
    /// Kinds of findings that are remarks.
    pub ignore: BTreeSet<Kind>,
    /// Kinds of findings that count as differences, even if they are remarks by default.
    pub count: BTreeSet<Kind>,
    /// The only differences that count, unless all do.
    pub only: Option<Only>,
    /// Scales the model after first.
    pub scale: Option<f64>,
    /// Names of joints before and after.
    pub joints: BTreeMap<String, String>,
    /// Names of clips before and after.
    pub clips: BTreeMap<String, String>,
    /// Tolerances for single clips, by their name before.
    pub clip_tolerances: BTreeMap<String, Tolerance>,
    /// Tolerances for single joints and the vertices that they move most, by their name before.
    pub joint_tolerances: BTreeMap<String, Tolerance>,
}

/// A difference that the user accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Accepted {
    /// A scale, rotation, mirroring or translation of the whole model.
    Similarity,
    /// Clips that run earlier, later, faster or slower.
    Time,
}

/// The differences that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Only {
    /// Differences of the deformed surface, not of names, the hierarchy, or joints without weights.
    Surface,
}

impl Settings {
    /// These settings, overridden by those of `others`.
    #[must_use]
    pub fn with(mut self, others: &Self) -> Self {
        self.tolerance = others.tolerance.or(self.tolerance);
        self.scale = others.scale.or(self.scale);
        self.align.extend(&others.align);
        self.ignore.extend(&others.ignore);
        self.count.extend(&others.count);
        self.only = others.only.or(self.only);
        let pairs = |list: &BTreeMap<String, String>| list.clone();
        self.joints.extend(pairs(&others.joints));
        self.clips.extend(pairs(&others.clips));
        self.clip_tolerances.extend(others.clip_tolerances.clone());
        self.joint_tolerances
            .extend(others.joint_tolerances.clone());
        self
    }

    /// Turns findings that do not count into remarks, and those that do into differences.
    pub(super) fn ignore_in(&self, findings: &mut [Finding]) {
        let is_named = |kind: Kind| kind.stage() == Stage::Hierarchy || kind == Kind::ClipRenamed;
        for finding in findings {
            let Some(kind) = Kind::of(finding) else {
                continue;
            };
            let is_beside = self.only == Some(Only::Surface) && is_named(kind);
            if self.ignore.contains(&kind) || is_beside {
                finding.level = Level::Info;
            } else if self.count.contains(&kind) {
                finding.level = Level::Error;
            }
        }
    }

    pub(super) fn accepts(&self, what: Accepted) -> bool {
        self.align.contains(&what)
    }
}
