//! From the configuration to models.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::GoldenError;
use super::names::FOLDER;
use crate::check::config::{self, Config, ModelPattern, Test};
use crate::check::{Shard, models_of};
use crate::diff::Settings;
use crate::import;
use crate::paths::{real_folder, seen_from, slashed};

/// A user's request.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The configuration; the nearest one in the current folder or above unless set.
    pub config: Option<PathBuf>,
    /// Only these models; all unless there are any.
    pub models: Vec<ModelPattern>,
    /// A part of the models; all unless set.
    pub shard: Option<Shard>,
}

/// How a model is read, and how long it may take.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// How it is read; which clips and whether with images is for the tests to say.
    pub import: import::Options,
    /// For the comparison of its numbers; none unless set.
    pub timeout: Option<Duration>,
}

/// All that is tested.
#[derive(Debug)]
#[non_exhaustive]
pub struct Plan {
    /// The configuration.
    pub config: PathBuf,
    /// In order of their paths.
    pub cases: Vec<Case>,
    /// Below it lies all that is approved.
    pub root: PathBuf,
    /// Folders of what is approved, whether its models are among the cases or not.
    pub(super) known: Vec<PathBuf>,
}

/// One model, with all that tests ask of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Case {
    /// As seen from the current folder.
    pub path: PathBuf,
    /// From the folder of the configuration on, with slashes.
    pub name: String,
    /// The folder of what is approved of it.
    pub approved: PathBuf,
    /// The tests that name it, in the order of the configuration.
    pub(super) tests: Vec<Test>,
    /// The settings of `[diff]` for it.
    pub(super) settings: Settings,
}

/// Reads the configuration, and finds the models that it names.
///
/// # Errors
///
/// [`GoldenError`]: there is no configuration, it is wrong, or a test or a filter is of no model.
pub fn plan(request: &Request) -> Result<Plan, GoldenError> {
    let config = load(request.config.as_deref())?;
    let here = real_folder(Path::new("."));
    let root = config
        .approved()
        .unwrap_or_else(|| config.folder().to_owned());
    let root = seen_from(&here, &root);
    let mut models: Vec<(PathBuf, PathBuf)> = models_of(&config)?
        .into_iter()
        .map(|path| (config.inside(&path), path))
        .collect();
    // A file that is named itself counts, whatever .gitignore says.
    for (_, test) in config.tests() {
        let named = test
            .model
            .iter()
            .map(|pattern| PathBuf::from(pattern.to_string()));
        for name in named {
            let path = config.folder().join(&name);
            if path.is_file() && !models.iter().any(|(other, _)| *other == name) {
                models.push((name, seen_from(&here, &path)));
            }
        }
    }
    models.sort();
    for (position, test) in config.tests() {
        let is_idle =
            |pattern: &&ModelPattern| !models.iter().any(|(name, _)| pattern.matches(name));
        if let Some(pattern) = test.model.iter().find(is_idle) {
            return Err(GoldenError::NoModel {
                path: config.path().to_owned(),
                position,
                pattern: pattern.to_string(),
            });
        }
    }
    let cases = models
        .into_iter()
        .filter_map(|(name, path)| case(&config, &root, &name, path));
    let mut cases: Vec<Case> = cases.collect();
    if cases.is_empty() {
        return Err(GoldenError::NoTests {
            path: config.path().to_owned(),
        });
    }
    let known = cases.iter().map(|case| case.approved.clone()).collect();
    filter(&mut cases, &request.models)?;
    if let Some(shard) = request.shard {
        // Every machine splits alike.
        let bytes = |case: &Case| case.path.metadata().map_or(0, |metadata| metadata.len());
        cases = shard.part_by_bytes(cases, bytes);
    }
    Ok(Plan {
        config: config.path().to_owned(),
        cases,
        root,
        known,
    })
}

fn load(named: Option<&Path>) -> Result<Config, GoldenError> {
    if let Some(path) = named {
        return Ok(Config::load(path)?);
    }
    let found = config::find(Path::new(config::FILE_NAME)).ok_or(GoldenError::NoConfig)?;
    let here = real_folder(Path::new("."));
    Ok(Config::load_found(&seen_from(&here, &found))?)
}

/// `None` for a model that no test names.
fn case(config: &Config, root: &Path, name: &Path, path: PathBuf) -> Option<Case> {
    let tests = config.tests().map(|(_, test)| test);
    let is_for = |test: &&Test| test.model.iter().any(|pattern| pattern.matches(name));
    let tests: Vec<Test> = tests.filter(is_for).cloned().collect();
    let layers = config.layers(&path);
    let mut settings = layers.fold(Settings::default(), |all, layer| all.with(&layer.diff));
    let own = tests.iter().rev().find_map(|test| test.tolerance);
    settings.tolerance = own.or(settings.tolerance);
    let mut folder = name.as_os_str().to_owned();
    folder.push(FOLDER);
    (!tests.is_empty()).then(|| Case {
        name: slashed(name),
        approved: root.join(folder),
        path,
        tests,
        settings,
    })
}

fn filter(cases: &mut Vec<Case>, filters: &[ModelPattern]) -> Result<(), GoldenError> {
    let matches = |filter: &ModelPattern, case: &Case| {
        filter.matches(Path::new(&case.name)) || filter.matches(&case.path)
    };
    let mut idle = filters
        .iter()
        .filter(|filter| !cases.iter().any(|case| matches(filter, case)));
    if let Some(filter) = idle.next() {
        return Err(GoldenError::UnknownModel {
            filter: filter.to_string(),
            known: cases.iter().map(|case| case.name.clone()).collect(),
        });
    }
    if !filters.is_empty() {
        cases.retain(|case| filters.iter().any(|filter| matches(filter, case)));
    }
    Ok(())
}
