//! Finds the settings of a run that have no effect.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::config::{self, Config, Layer, NameSetting, Resolved, Unmatched};
use super::plan::Plan;
use super::report::{FileReport, Idle};
use super::task::Task;
use super::walk::target;
use crate::finding::Code;
use crate::names::nearest;
use crate::paths::real;

/// The settings without effect in the configurations of `plan`, in the order of the configurations. Configurations that
/// others extend may be for models elsewhere, so nothing is said of them.
///
/// * `files` – the report on each task; `None` for a model that was not checked.
pub(super) fn idle(plan: &Plan, files: &[Option<FileReport>]) -> Vec<Idle> {
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
        idle.extend(names(config, plan, files));
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
    let below = below(config, plan);
    config.unmatched(paths().chain(below.iter().map(PathBuf::as_path)))
}

/// The models below the folder of `config`.
fn below(config: &Config, plan: &Plan) -> Vec<PathBuf> {
    let below = plan.search.models_below(config.folder());
    below.found.into_iter().map(|found| found.path).collect()
}

/// A name that matches nothing so far, by the byte at which it begins.
type Names<'a> = BTreeMap<usize, Name<'a>>;

struct Name<'a> {
    setting: NameSetting,
    pattern: &'a str,
    /// The number of models that it applies to.
    models: usize,
    /// The most similar name of each model that has one.
    similar: Vec<&'a str>,
}

/// The names that match nothing in any model that they apply to. If the run leaves out one of these models, it cannot tell.
fn names(config: &Arc<Config>, plan: &Plan, files: &[Option<FileReport>]) -> Vec<Idle> {
    let mut idle = Names::new();
    // Names that match something, or that apply to a model whose names are unknown.
    let mut used = BTreeSet::new();
    for (task, file) in plan.tasks.iter().zip(files) {
        let is_own = |own: &Arc<Config>| Arc::ptr_eq(own, config);
        if !task.config.as_ref().is_some_and(is_own) || task.failure.is_some() {
            continue;
        }
        let file = file.as_ref().filter(|file| file.failure.is_none());
        for (setting, name) in config.names(&task.path) {
            let (start, name) = (name.span().start, name.get_ref());
            let unmatched = file.and_then(|file| {
                let mut all = file.unmatched_names.iter();
                all.find(|own| own.setting == setting && own.name == *name)
            });
            let Some(unmatched) = unmatched else {
                used.insert(start);
                continue;
            };
            let entry = idle.entry(start).or_insert(Name {
                setting,
                pattern: name,
                models: 0,
                similar: Vec::new(),
            });
            entry.models += 1;
            entry.similar.extend(unmatched.nearest.as_deref());
        }
    }
    idle.retain(|start, _| !used.contains(start));
    if !idle.is_empty() {
        for model in left_out(config, plan) {
            for (_, name) in config.names(&model) {
                idle.remove(&name.span().start);
            }
        }
    }
    let report = |(start, name): (usize, Name<'_>)| Idle::Name {
        path: config.path().to_owned(),
        position: config.position(start),
        what: name.setting.what(),
        name: name.pattern.to_owned(),
        nearest: nearest(name.pattern.trim_matches('*'), name.similar).map(str::to_owned),
        models: name.models,
    };
    idle.into_iter().map(report).collect()
}

/// The models below the folder of `config` that it applies to and the run leaves out.
fn left_out(config: &Config, plan: &Plan) -> Vec<PathBuf> {
    let checked: BTreeSet<PathBuf> = plan.tasks.iter().map(|task| target(&task.path)).collect();
    let own = real(config.path());
    let applies = |model: &Path| {
        let is_nearest = || config::find(model).is_some_and(|nearest| nearest == own);
        !config.excludes(model) && (!plan.has_nearest_configs || is_nearest())
    };
    let mut below = below(config, plan);
    below.retain(|model| !checked.contains(&target(model)) && applies(model));
    below
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
