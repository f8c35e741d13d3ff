//! What one source says about the rules.

use std::path::Path;

use super::names::Name;
use super::pattern::Pattern;
use super::selector::Selector;
use crate::lint::{ClipMoments, ExpectedHeight, Level, Profile, RangeOfMotion, RuleMeta};

/// What one table of a configuration, or the command line, says. What it does not speak of is `None`, or empty.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    /// What the models are made for.
    pub profile: Option<&'static Profile>,
    /// The rules that are checked, instead of all.
    pub select: Option<Vec<Selector>>,
    /// Rules that are not.
    pub ignore: Vec<Selector>,
    /// Whether the rules that take far longer than all others are checked as well.
    pub cross: Option<bool>,
    /// The least level that is shown and counted.
    pub level: Option<Level>,
    /// Whether warnings make a check fail.
    pub deny_warnings: Option<bool>,
    /// Levels and limits of single rules.
    pub rules: Vec<RuleSetting>,
    /// Clips that are loops; `*` stands for anything.
    pub loops: Option<Vec<String>>,
    /// Loops that stay in place; `*` stands for anything.
    pub in_place: Option<Vec<String>>,
    /// Joints that have to be there; `*` stands for anything.
    pub required_joints: Option<Vec<String>>,
    /// Joints that touch the ground; `*` stands for anything.
    pub feet: Option<Vec<String>>,
    /// The joint that carries the whole model; `*` stands for anything.
    pub root: Option<String>,
    /// How high the models are expected to be.
    pub height: Option<ExpectedHeight>,
    /// When the range of motion is gone through.
    pub range_of_motion: Option<RangeOfMotion>,
    /// At how many moments clips are watched.
    pub moments: Option<ClipMoments>,
}

/// A table of a configuration: what it says, and the names in it that should be those of something.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    pub(super) layer: Layer,
    pub(super) names: Vec<Name>,
}

/// What holds for some files only.
#[derive(Debug, Clone)]
pub(super) struct Override {
    pub(super) files: Vec<FilePattern>,
    pub(super) table: Table,
}

/// Which files an override is for.
#[derive(Debug, Clone)]
pub(super) struct FilePattern {
    pub(super) pattern: Pattern,
    /// As it is written.
    pub(super) text: String,
    /// At which byte it begins.
    pub(super) at: usize,
}

impl Override {
    /// * `file` – relative to the folder of the configuration, if it is below.
    pub(super) fn is_for(&self, file: &Path) -> bool {
        self.files.iter().any(|files| files.pattern.matches(file))
    }
}

/// What is set for one rule.
#[derive(Debug, Clone)]
pub struct RuleSetting {
    /// Which one.
    pub rule: &'static RuleMeta,
    /// Its level; `Some(None)` switches it off.
    pub level: Option<Option<Level>>,
    /// Its numbers, by key.
    pub limits: Vec<(&'static str, f64)>,
}

impl RuleSetting {
    /// Nothing yet.
    #[must_use]
    pub fn new(rule: &'static RuleMeta) -> Self {
        Self {
            rule,
            level: None,
            limits: Vec::new(),
        }
    }
}
