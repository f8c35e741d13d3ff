//! What a configuration says without any effect: patterns that match no file, and expectations whose rules are not selected.

use std::collections::BTreeSet;
use std::sync::Arc;

use skincheck::config::{self, Config, Layer, Resolved};
use skincheck::lint::Code;
use skincheck::shown;

use super::Args;
use super::expand::models_below;
use super::expected::Task;
use crate::cli::report::Console;

/// Warns of what has no effect in the configurations of `tasks`, each once.
pub(super) fn warn(tasks: &[Task], args: &Args, console: Console) {
    let line = args.layer();
    let mut warned: Vec<&Arc<Config>> = Vec::new();
    for config in tasks.iter().filter_map(|task| task.config.as_ref()) {
        if warned.iter().any(|known| Arc::ptr_eq(known, config)) {
            continue;
        }
        warned.push(config);
        for unmatched in unmatched(config, tasks) {
            console.warn(unmatched);
        }
        let unselected = unselected(config, &line);
        if !unselected.is_empty() {
            console.warn(format_args!(
                "{}: configured, but not selected: {}; add to select what is to be checked",
                shown::path(config.path()),
                unselected.join(", ")
            ));
        }
    }
}

/// The patterns that match neither a file of this run nor a model below the folder of the configuration.
fn unmatched(config: &Config, tasks: &[Task]) -> Vec<config::Unmatched> {
    let paths = || tasks.iter().map(|task| task.path.as_path());
    if config.unmatched(paths()).is_empty() {
        return Vec::new();
    }
    let below = models_below(config.folder(), usize::MAX);
    config.unmatched(paths().chain(below.iter().map(|found| found.path.as_path())))
}

/// The rules that are configured and selected for no file. What the command line selects is meant so.
fn unselected(config: &Config, line: &Layer) -> Vec<&'static str> {
    if line.select.is_some() {
        return Vec::new();
    }
    let stacks = config.stacks();
    let of_each = stacks.map(|layers| Resolved::of(layers.into_iter().chain([line])).unselected);
    let of_all: BTreeSet<Code> = of_each.reduce(|all, of| &all & &of).unwrap_or_default();
    of_all.iter().map(|code| code.0).collect()
}
