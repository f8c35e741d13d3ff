//! Targets of `--report`: a page in a folder, or a format in a file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::ValueEnum;
use skincheck::shown;

use super::output::Target;
use super::report::Console;

/// The target of a report in one of the formats `F`.
#[derive(Debug, Clone)]
pub(super) enum ReportTarget<F> {
    /// The page, into a folder.
    Page(PathBuf),
    /// A format, into a file.
    File(F, PathBuf),
}

/// The name of the page in its folder.
const PAGE: &str = "index.html";

impl<F: ValueEnum> ReportTarget<F> {
    /// Reads `DIR` or `NAME=FILE`.
    ///
    /// * `example` – of `NAME=FILE`, for messages.
    pub(super) fn parse(text: &str, example: &str) -> Result<Self, String> {
        let named = text.split_once('=').and_then(|(name, path)| {
            let format = F::from_str(name, false).ok()?;
            Some((format, path))
        });
        match named {
            None if text.is_empty() => Err("expected a folder".to_owned()),
            None => Ok(Self::Page(text.into())),
            Some((_, "" | "-")) => Err(format!("name a file, such as {example}")),
            Some((format, path)) => Ok(Self::File(format, path.into())),
        }
    }

    /// Whether it is the page.
    pub(super) fn is_page(&self) -> bool {
        matches!(self, Self::Page(_))
    }

    /// The file.
    pub(super) fn target(&self) -> Target {
        Target::File(match self {
            Self::Page(folder) => folder.join(PAGE),
            Self::File(_, path) => path.clone(),
        })
    }

    /// Refuses a target that cannot work before any long work begins. Writes nothing, so that a failure leaves no empty folder
    /// behind.
    pub(super) fn check(&self, inputs: &[Option<&Path>]) -> anyhow::Result<()> {
        if let Self::Page(folder) = self
            && !folder.is_dir()
        {
            ensure!(
                !folder.exists(),
                "--report {}: this is a file; name a folder",
                shown::path(folder)
            );
            return Ok(());
        }
        self.target().check(inputs)
    }

    /// Writes `text`, and prints that.
    pub(super) fn write(&self, text: &str, console: Console) -> anyhow::Result<()> {
        if let Self::Page(folder) = self {
            let failed = || format!("cannot create {}", shown::path(folder));
            fs::create_dir_all(folder).with_context(failed)?;
        }
        let target = self.target();
        target.write(text.as_bytes())?;
        if let Some(path) = target.path() {
            console.note(format_args!("report: {}", shown::path(path)));
        }
        Ok(())
    }
}
