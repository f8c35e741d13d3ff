//! Targets of `--report`: a page in a folder, or a format in a file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::output::Target;
use super::report::Console;
use crate::report::Format;
use crate::shown;

/// The target of a report.
#[derive(Debug, Clone)]
pub(super) enum ReportTarget {
    /// The page, into a folder or a file `.html`.
    Page(PathBuf),
    /// A format, into a file.
    File(Format, PathBuf),
}

/// Formats on standard output, besides the page.
pub(super) const ON_STDOUT: [Format; 7] = [
    Format::Text,
    Format::Json,
    Format::Sarif,
    Format::JUnit,
    Format::GitHub,
    Format::GitLab,
    Format::Markdown,
];

/// Parses the name of one of `formats`.
pub(super) fn formats(formats: &[Format]) -> impl TypedValueParser<Value = Format> + use<> {
    let named = formats
        .iter()
        .map(|format| PossibleValue::new(format.name()).help(format.about()));
    PossibleValuesParser::new(named).map(|name| Format::find(&name).expect("it is in the list"))
}

/// The name of the page in its folder.
const PAGE: &str = "index.html";

/// Whether a path names the page itself and not its folder.
fn names_page(path: &Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|own| own.eq_ignore_ascii_case("html")) && !path.is_dir()
}

impl ReportTarget {
    /// Reads `DIR` or `NAME=FILE`.
    ///
    /// * `example` – of `NAME=FILE`, for messages.
    pub(super) fn parse(text: &str, example: &str) -> Result<Self, String> {
        let named = text
            .split_once('=')
            .and_then(|(name, path)| Some((Format::find(name)?, path)));
        match named {
            None if text.is_empty() => Err("expected a folder".to_owned()),
            None => Ok(Self::Page(text.into())),
            Some((_, "" | "-")) => Err(format!("name a file, such as {example}")),
            Some((Format::Html, path)) => Ok(Self::Page(path.into())),
            Some((format, path)) => Ok(Self::File(format, path.into())),
        }
    }

    /// The format.
    pub(super) fn format(&self) -> Format {
        match self {
            Self::Page(_) => Format::Html,
            Self::File(format, _) => *format,
        }
    }

    /// Whether it is the page.
    pub(super) fn is_page(&self) -> bool {
        matches!(self, Self::Page(_))
    }

    /// The file.
    pub(super) fn target(&self) -> Target {
        Target::File(match self {
            Self::Page(page) if names_page(page) => page.clone(),
            Self::Page(folder) => folder.join(PAGE),
            Self::File(_, path) => path.clone(),
        })
    }

    /// Refuses a target that cannot work before any long work begins. Writes nothing, so that a failure leaves no empty folder
    /// behind.
    pub(super) fn check(&self, inputs: &[Option<&Path>]) -> anyhow::Result<()> {
        if let Self::Page(folder) = self
            && !(folder.is_dir() || names_page(folder))
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
        if let Self::Page(folder) = self
            && !names_page(folder)
        {
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

/// Writes the reports to files, each also if another cannot be written, and then the one on standard output.
pub(super) fn write_all(
    format: Format,
    targets: &[ReportTarget],
    write: impl Fn(Format) -> String,
    console: Console,
) -> anyhow::Result<()> {
    let files: Vec<anyhow::Result<()>> = targets
        .iter()
        .map(|target| {
            let text = write(target.format());
            target.write(&text, console)
        })
        .collect();
    Target::Stdout.write(write(format).as_bytes())?;
    files.into_iter().collect()
}
