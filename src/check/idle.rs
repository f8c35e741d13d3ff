//! Settings without effect.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::config::{Config, Layer, Resolved, Unmatched};
use super::plan::Plan;
use super::task::Task;
use crate::finding::Code;
use crate::shown;

/// A part of a configuration that has no effect, which is probably a mistake.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Idle {
    /// A pattern that matches neither a file of the run nor a model below the folder of the configuration.
    #[error(transparent)]
    Pattern(Unmatched),
    /// All selected rules are ignored or off.
    #[error(
        "no rules left to check: all selected rules (--select, or select in skincheck.toml) are ignored or off; files \
        are only read"
    )]
    NoRules,
    /// Configured rules that are selected for no file.
    #[error(
        "{}: configured, but not selected: {}; add them to `select`",
        shown::path(path),
        rules.iter().map(|code| code.0).collect::<Vec<_>>().join(", ")
    )]
    Unselected {
        /// The configuration.
        path: PathBuf,
        /// In the order of the text.
        rules: Vec<Code>,
    },
}

/// The settings without effect in the configurations of `plan`, in the order of the configurations.
pub(super) fn idle(plan: &Plan) -> Vec<Idle> {
    let mut seen: Vec<&Arc<Config>> = Vec::new();
    let mut idle = Vec::new();
    if !plan.is_empty() && !plan.tasks.iter().any(Task::checks_anything) {
        idle.push(Idle::NoRules);
    }
    for config in plan.tasks.iter().filter_map(|task| task.config.as_ref()) {
        if seen.iter().any(|known| Arc::ptr_eq(known, config)) {
            continue;
        }
        seen.push(config);
        idle.extend(unmatched(config, plan).into_iter().map(Idle::Pattern));
        let rules = unselected(config, &plan.layer);
        if !rules.is_empty() {
            let path = config.path().to_owned();
            idle.push(Idle::Unselected { path, rules });
        }
    }
    idle
}

fn unmatched(config: &Config, plan: &Plan) -> Vec<Unmatched> {
    let paths = || plan.tasks.iter().map(|task| task.path.as_path());
    if config.unmatched(paths()).is_empty() {
        return Vec::new();
    }
    let below = plan.search.models_below(config.folder());
    let below = below.found.iter().map(|found| found.path.as_path());
    config.unmatched(paths().chain(below))
}

/// A selection on the command line is deliberate.
fn unselected(config: &Config, run: &Layer) -> Vec<Code> {
    if run.select.is_some() {
        return Vec::new();
    }
    let stacks = config.stacks();
    let of_each = stacks.map(|layers| Resolved::of(layers.into_iter().chain([run])).unselected);
    let of_all: BTreeSet<Code> = of_each.reduce(|all, of| &all & &of).unwrap_or_default();
    of_all.into_iter().collect()
}
