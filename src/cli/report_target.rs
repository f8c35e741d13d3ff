//! Targets of `--report`: a format, into a file.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::output::{Target, print, view};
use super::report::Console;
use crate::names::{hint, nearest};
use crate::paths::open_regular;
use crate::report::{Format, View, is_page};
use crate::shown::{self, escaped};

/// `junit=out.xml`.
#[derive(Debug, Clone)]
pub(super) struct ReportTarget {
    pub(super) format: Format,
    pub(super) path: PathBuf,
}

/// An invalid `--report`.
#[derive(Debug, thiserror::Error)]
pub(super) enum TargetError {
    #[error("expected a format and a file, such as junit=out.xml or html=out.html")]
    NoFile,
    #[error("standard output gets the report of --format; name a file")]
    Stdout,
    #[error("no format is named \"{name}\"{hint}; expected one of {known}")]
    UnknownFormat {
        name: String,
        hint: String,
        known: String,
    },
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

impl ReportTarget {
    /// Reads `NAME=FILE`.
    pub(super) fn parse(text: &str) -> Result<Self, TargetError> {
        let (name, path) = text.split_once('=').ok_or(TargetError::NoFile)?;
        match path {
            "" => return Err(TargetError::NoFile),
            "-" => return Err(TargetError::Stdout),
            _ => {}
        }
        let format = Format::find(name).ok_or_else(|| unknown(name))?;
        Ok(Self {
            format,
            path: path.into(),
        })
    }

    /// Whether it is the page.
    pub(super) fn is_page(&self) -> bool {
        self.format == Format::Html
    }

    /// The file.
    pub(super) fn target(&self) -> Target {
        Target::File(self.path.clone())
    }
}

/// Removes the pages that earlier runs wrote to these files, so that none looks current if this run fails. Links to them stay.
pub(super) fn remove_earlier_pages(targets: &[ReportTarget]) -> anyhow::Result<()> {
    for target in targets.iter().filter(|target| target.is_page()) {
        if open_regular(&target.path).is_ok_and(is_page) {
            let path = || format!("cannot replace {}", shown::path(&target.path));
            // Another run may have removed it.
            let removed = fs::canonicalize(&target.path).and_then(fs::remove_file);
            if removed
                .as_ref()
                .is_err_and(|error| error.kind() != ErrorKind::NotFound)
            {
                removed.with_context(path)?;
            }
        }
    }
    Ok(())
}

fn unknown(name: &str) -> TargetError {
    let names = Format::ALL.map(Format::name);
    TargetError::UnknownFormat {
        name: escaped(name),
        hint: hint(nearest(name, names.iter().copied())),
        known: names.join(", "),
    }
}

/// Writes a report to standard output.
pub(super) fn print_report(format: Format, report: &str) -> anyhow::Result<()> {
    match format {
        Format::Text => print(report),
        _ => Target::Stdout.write(report.as_bytes()),
    }
}

/// Writes the reports to files and says so, each also if another cannot be written, and then the one on standard output.
pub(super) fn write_all(
    format: Format,
    targets: &[ReportTarget],
    write: impl Fn(Format, View) -> String,
    console: Console,
) -> anyhow::Result<()> {
    let files: Vec<anyhow::Result<()>> = targets
        .iter()
        .map(|target| {
            let text = write(target.format, View::default());
            target.target().write(text.as_bytes())?;
            console.note(format_args!("report: {}", shown::path(&target.path)));
            Ok(())
        })
        .collect();
    print_report(format, &write(format, view()))?;
    files.into_iter().collect()
}
