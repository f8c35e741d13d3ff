//! What is to be checked, and what is expected of each file.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::accepted::{Acceptance, AcceptedError, Known};
use super::config::{self, Config, ConfigError, Layer, Resolved};
use super::walk::{self, BadPattern, Found};
use crate::backend::Driver;
use crate::import;
use crate::lint::{self, Level, RuleMeta};
use crate::paths::{real_folder, seen_from};
use crate::shown;

/// What a user asks for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Models, folders of models, and patterns such as `assets/**/*.glb`.
    pub files: Vec<PathBuf>,
    /// Which configurations hold.
    pub config: ConfigChoice,
    /// On top of every configuration.
    pub layer: Layer,
    /// What is accepted already.
    pub accepted: Acceptance,
    /// How files are read.
    pub import: import::Options,
    /// The OpenGL of the cross-checks.
    pub driver: Driver,
    /// How many files are checked at once; one a processor and one more unless set.
    pub jobs: Option<NonZeroUsize>,
    /// How long the rules may take on one file; without a limit unless set.
    pub timeout: Option<Duration>,
}

/// Which configurations hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ConfigChoice {
    /// For each file the one that is nearest above it.
    #[default]
    Nearest,
    /// This one for all files.
    File(PathBuf),
    /// None.
    None,
}

/// All that is to be done: every folder is walked, and every configuration is read.
#[derive(Debug)]
pub struct Plan {
    pub(super) tasks: Vec<Task>,
    /// The configurations that hold for any of the files.
    configs: Vec<PathBuf>,
    pub(super) layer: Layer,
    pub(super) known: Known,
    pub(super) import: import::Options,
    pub(super) driver: Driver,
    pub(super) jobs: Option<NonZeroUsize>,
    pub(super) timeout: Option<Duration>,
}

/// One file to check.
#[derive(Debug)]
pub(super) struct Task {
    /// As it is named in reports.
    pub(super) path: PathBuf,
    /// Why it cannot be checked, where that is known before.
    pub(super) failure: Option<String>,
    /// The configuration that is for it, if one is.
    pub(super) config: Option<Arc<Config>>,
    /// What the rules are told.
    pub(super) expected: Resolved,
    /// The least level that is shown and counted.
    pub(super) level: Level,
}

/// Why nothing is checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A pattern of files that is none.
    #[error(transparent)]
    Pattern(#[from] BadPattern),
    /// A configuration that cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A baseline that cannot be used.
    #[error(transparent)]
    Accepted(#[from] AcceptedError),
    /// A level that hides what the check fails for.
    #[error(
        "{}: the level error (--level, or level in skincheck.toml) hides warnings, and deny-warnings makes the check fail \
         for them; leave out one of the two",
        shown::path(path)
    )]
    Hidden {
        /// The first such file.
        path: PathBuf,
    },
    /// Rules that exclude each other.
    #[error(
        "no rules left to check: every selected rule (--select, or select in skincheck.toml) is ignored or off"
    )]
    NoRules,
    /// Cross-checks that are asked for and excluded.
    #[error("no cross-checks left to make: what --cross asks for is all ignored or off")]
    NoCrossChecks,
}

/// Finds the files, and what is expected of each. Every configuration and the baseline are read before anything is checked.
///
/// # Errors
///
/// [`PlanError`]: a configuration, a pattern or the baseline cannot be used, or nothing is left to check.
pub fn plan(request: Request) -> Result<Plan, PlanError> {
    let known = request.accepted.read()?;
    let layer = request.layer;
    let mut configs = Configs::new(&request.config)?;
    let task = |Found { path, failure }| {
        let config = configs.of(&path)?;
        let layers = config.iter().flat_map(|config| config.layers(&path));
        let expected = Resolved::of(layers.chain([&layer]));
        if expected.deny_warnings && expected.level == Some(Level::Error) {
            return Err(PlanError::Hidden { path });
        }
        Ok(Task {
            level: expected.level.unwrap_or(Level::Warning),
            config: config.clone(),
            expected,
            path,
            failure,
        })
    };
    let found = walk::models(&request.files)?.into_iter();
    let tasks: Vec<Task> = found.map(task).collect::<Result<_, _>>()?;
    if !tasks.is_empty() && !tasks.iter().any(Task::checks_anything) {
        return Err(PlanError::NoRules);
    }
    if !tasks.is_empty() && layer.cross == Some(true) && !tasks.iter().any(Task::crosses) {
        return Err(PlanError::NoCrossChecks);
    }
    Ok(Plan {
        tasks,
        configs: configs.paths(),
        layer,
        known,
        import: request.import,
        driver: request.driver,
        jobs: request.jobs,
        timeout: request.timeout,
    })
}

impl Plan {
    /// How many files are going to be checked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there is no file to check.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// The files that a run reads, as far as they are known before: models, configurations, the baseline and the animation.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        let models = self.tasks.iter().map(|task| task.path.as_path());
        let configs = self.configs.iter().map(PathBuf::as_path);
        let others = [self.known.input(), self.import.animation.as_deref()];
        models.chain(configs).chain(others.into_iter().flatten())
    }
}

impl Task {
    fn checks_anything(&self) -> bool {
        self.most_important().is_some()
    }

    /// The most important level of the rules that are checked, in any format.
    pub(super) fn most_important(&self) -> Option<Level> {
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

/// Which configuration files have, each read once.
enum Configs {
    Fixed(Option<Arc<Config>>),
    /// By folder of the files, and by their own path.
    Found {
        of_folder: BTreeMap<PathBuf, Option<Arc<Config>>>,
        read: BTreeMap<PathBuf, Arc<Config>>,
    },
}

impl Configs {
    fn new(choice: &ConfigChoice) -> Result<Self, ConfigError> {
        Ok(match choice {
            ConfigChoice::None => Self::Fixed(None),
            ConfigChoice::File(path) => Self::Fixed(Some(Arc::new(Config::load(path)?))),
            ConfigChoice::Nearest => Self::Found {
                of_folder: BTreeMap::new(),
                read: BTreeMap::new(),
            },
        })
    }

    /// Where they were read from.
    fn paths(&self) -> Vec<PathBuf> {
        match self {
            Self::Fixed(config) => config.iter().map(|config| config.path().into()).collect(),
            Self::Found { read, .. } => read.keys().cloned().collect(),
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
        let config = config::find(file).map(|path| load_once(read, path));
        let config = config.transpose()?;
        of_folder.insert(folder.to_owned(), config.clone());
        Ok(config)
    }
}

fn load_once(
    read: &mut BTreeMap<PathBuf, Arc<Config>>,
    path: PathBuf,
) -> Result<Arc<Config>, ConfigError> {
    if let Some(config) = read.get(&path) {
        return Ok(config.clone());
    }
    let config = Arc::new(Config::load_found(&shown(&path))?);
    read.insert(path, config.clone());
    Ok(config)
}

/// As users would name it: the way from the current folder, unless the two have nothing in common.
fn shown(path: &Path) -> PathBuf {
    let here = real_folder(Path::new("."));
    let common = here.ancestors().find(|folder| path.starts_with(folder));
    if common.is_some_and(|folder| folder == here || folder.parent().is_some()) {
        seen_from(&here, path)
    } else {
        path.to_owned()
    }
}
