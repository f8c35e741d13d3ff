//! What configurations say without any effect: names that no model knows, and what rules need that are not checked.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skincheck::config::{self, Config, Model, ModelNames};
use skincheck::lint::Code;
use skincheck::paths::real;
use skincheck::shown;

use super::Args;
use super::expand::{models_below, target};
use super::expected::Task;
use crate::cli::report::Console;

/// Warns of each name that nothing is called by, and of rules that are configured and not selected. A run that does not look
/// at all that a configuration is for cannot tell.
///
/// * `names` – of each task's model, if it could be read.
pub(super) fn warn(tasks: &[Task], names: &[Option<ModelNames>], args: &Args, console: Console) {
    let checked = LazyCell::new(|| tasks.iter().map(|task| real(&task.path)).collect());
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
        let unselected = unselected(tasks.iter().filter(|task| own(task)), args);
        let unmatched = config.unmatched(&models, &[]);
        if unmatched.is_empty() && unselected.is_empty() {
            continue;
        }
        let Some(others) = others_if_all(&checked, config, args) else {
            continue;
        };
        let others: Vec<&Path> = others.iter().map(PathBuf::as_path).collect();
        let unmatched = config.unmatched(&models, &others);
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

/// The models below the folder of `config` that have a nearer one, if every other is checked. Where it is named, it is for
/// all of them, and may be for models elsewhere, which only a folder or a pattern can stand for.
///
/// * `checked` – where the models of all tasks really are.
fn others_if_all(
    checked: &LazyCell<BTreeSet<PathBuf>, impl FnOnce() -> BTreeSet<PathBuf>>,
    config: &Config,
    args: &Args,
) -> Option<Vec<PathBuf>> {
    let named = args.rules.config.is_some();
    if named && args.files.iter().all(|file| file.is_file()) {
        return None;
    }
    let below = models_below(config.folder(), usize::MAX);
    let below = below.into_iter().map(|model| model.path);
    let has_another = |path: &PathBuf| {
        let nearest = config::find(path);
        !named && nearest.is_some_and(|path| path.parent() != Some(config.folder()))
    };
    let (others, own): (Vec<PathBuf>, Vec<PathBuf>) = below.partition(has_another);
    let is_checked =
        |path: &PathBuf| checked.contains(&real(path)) || checked.contains(&target(path));
    own.iter().all(is_checked).then_some(others)
}
