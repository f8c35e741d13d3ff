//! The files to check, and the settings of each.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::accepted::{Acceptance, AcceptedError, Known};
use super::cache::{Cache, Keys, build};
use super::changes::Changes;
use super::config::{self, Config, ConfigError, Exclusions, Layer, Resolved};
use super::shards::{RunIdentity, Shard, digest, weight};
use super::task::Task;
use super::walk::{self, BadPattern, Found, Search, Walked};
use crate::finding::Level;
use crate::import;
use crate::paths::{from_here, real_folder, seen_from};
use crate::shown::{self, unicode};

/// A user's request.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Models, folders of models, and patterns such as `assets/**/*.glb`.
    pub files: Vec<PathBuf>,
    /// Changed files: only the models that they affect are checked. All are if unset.
    pub changes: Option<Changes>,
    /// The configurations to use.
    pub config: ConfigChoice,
    /// Settings that override every configuration. Their exclusions are relative to the current folder.
    pub layer: Layer,
    /// Whether files named on the command line can be excluded, too.
    pub force_exclude: bool,
    /// Whether folders and patterns also find files excluded by `.gitignore` and similar files.
    pub no_ignore: bool,
    /// The baseline to use.
    pub accepted: Acceptance,
    /// Import options.
    pub import: import::Options,
    /// The number of files checked at once; one more than processors if unset.
    pub jobs: Option<NonZeroUsize>,
    /// The folder of cached verdicts; none are cached if unset.
    pub cache: Option<PathBuf>,
    /// The shard of the files to check; all files if unset.
    pub shard: Option<Shard>,
}

/// Which configurations apply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ConfigChoice {
    /// For each file, the nearest one above it.
    #[default]
    Nearest,
    /// This one for all files.
    File(PathBuf),
    /// The one with this text for all files, as if it were in the current folder.
    Text(String),
    /// None.
    None,
}

impl ConfigChoice {
    /// The configuration that applies to `file`, if any does.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], with the line and column of the error.
    pub fn of(&self, file: &Path) -> Result<Option<Config>, ConfigError> {
        match self {
            Self::Nearest => config::find(file)
                .map(|path| Config::load_found(&path))
                .transpose(),
            Self::File(path) => Config::load(path).map(Some),
            Self::Text(text) => Config::of_text(text).map(Some),
            Self::None => Ok(None),
        }
    }
}

/// A run that is ready to start: all folders have been walked, and all configurations read.
#[derive(Debug)]
pub struct Plan {
    pub(super) tasks: Arc<Vec<Task>>,
    /// The configurations that apply to any of the files.
    configs: Vec<PathBuf>,
    /// Whether the configuration of a file is the nearest one above it.
    pub(super) has_nearest_configs: bool,
    links: Vec<PathBuf>,
    pub(super) layer: Layer,
    pub(super) search: Search,
    pub(super) changes: Option<Arc<Changes>>,
    pub(super) known: Known,
    pub(super) import: import::Options,
    pub(super) jobs: Option<NonZeroUsize>,
    pub(super) cache: Option<Arc<Cache>>,
    /// The shard, if only one is checked, and the run that it is part of.
    pub(super) part: Option<(Shard, RunIdentity)>,
}

/// Why a run cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A pattern of files is invalid.
    #[error(transparent)]
    Pattern(#[from] BadPattern),
    /// A configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The baseline cannot be used.
    #[error(transparent)]
    Accepted(#[from] AcceptedError),
    /// A minimum level hides findings that make the check fail.
    #[error(
        "{}: the level error (--level, or level in skincheck.toml) hides warnings, but deny-warnings makes the check \
        fail on them; omit one of the two",
        shown::path(path)
    )]
    Hidden {
        /// The first such file.
        path: PathBuf,
    },
}

/// Finds the files, and the settings of each. Every configuration and the baseline are read before anything is checked.
///
/// # Errors
///
/// [`PlanError`]: a configuration, a pattern or the baseline cannot be used, or there is nothing to check.
pub fn plan(request: Request) -> Result<Plan, PlanError> {
    let known = request.accepted.read()?;
    let layer = request.layer;
    let mut configs = Configs::new(&request.config)?;
    let search = Search {
        respects_ignore_files: !request.no_ignore,
        excludes_named: request.force_exclude,
        wanted: walk::is_model,
        limit: request.import.limits.time,
    };
    let here = real_folder(Path::new("."));
    let exclusions = Exclusions::new(&layer.exclude);
    let Walked { found, links } = walk::models(&request.files, search, |path| {
        if let Some(excluded) = exclusions.excludes(&seen_from(&here, path)) {
            return Ok::<bool, PlanError>(excluded);
        }
        let config = configs.of(path)?;
        Ok(config.is_some_and(|config| config.excludes(path)))
    })?;
    let mut shared: Option<Arc<Resolved>> = None;
    let task = |(index, Found { path, failure })| {
        let config = configs.of(&path)?;
        let layers = config.iter().flat_map(|config| config.layers(&path));
        let expected = Resolved::of(layers.chain([&layer]));
        if expected.deny_warnings && expected.level == Some(Level::Error) {
            return Err(PlanError::Hidden { path });
        }
        Ok(Task {
            index,
            level: expected.level.unwrap_or(Level::Hint),
            config: config.clone(),
            // Most files have the same settings as the previous one.
            expected: match &shared {
                Some(last) if **last == expected => Arc::clone(last),
                _ => Arc::clone(shared.insert(Arc::new(expected))),
            },
            weight: weight(path.metadata().map_or(0, |metadata| metadata.len())),
            has_changed: true,
            path,
            failure,
        })
    };
    let mut tasks: Vec<Task> = found
        .into_iter()
        .enumerate()
        .map(task)
        .collect::<Result<_, PlanError>>()?;
    let has_nearest_configs = request.config == ConfigChoice::Nearest;
    if let Some(changes) = &request.changes {
        for task in &mut tasks {
            let config = task.config.as_deref();
            task.has_changed =
                task.failure.is_some() || changes.include(&task.path, config, has_nearest_configs);
        }
    }
    let cache = request.cache.map(|folder| Arc::new(Cache::at(folder)));
    let part = request.shard.map(|shard| {
        let run = identity(&tasks, &request.import, request.changes.as_ref());
        let weights: Vec<u64> = tasks.iter().map(|task| task.weight).collect();
        tasks = shard.part(std::mem::take(&mut tasks), &weights);
        (shard, run)
    });
    Ok(Plan {
        tasks: Arc::new(tasks),
        configs: configs.paths(),
        has_nearest_configs,
        links,
        layer,
        search,
        changes: request.changes.map(Arc::new),
        known,
        import: request.import,
        jobs: request.jobs,
        cache,
        part,
    })
}

/// * `tasks` – of the whole run.
fn identity(tasks: &[Task], import: &import::Options, changes: Option<&Changes>) -> RunIdentity {
    let settings = tasks.iter().map(Task::configuration);
    let read = Keys::of(import).digest();
    let others = [read].into_iter().chain(changes.map(Changes::digest));
    let sizes = tasks
        .iter()
        .map(|task| format!("{} {}", task.weight, unicode(&task.path)));
    RunIdentity {
        program: build(),
        configuration: digest(settings.chain(others)),
        models: tasks.len(),
        split: digest(sizes),
    }
}

impl Plan {
    /// The number of files to check.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// The total work, in the unit in which [`run`](super::run()) reports progress.
    #[must_use]
    pub fn weight(&self) -> u64 {
        let weights = self.tasks.iter().map(|task| task.weight);
        weights.fold(0, u64::saturating_add)
    }

    /// The paths of the files to check, in order.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.tasks.iter().map(|task| task.path.as_path())
    }

    /// Whether there are no files to check.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Links to folders elsewhere, which were not followed.
    #[must_use]
    pub fn links(&self) -> &[PathBuf] {
        &self.links
    }

    /// The known inputs of a run: models, configurations, the baseline and the animation.
    pub fn inputs(&self) -> impl Iterator<Item = PathBuf> {
        let models = self.tasks.iter().map(|task| task.path.clone());
        let others = [self.known.input(), self.import.animation.as_deref()]
            .into_iter()
            .flatten()
            .map(Path::to_owned);
        models.chain(self.configs.iter().cloned()).chain(others)
    }
}

/// Finds the configurations of files, and reads each once.
enum Configs {
    Fixed(Option<Arc<Config>>),
    /// By the folder of the files, and by the configuration's own path.
    Found {
        of_folder: BTreeMap<PathBuf, Option<Arc<Config>>>,
        read: BTreeMap<PathBuf, Arc<Config>>,
    },
}

impl Configs {
    fn new(choice: &ConfigChoice) -> Result<Self, ConfigError> {
        Ok(match choice {
            ConfigChoice::Nearest => Self::Found {
                of_folder: BTreeMap::new(),
                read: BTreeMap::new(),
            },
            other => Self::Fixed(other.of(Path::new(""))?.map(Arc::new)),
        })
    }

    /// The paths of the configurations, and of the skeletons that they name.
    fn paths(&self) -> Vec<PathBuf> {
        match self {
            Self::Fixed(config) => paths(config.iter()),
            Self::Found { read, .. } => paths(read.values()),
        }
    }

    fn of(&mut self, file: &Path) -> Result<Option<Arc<Config>>, ConfigError> {
        let (of_folder, read) = match self {
            Self::Fixed(config) => return Ok(config.clone()),
            Self::Found { of_folder, read } => (of_folder, read),
        };
        let folder = file.parent().unwrap_or(file);
        if let Some(config) = of_folder.get(folder) {
            return Ok(config.clone());
        }
        let config = config::find(file)
            .map(|path| load_once(read, path))
            .transpose()?;
        of_folder.insert(folder.to_owned(), config.clone());
        Ok(config)
    }
}

/// The paths of `configs`, of those that they extend, and of the skeletons that they name.
fn paths<'a>(configs: impl Iterator<Item = &'a Arc<Config>>) -> Vec<PathBuf> {
    let paths = configs.flat_map(|config| {
        let own = config.paths().map(Path::to_owned);
        own.chain(config.skeletons())
    });
    paths.collect()
}

fn load_once(
    read: &mut BTreeMap<PathBuf, Arc<Config>>,
    path: PathBuf,
) -> Result<Arc<Config>, ConfigError> {
    if let Some(config) = read.get(&path) {
        return Ok(config.clone());
    }
    let config = Arc::new(Config::load_found(&from_here(&path))?);
    read.insert(path, config.clone());
    Ok(config)
}
