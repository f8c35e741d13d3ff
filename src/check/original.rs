//! The model that a file was made from.

use std::path::{Path, PathBuf};

use super::task::Task;
use crate::deadline::Deadline;
use crate::diff::reference::{Reference, is_reference};
use crate::diff::{self, Report, Source};
use crate::import::{self, Options};
use crate::rig::SourceFile;
use crate::shown;

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
            let reference = Reference::load(&path);
            let reference = reference.map_err(|error| explained(&path, &error))?;
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
