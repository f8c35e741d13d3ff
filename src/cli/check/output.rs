//! The outputs of reports.

use std::io;
use std::path::PathBuf;

use anstream::{AutoStream, ColorChoice};
use clap::builder::PossibleValuesParser;
use skincheck::check::Report;
use skincheck::check::config::{hint, nearest};
use skincheck::report::{FORMATS, View, find_format};
use skincheck::shown::{self, escaped};

use super::ReportArgs;
use crate::cli::output::Target;
use crate::cli::report::Console;

/// `junit=out.xml`.
#[derive(Debug, Clone)]
pub(super) struct FileTarget {
    format: &'static str,
    pub(super) path: PathBuf,
}

/// An invalid `--report`.
#[derive(Debug, thiserror::Error)]
pub(super) enum TargetError {
    #[error("expected a format and a file, such as junit=out.xml")]
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

impl FileTarget {
    /// Reads `NAME=FILE`.
    pub(super) fn parse(text: &str) -> Result<Self, TargetError> {
        let (name, path) = text.split_once('=').ok_or(TargetError::NoFile)?;
        match path {
            "" => return Err(TargetError::NoFile),
            "-" => return Err(TargetError::Stdout),
            _ => {}
        }
        let Some(format) = find_format(name) else {
            return Err(unknown(name));
        };
        Ok(Self {
            format: format.name(),
            path: path.into(),
        })
    }
}

fn unknown(name: &str) -> TargetError {
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name()).collect();
    TargetError::UnknownFormat {
        name: escaped(name),
        hint: hint(nearest(name, names.iter().copied())),
        known: names.join(", "),
    }
}

/// The names of formats on the command line.
pub(super) fn format_names() -> PossibleValuesParser {
    PossibleValuesParser::new(
        FORMATS
            .iter()
            .map(|format| clap::builder::PossibleValue::new(format.name()).help(format.about())),
    )
}

/// The format that shows images.
const HTML: &str = "html";

/// Formats that show only findings.
const WITHOUT_GONE: [&str; 3] = ["junit", "github", HTML];

impl ReportArgs {
    /// Whether a page with images is written.
    pub(in crate::cli) fn has_page(&self) -> bool {
        let mut formats = self.reports.iter().map(|report| report.format);
        self.format == HTML || formats.any(|format| format == HTML)
    }

    /// Writes the files, each also if another cannot be written, and then the report on standard output.
    ///
    /// * `pruned` – whether gone findings were removed from the baseline.
    pub(in crate::cli) fn write(&self, report: &Report, pruned: bool) -> anyhow::Result<()> {
        let view = View {
            color: false,
            verbose: self.verbose,
            pruned,
        };
        let files = self.reports.iter().map(|target| {
            let text = Self::text(target.format, report, view);
            Target::from(target.path.as_path()).write(text.as_bytes())
        });
        let files: Vec<anyhow::Result<()>> = files.collect();
        let text = Self::text(
            &self.format,
            report,
            View {
                color: is_colorful(),
                ..view
            },
        );
        Target::Stdout.write(text.as_bytes())?;
        files.into_iter().collect()
    }

    /// Whether nothing makes the check fail. Prints what the report on standard output does not contain.
    ///
    /// * `pruned` – whether gone findings were removed from the baseline.
    pub(in crate::cli) fn conclude(
        &self,
        report: &Report,
        pruned: bool,
        console: Console,
    ) -> anyhow::Result<bool> {
        self.report_gone(report, pruned, console);
        let summary = report.summary();
        anyhow::ensure!(
            summary.unreadable == 0,
            "{} of {} models could not be checked",
            summary.unreadable,
            summary.files
        );
        let mut empty = report.files.iter().filter(|file| file.has_no_models);
        if let Some(file) = empty.next() {
            anyhow::bail!("no models found in {}", shown::path(&file.path));
        }
        Ok(report.passes())
    }

    /// Prints the accepted findings that are gone, unless the report on standard output lists them.
    ///
    /// * `pruned` – whether they were removed from the baseline.
    fn report_gone(&self, report: &Report, pruned: bool, console: Console) {
        let gone = report.accepted.iter().flat_map(|accepted| &accepted.gone);
        let lines: Vec<String> = gone
            .map(|gone| format!("gone {}: {}: {}", gone.file, gone.rule, gone.subject))
            .collect();
        if lines.is_empty() || !WITHOUT_GONE.contains(&self.format.as_str()) {
            return;
        }
        let prune = if pruned {
            "they were removed from the baseline"
        } else {
            "--prune removes them from the baseline"
        };
        for line in lines {
            console.note(line);
        }
        console.note(format_args!("accepted findings that are gone; {prune}"));
    }

    fn text(format: &str, report: &Report, view: View) -> String {
        let format = find_format(format);
        let format = format.expect("the parser lets only names of formats through");
        format.write(report, view)
    }
}

/// Whether standard output is coloured: on a terminal, unless the environment forbids it.
pub(in crate::cli) fn is_colorful() -> bool {
    AutoStream::choice(&io::stdout()) != ColorChoice::Never
}
