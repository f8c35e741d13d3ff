//! One file to check, with its settings and the model that it was made from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::config::{Config, Resolved};
use crate::deadline::Deadline;
use crate::diff::reference::{Reference, is_reference};
use crate::diff::{self, Report, Source};
use crate::finding::Level;
use crate::import::{self, Options};
use crate::lint::{self, RuleMeta};
use crate::rig::SourceFile;
use crate::shown;

/// One file to check.
#[derive(Debug)]
pub(super) struct Task {
    /// Its index in the whole run.
    pub(super) index: usize,
    /// Its name in reports.
    pub(super) path: PathBuf,
    /// Why it cannot be checked, if known in advance.
    pub(super) failure: Option<String>,
    /// The configuration that applies to it, if any.
    pub(super) config: Option<Arc<Config>>,
    /// Settings for the rules.
    pub(super) expected: Arc<Resolved>,
    /// The work it takes: see [`Plan::weight`](super::Plan::weight).
    pub(super) weight: u64,
    /// The least level that is shown and counted.
    pub(super) level: Level,
    /// Whether it is checked whatever it reads: always, unless only changes are to be checked.
    pub(super) has_changed: bool,
}

impl Task {
    /// All settings of the file, as text.
    pub(super) fn configuration(&self) -> String {
        format!("{:?} {:?}", self.expected, self.level)
    }

    /// The most important level of the checked rules, if it is not shown.
    pub(super) fn hidden(&self) -> Option<Level> {
        self.most_important().filter(|level| *level < self.level)
    }

    /// The path of the configuration that applies to it, if any.
    pub(super) fn config_path(&self) -> Option<PathBuf> {
        let config = self.config.as_ref();
        config.map(|config| config.path().to_owned())
    }

    /// The path of the model that it was made from, if the settings name one.
    pub(super) fn original(&self) -> Option<PathBuf> {
        let named = self.expected.original.as_ref()?;
        let folder = self
            .config
            .as_ref()
            .map_or(Path::new(""), |config| config.folder());
        Some(original_of(&self.path, named, folder))
    }

    pub(super) fn checks_anything(&self) -> bool {
        self.most_important().is_some()
    }

    /// The most important level of the checked rules, in any format.
    fn most_important(&self) -> Option<Level> {
        let settings = &self.expected.settings;
        lint::rules()
            .filter_map(|rule| settings.level_in_gltf(rule.meta()))
            .max()
    }

    /// Whether the rule is checked in some format and its findings are shown.
    pub(super) fn shows(&self, meta: &RuleMeta) -> bool {
        let level = self.expected.settings.level_in_gltf(meta);
        level.is_some_and(|level| level >= self.level)
    }

    /// Whether it is cross-checked.
    pub(super) fn crosses(&self) -> bool {
        lint::opt_in_rules().any(|rule| self.shows(rule.meta()))
    }

    /// Whether it would be cross-checked if that were requested.
    pub(super) fn could_cross(&self) -> bool {
        let settings = &self.expected.settings;
        lint::opt_in_rules().any(|rule| settings.awaits_request(rule.meta()))
    }
}

/// Stands for the name of the file that is checked, without its extension.
const STEM: &str = "{stem}";

/// The path that `named` means for the file at `path`.
///
/// * `folder` – what a relative path is relative to.
fn original_of(path: &Path, named: &Path, folder: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default();
    let parts = named.iter().map(|part| match part.to_str() {
        Some(text) if text.contains(STEM) => text.replace(STEM, &stem.to_string_lossy()).into(),
        _ => part.to_owned(),
    });
    folder.join(parts.collect::<PathBuf>())
}

/// The original of a file.
pub(super) struct Original {
    path: PathBuf,
    source: Source,
    /// The files it was read from.
    pub(super) files: Vec<SourceFile>,
}

impl Original {
    /// Reads the original of `task`, without its images; `None` if the settings name none.
    ///
    /// # Errors
    ///
    /// Why it cannot be read, with its name.
    pub(super) fn of(task: &Task, options: &Options) -> Result<Option<Self>, String> {
        let Some(path) = task.original() else {
            return Ok(None);
        };
        // Stamped before it is read.
        let own = SourceFile::at(path.clone());
        if is_reference(&path) {
            let reference = Reference::load(&path).map_err(|error| explained(&path, &error))?;
            return Ok(Some(Self {
                files: vec![own],
                source: Source::Reference(Box::new(reference)),
                path,
            }));
        }
        let options = Options {
            images: false,
            animation: None,
            variant: None,
            expressions: Vec::new(),
            ..options.clone()
        };
        let read = import::load(&path, &options);
        let mut asset = read.map_err(|error| format!("the original {}", error.explain()))?;
        let mut files = std::mem::take(&mut asset.files);
        files.push(own);
        Ok(Some(Self {
            path,
            source: Source::from(asset),
            files,
        }))
    }

    /// How `model` differs from it.
    ///
    /// # Errors
    ///
    /// Why the two cannot be compared.
    pub(super) fn changes(
        &self,
        model: &Source,
        settings: &diff::Settings,
        deadline: Deadline,
    ) -> Result<Report, String> {
        let options = diff::Options {
            settings: settings.clone(),
            deadline,
            ..diff::Options::default()
        };
        let report = diff::compare(&self.source, model, &options);
        report.map_err(|error| explained(&self.path, &error))
    }
}

fn explained(path: &Path, error: &(dyn std::error::Error + 'static)) -> String {
    format!(
        "the original {}: {}",
        shown::path(path),
        shown::causes(error)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stem_of_the_file_stands_for_itself_in_any_part() {
        let of = |named: &str| {
            original_of(
                Path::new("out/hero.glb"),
                Path::new(named),
                Path::new("rigs"),
            )
        };
        assert_eq!(of("source/{stem}.fbx"), Path::new("rigs/source/hero.fbx"));
        assert_eq!(
            of("{stem}/{stem}_v2.fbx"),
            Path::new("rigs/hero/hero_v2.fbx")
        );
        assert_eq!(of("/all.fbx"), Path::new("/all.fbx"));
    }
}
