//! What is expected of each file: its configuration, and above it the command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skincheck::config::{self, Config, ConfigError, Layer, Resolved};
use skincheck::lint::{self, Level, PROFILES, RuleMeta};
use skincheck::paths::{real_folder, seen_from};
use skincheck::shown;

use super::Args;
use super::expand::Found;

/// One file to check.
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

/// All that is to be done.
pub(super) struct Plan {
    pub(super) tasks: Vec<Task>,
    /// The configurations that hold for any of the files.
    pub(super) configs: Vec<PathBuf>,
}

/// Levels that hide what a check fails for.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}: the level error (--level, or level in skincheck.toml) hides warnings, and deny-warnings makes the check fail \
     for them; leave out one of the two",
    shown::path(path)
)]
struct Hidden {
    path: PathBuf,
}

/// What to check. Every configuration is read before anything is checked.
pub(super) fn plan(files: Vec<Found>, args: &Args) -> anyhow::Result<Plan> {
    let line = args.layer();
    let mut configs = Configs::new(args)?;
    let task = |Found { path, failure }| {
        let config = configs.of(&path)?;
        let layers = config.iter().flat_map(|config| config.layers(&path));
        let expected = Resolved::of(layers.chain([&line]));
        if expected.deny_warnings && expected.level == Some(Level::Error) {
            return Err(Hidden { path }.into());
        }
        Ok(Task {
            level: expected.level.unwrap_or(Level::Warning),
            config: config.clone(),
            expected,
            path,
            failure,
        })
    };
    let tasks: Vec<Task> = files.into_iter().map(task).collect::<anyhow::Result<_>>()?;
    anyhow::ensure!(
        tasks.is_empty() || tasks.iter().any(Task::checks_anything),
        "no rules left to check: what is selected (--select, or select in skincheck.toml) is all ignored or off"
    );
    anyhow::ensure!(
        tasks.is_empty() || !args.rules.cross || tasks.iter().any(Task::crosses),
        "no cross-checks left to make: what --cross asks for is all ignored or off"
    );
    let found = configs.paths().map(Path::to_owned);
    let configs = args.rules.config.iter().cloned().chain(found).collect();
    Ok(Plan { tasks, configs })
}

impl Task {
    fn checks_anything(&self) -> bool {
        self.most_important().is_some()
    }

    /// The most important level of the rules that are checked.
    pub(super) fn most_important(&self) -> Option<Level> {
        let settings = &self.expected.settings;
        lint::rules()
            .filter_map(|rule| settings.level(rule.meta()))
            .max()
    }

    /// Whether the rule is checked, and its findings are of a level that is shown.
    pub(super) fn shows(&self, meta: &RuleMeta) -> bool {
        let level = self.expected.settings.level(meta);
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

impl Args {
    /// What the command line says.
    pub(super) fn layer(&self) -> Layer {
        let rules = &self.rules;
        let profile = rules.profile.as_ref();
        let verbose = self.reports.verbose.then_some(Level::Info);
        Layer {
            profile: profile.and_then(|name| PROFILES.iter().find(|profile| profile.name == *name)),
            select: (!rules.select.is_empty()).then(|| rules.select.clone()),
            ignore: rules.ignore.clone(),
            cross: rules.cross.then_some(true),
            level: rules.level.map(Level::from).or(verbose),
            deny_warnings: rules.deny_warnings.then_some(true),
            range_of_motion: rules.range_of_motion.map(Into::into),
            moments: rules.moments.map(Into::into),
            ..Layer::default()
        }
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
    fn new(args: &Args) -> anyhow::Result<Self> {
        if args.rules.no_config {
            return Ok(Self::Fixed(None));
        }
        let Some(path) = &args.rules.config else {
            return Ok(Self::Found {
                of_folder: BTreeMap::new(),
                read: BTreeMap::new(),
            });
        };
        Ok(Self::Fixed(Some(Arc::new(Config::load(path)?))))
    }

    /// Those that were found.
    fn paths(&self) -> impl Iterator<Item = &Path> {
        let read = match self {
            Self::Fixed(_) => None,
            Self::Found { read, .. } => Some(read.keys()),
        };
        read.into_iter().flatten().map(PathBuf::as_path)
    }

    fn of(&mut self, file: &Path) -> anyhow::Result<Option<Arc<Config>>> {
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
