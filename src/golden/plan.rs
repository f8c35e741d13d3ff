//! Finds the models tested by the configuration, and the names of their approval files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toml::Spanned;

use super::GoldenError;
use super::tables::{ModelPattern, Tables, Test};
use crate::check::config::{self, Config};
use crate::check::{Below, Changes, Shard, models_of};
use crate::diff::Settings;
use crate::import;
use crate::paths::{real_folder, seen_from, slashed};
use crate::rig::SourceFile;
use crate::shown::beginning;
use crate::units::Seconds;

/// A user's request.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The configuration; if unset, the nearest one with tests in the folder of the first of `models` or above, if that
    /// exists, or in the current folder or above.
    pub config: Option<PathBuf>,
    /// The only models to test: paths of models and folders, or patterns; empty for all.
    pub models: Vec<ModelPattern>,
    /// Changed files: only the models that they affect are tested. All are if unset.
    pub changes: Option<Changes>,
    /// The shard of the models to test; all if unset.
    pub shard: Option<Shard>,
    /// How long the search for models may take; any time if unset.
    pub timeout: Option<Duration>,
}

/// How a model is read, and what the work on it may take.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Import options. Tests decide on clips and images.
    pub import: import::Options,
    /// How many bytes a page has for each model in motion; a run without a page needs none.
    pub page: Option<usize>,
}

/// Everything to test.
#[derive(Debug)]
#[non_exhaustive]
pub struct Plan {
    /// The configuration.
    pub config: PathBuf,
    /// Sorted by path.
    pub cases: Vec<Case>,
    /// The folder that contains all approvals.
    pub root: PathBuf,
    /// Links to folders elsewhere, where no models were looked for.
    pub links: Vec<PathBuf>,
    /// The folders of approvals of all tested models, in this shard or not; `None` if the request names its models.
    pub(super) known: Option<BTreeSet<PathBuf>>,
}

/// A model, with all requests of the tests.
#[derive(Debug)]
#[non_exhaustive]
pub struct Case {
    /// Relative to the current folder.
    pub path: PathBuf,
    /// Relative to the folder of the configuration, with slashes.
    pub name: String,
    /// The folder of its approvals.
    pub approved: PathBuf,
    /// The folder that skincheck makes it in, with those between.
    base: PathBuf,
    /// The tests that name it, in the order of the configuration.
    pub(super) tests: Vec<Test>,
    /// The settings of `[diff]` for it.
    pub(super) settings: Settings,
    /// Of a model that has not changed itself: the changes that its other files must be among to be tested.
    pub(super) only_for: Option<Arc<Changes>>,
}

impl Case {
    /// Whether the model is to be tested.
    ///
    /// * `read` – the files that it reads or looks for.
    pub(super) fn is_wanted(&self, read: &[SourceFile]) -> bool {
        let read = read.iter().map(|file| file.path.clone());
        let changes = self.only_for.as_ref();
        changes.is_none_or(|changes| changes.include_folder(&self.approved) || changes.affect(read))
    }

    /// The folder of its approvals and those above it that skincheck makes.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        let all = self.approved.ancestors();
        all.take_while(|folder| *folder != self.base)
    }
}

/// Reads the configuration, and finds the models of its tests.
///
/// # Errors
///
/// [`GoldenError`]: the configuration does not exist or is invalid, or a test or a filter matches no model.
pub fn plan(request: &Request) -> Result<Plan, GoldenError> {
    let (config, tables) = load(request)?;
    let here = real_folder(Path::new("."));
    let root = tables.approved.as_deref().unwrap_or(Path::new(""));
    let root = seen_from(&here, &config.folder().join(root));
    let Below { files, links, .. } = models_of(&config, request.timeout)?;
    let mut models: Vec<(PathBuf, PathBuf)> = files
        .into_iter()
        .map(|path| (config.inside(&path), path))
        .collect();
    // A file that is named explicitly counts, whatever .gitignore says.
    for test in &tables.tests {
        let patterns = test.get_ref().model.iter();
        let named = patterns.map(|pattern| PathBuf::from(pattern.to_string()));
        for name in named {
            let path = config.folder().join(&name);
            if path.is_file() && !models.iter().any(|(other, _)| *other == name) {
                models.push((name, seen_from(&here, &path)));
            }
        }
    }
    models.sort();
    for test in &tables.tests {
        let is_idle =
            |pattern: &&ModelPattern| !models.iter().any(|(name, _)| pattern.matches(name));
        if let Some(pattern) = test.get_ref().model.iter().find(is_idle) {
            return Err(GoldenError::NoModel {
                path: config.path().to_owned(),
                position: config.position(test.span().start),
                pattern: pattern.to_string(),
            });
        }
    }
    let mut cases: Vec<Case> = models
        .into_iter()
        .filter_map(|(name, path)| case((&config, &tables), &root, &name, path))
        .collect();
    if cases.is_empty() {
        return Err(GoldenError::NoTests {
            path: config.path().to_owned(),
        });
    }
    let known = cases.iter().map(|case| case.approved.clone());
    let known = request.models.is_empty().then(|| known.collect());
    filter(&mut cases, &config, &request.models)?;
    if let Some(changes) = request.changes.clone().map(Arc::new) {
        let is_nearest = request.config.is_none();
        for case in &mut cases {
            let has_changed = changes.include(&case.path, Some(&config), is_nearest);
            case.only_for = (!has_changed).then(|| Arc::clone(&changes));
        }
    }
    if let Some(shard) = request.shard {
        // Every machine splits the models in the same way.
        let bytes = |case: &Case| case.path.metadata().map_or(0, |metadata| metadata.len());
        cases = shard.part_by_bytes(cases, bytes);
    }
    Ok(Plan {
        config: config.path().to_owned(),
        cases,
        root,
        links,
        known,
    })
}

fn load(request: &Request) -> Result<(Config, Tables), GoldenError> {
    if let Some(path) = &request.config {
        let config = Config::load(path)?;
        let tables = config.tables()?;
        return Ok((config, tables));
    }
    let first = request
        .models
        .first()
        .map(|model| PathBuf::from(model.to_string()))
        .filter(|path| path.exists());
    let in_it = |path: PathBuf| {
        if path.is_dir() {
            path.join(config::FILE_NAME)
        } else {
            path
        }
    };
    let first = first.map_or_else(|| config::FILE_NAME.into(), in_it);
    let here = real_folder(Path::new("."));
    let mut nearest = None;
    let mut found = config::find(&first);
    while let Some(path) = found {
        let config = Config::load_found(&seen_from(&here, &path))?;
        let tables: Tables = config.tables()?;
        if !tables.tests.is_empty() {
            return Ok((config, tables));
        }
        found = path.parent().and_then(config::find);
        nearest.get_or_insert((config, tables));
    }
    nearest.ok_or(GoldenError::NoConfig)
}

/// `None` for a model that no test matches.
fn case(
    (config, tables): (&Config, &Tables),
    root: &Path,
    name: &Path,
    path: PathBuf,
) -> Option<Case> {
    let tests = tables.tests.iter().map(Spanned::get_ref);
    let is_for = |test: &&Test| test.model.iter().any(|pattern| pattern.matches(name));
    let tests: Vec<Test> = tests.filter(is_for).cloned().collect();
    let layers = config.layers(&path);
    let mut settings = layers.fold(Settings::default(), |all, layer| all.with(&layer.diff));
    let own = tests.iter().rev().find_map(|test| test.tolerance);
    settings.tolerance = own.or(settings.tolerance);
    let mut folder = name.as_os_str().to_owned();
    folder.push(FOLDER);
    let approved = root.join(folder);
    // Beside a model, only the innermost folder is ours.
    let base = match tables.approved {
        Some(_) => root,
        None => approved.parent().unwrap_or(root),
    };
    let base = base.to_owned();
    (!tests.is_empty()).then(|| Case {
        name: slashed(name),
        base,
        approved,
        path,
        tests,
        settings,
        only_for: None,
    })
}

fn filter(
    cases: &mut Vec<Case>,
    config: &Config,
    filters: &[ModelPattern],
) -> Result<(), GoldenError> {
    let matches = |filter: &ModelPattern, case: &Case| {
        let path = config.inside(Path::new(&filter.to_string()));
        let is_below = Path::new(&case.name).starts_with(path);
        is_below || filter.matches(Path::new(&case.name)) || filter.matches(&case.path)
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

/// The suffix of a model's approval folder.
pub(super) const FOLDER: &str = ".approved";

/// The numbers in such a folder.
pub(super) const NUMBERS: &str = "poses.skref";

/// The most characters of a clip's name in a file name.
const LONGEST: usize = 60;

/// A file name for each clip: portable across file systems and shells, and unique regardless of case.
pub(super) fn stems<'a>(clips: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut known = BTreeSet::new();
    let stems = clips.map(|clip| {
        let plain = plain(clip);
        let numbered = (2..).map(|number| format!("{plain}~{number}"));
        let mut all = std::iter::once(plain.clone()).chain(numbered);
        let free = all.find(|stem| known.insert(stem.to_lowercase()));
        free.expect("there are more numbers than clips")
    });
    stems.collect()
}

fn plain(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() { c } else { '_' };
    let plain: String = beginning(name, LONGEST).chars().map(safe).collect();
    if plain.is_empty() {
        return "clip".to_owned();
    }
    plain
}

/// * `view` – as in reports.
pub(super) fn of_image(stem: &str, time: Seconds, view: &str) -> String {
    let view = view.replace(|c: char| !(c.is_ascii_alphanumeric() || c == '-'), "_");
    format!("{stem}-{:.3}s-{view}.png", time.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_have_different_files_on_every_system() {
        let long = "\u{1d400}".repeat(60);
        let clips = [
            "Walk",
            "walk",
            "Armature|Walk",
            "../../etc",
            "",
            "Ж",
            "WALK",
            &long,
            &long,
        ];
        let stems = stems(clips.into_iter());
        let expected = [
            "Walk",
            "walk~2",
            "Armature_Walk",
            "______etc",
            "clip",
            "Ж",
            "WALK~3",
            &"\u{1d400}".repeat(40),
            &format!("{}~2", "\u{1d400}".repeat(40)),
        ];
        assert_eq!(stems, expected);
        let longest = of_image(&stems[8], Seconds(1234.5), "three-quarter");
        assert!(longest.len() < 200, "{longest}");
        let file = of_image(&stems[0], Seconds(0.5), "orbit:35,-15 weights:Hips");
        assert_eq!(file, "Walk-0.500s-orbit_35_-15_weights_Hips.png");
    }
}
