//! What configurations say without any effect: names that no model knows, and what rules need that are not checked.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use skincheck::config::{self, Config, Model, ModelNames};
use skincheck::lint::Code;
use skincheck::shown;

use super::Args;
use super::expand::{identity, models_below};
use super::expected::Task;
use crate::cli::report::Console;

/// Warns of each name that nothing is called by, and of rules that are configured and not selected. A run that does not look
/// at all that a configuration is for cannot tell.
///
/// * `names` – of each task's model, if it could be read.
pub(super) fn warn(tasks: &[Task], names: &[Option<ModelNames>], args: &Args, console: Console) {
    let mut told: Vec<&Arc<Config>> = Vec::new();
    for config in tasks.iter().filter_map(|task| task.config.as_ref()) {
        if told.iter().any(|known| Arc::ptr_eq(known, config)) {
            continue;
        }
        told.push(config);
        let own = |task: &Task| {
            let own = task.config.as_ref();
            own.is_some_and(|own| Arc::ptr_eq(own, config))
        };
        let models = tasks.iter().zip(names).filter(|(task, _)| own(task));
        let models: Vec<Model<'_>> = models
            .map(|(task, names)| (task.path.as_path(), names.as_ref()))
            .collect();
        let unmatched = config.unmatched(&models);
        let unselected = unselected(tasks.iter().filter(|task| own(task)), args);
        if unmatched.is_empty() && unselected.is_empty() || !looks_at_all(tasks, config, args) {
            continue;
        }
        for unmatched in unmatched {
            console.warn(unmatched);
        }
        if !unselected.is_empty() {
            console.warn(format_args!(
                "{}: configured, but not selected: {}; add to select what is to be checked",
                shown::path(config.path()),
                unselected.join(", ")
            ));
        }
    }
}

/// The rules that are configured for each of the tasks and selected for none. What the command line selects is meant so.
fn unselected<'a>(tasks: impl Iterator<Item = &'a Task>, args: &Args) -> Vec<&'static str> {
    if !args.rules.select.is_empty() {
        return Vec::new();
    }
    let of_each = tasks.map(|task| task.expected.unselected.clone());
    let of_all: BTreeSet<Code> = of_each.reduce(|all, of| &all & &of).unwrap_or_default();
    of_all.iter().map(|code| code.0).collect()
}

/// Whether every model is checked that is below the folder of `config` and has no nearer one. Where it is named, it may be
/// for models elsewhere, which only a folder or a pattern can stand for.
fn looks_at_all(tasks: &[Task], config: &Config, args: &Args) -> bool {
    let named = args.rules.config.is_some();
    if named && args.files.iter().all(|file| file.is_file()) {
        return false;
    }
    let checked: BTreeSet<PathBuf> = tasks.iter().map(|task| identity(&task.path)).collect();
    models_below(config.folder(), usize::MAX)
        .iter()
        .all(|model| {
            let nearest = || config::find(&model.path).ok().flatten();
            let another = || nearest().is_some_and(|path| path.parent() != Some(config.folder()));
            checked.contains(&identity(&model.path)) || !named && another()
        })
}
