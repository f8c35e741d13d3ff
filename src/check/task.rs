//! One file to check, with its settings.

use std::path::PathBuf;
use std::sync::Arc;

use super::config::{Config, Resolved};
use crate::finding::Level;
use crate::lint::{self, RuleMeta};

/// One file to check.
#[derive(Debug)]
pub(super) struct Task {
    /// Its index in the whole run.
    pub(super) index: usize,
    /// Its name in reports.
    pub(super) path: PathBuf,
    /// Why it cannot be checked, if known in advance.
    pub(super) failure: Option<String>,
    /// The configuration that applies to it, if any.
    pub(super) config: Option<Arc<Config>>,
    /// Settings for the rules.
    pub(super) expected: Arc<Resolved>,
    /// The work it takes: see [`Plan::weight`](super::Plan::weight).
    pub(super) weight: u64,
    /// The least level that is shown and counted.
    pub(super) level: Level,
    /// Whether it is checked whatever it reads: always, unless only changes are to be checked.
    pub(super) has_changed: bool,
}

impl Task {
    /// All settings of the file, as text.
    pub(super) fn configuration(&self) -> String {
        format!("{:?} {:?}", self.expected, self.level)
    }

    /// The settings that its verdict depends on, as text: all but what is shown and what fails a run.
    pub(super) fn verdict_settings(&self) -> String {
        let expected = Resolved {
            level: None,
            deny_warnings: false,
            deny_unchecked: false,
            ..Resolved::clone(&self.expected)
        };
        format!("{expected:?}")
    }

    /// The most important level of the checked rules, if it is not shown.
    pub(super) fn hidden(&self) -> Option<Level> {
        self.most_important().filter(|level| *level < self.level)
    }

    /// The path of the configuration that applies to it, if any.
    pub(super) fn config_path(&self) -> Option<PathBuf> {
        let config = self.config.as_ref();
        config.map(|config| config.path().to_owned())
    }

    pub(super) fn checks_anything(&self) -> bool {
        self.most_important().is_some()
    }

    /// The most important level of the checked rules, in any format.
    fn most_important(&self) -> Option<Level> {
        let settings = &self.expected.settings;
        lint::rules()
            .filter_map(|rule| settings.level_in_gltf(rule.meta()))
            .max()
    }

    /// Whether the rule is checked in some format and its findings are shown.
    pub(super) fn shows(&self, meta: &RuleMeta) -> bool {
        let level = self.expected.settings.level_in_gltf(meta);
        level.is_some_and(|level| level >= self.level)
    }
}
