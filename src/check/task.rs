//! One file to check, and what is expected of it.

use std::path::PathBuf;
use std::sync::Arc;

use super::config::{Config, Resolved};
use crate::lint::{self, Level, RuleMeta};

/// One file to check.
#[derive(Debug)]
pub(super) struct Task {
    /// Its position in the whole run.
    pub(super) index: usize,
    /// As it is named in reports.
    pub(super) path: PathBuf,
    /// Why it cannot be checked, where that is known before.
    pub(super) failure: Option<String>,
    /// The configuration that is for it, if one is.
    pub(super) config: Option<Arc<Config>>,
    /// Settings for the rules.
    pub(super) expected: Arc<Resolved>,
    /// How much work it is: see [`Plan::weight`](super::Plan::weight).
    pub(super) weight: u64,
    /// The least level that is shown and counted.
    pub(super) level: Level,
}

impl Task {
    /// All that is expected of the file, as text.
    pub(super) fn configuration(&self) -> String {
        format!("{:?} {:?}", self.expected, self.level)
    }

    /// The most important level of the rules that are checked, if it is not shown.
    pub(super) fn hidden(&self) -> Option<Level> {
        self.most_important().filter(|level| *level < self.level)
    }

    pub(super) fn checks_anything(&self) -> bool {
        self.most_important().is_some()
    }

    /// The most important level of the rules that are checked, in any format.
    fn most_important(&self) -> Option<Level> {
        let settings = &self.expected.settings;
        lint::rules()
            .filter_map(|rule| settings.level_in_gltf(rule.meta()))
            .max()
    }

    /// Whether the rule is checked, and its findings are of a level that is shown, in any format.
    pub(super) fn shows(&self, meta: &RuleMeta) -> bool {
        let level = self.expected.settings.level_in_gltf(meta);
        level.is_some_and(|level| level >= self.level)
    }

    /// Whether it is cross-checked.
    pub(super) fn crosses(&self) -> bool {
        lint::opt_in_rules().any(|rule| self.shows(rule.meta()))
    }

    /// Whether it would be if that were asked for.
    pub(super) fn could_cross(&self) -> bool {
        let settings = &self.expected.settings;
        lint::opt_in_rules().any(|rule| settings.awaits_request(rule.meta()))
    }
}
