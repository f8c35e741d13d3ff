//! Messages on the terminal, and the exit code.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anstyle::{AnsiColor, Style};

use super::host::{ProgressBar, ProgressStyle};
use super::layout::{columns, fit};
use super::threads;
use crate::import::ImportError;
use crate::pose::{PoseFileError, SelectError};
use crate::shown::{self, printable};
use crate::units::first_few;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Standard error, in colour on a terminal. A message that cannot be written is lost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Console {
    /// Errors only.
    pub(super) quiet: bool,
}

impl Console {
    /// Reports that something was done.
    pub(super) fn note(self, message: impl Display) {
        if !self.quiet {
            say(&safe(&message));
        }
    }

    /// Warns that links to folders elsewhere were not followed.
    pub(super) fn warn_of_links(self, links: &[PathBuf]) {
        if !links.is_empty() {
            let named = first_few(links.iter().map(|link| shown::path(link)), 1);
            self.warn(format_args!(
                "{named}: not searched, because a link leads out of the folder that was named; name its target to search it"
            ));
        }
    }

    /// Reports that something failed; the run continues.
    pub(super) fn error(error: &anyhow::Error) {
        say(&format!(
            "{ERROR}error:{ERROR:#} {}",
            safe(&explained(error))
        ));
    }

    /// Reports that a model failed. Returns its path, and the error, which names it, for the report.
    pub(super) fn model_error(model: &Path, error: anyhow::Error) -> (String, String) {
        let path = shown::path(model);
        let error = if error.to_string().contains(&path) {
            error
        } else {
            error.context(path)
        };
        Self::error(&error);
        (shown::unicode(model), format!("{error:#}"))
    }

    /// A spinner on a terminal, for work that may take long.
    pub(super) fn spinner(self, message: &str) -> ProgressBar {
        if self.quiet {
            return ProgressBar::hidden();
        }
        let spinner = ProgressBar::new_spinner().with_message(printable(message));
        tick(&spinner, Duration::from_millis(100));
        spinner
    }

    /// A progress bar on a terminal, for work of `total` parts.
    pub(super) fn progress(self, total: usize, what: &'static str) -> ProgressBar {
        if self.quiet {
            return ProgressBar::hidden();
        }
        let template = "{msg} {wide_bar} {pos}/{len}, {eta} left";
        let style = ProgressStyle::with_template(template).expect("the template is well formed");
        let bar = ProgressBar::new(total.try_into().unwrap_or(u64::MAX))
            .with_style(style)
            .with_message(what);
        tick(&bar, Duration::from_millis(200));
        bar
    }

    /// A progress bar on a terminal over models of different weights.
    ///
    /// * `models` – their number.
    /// * `weight` – their total.
    pub(super) fn weighted(self, models: usize, weight: u64, what: &'static str) -> Progress {
        let bar = if self.quiet {
            ProgressBar::hidden()
        } else {
            let template = "{msg} {wide_bar} {eta} left";
            let style =
                ProgressStyle::with_template(template).expect("the template is well formed");
            ProgressBar::new(weight).with_style(style)
        };
        tick(&bar, Duration::from_millis(200));
        let progress = Progress {
            bar,
            what,
            done: AtomicUsize::new(0),
            models,
        };
        progress.show();
        progress
    }

    /// Warns that something may not be what the user intended.
    pub(super) fn warn(self, message: impl Display) {
        if !self.quiet {
            say(&format!("{WARNING}warning:{WARNING:#} {}", safe(&message)));
        }
    }
}

/// The progress of a run over many models: the number done, and the time left by their weights.
pub(super) struct Progress {
    bar: ProgressBar,
    what: &'static str,
    done: AtomicUsize,
    models: usize,
}

impl Progress {
    /// Records that a model of this weight is done.
    pub(super) fn add(&self, weight: u64) {
        self.done.fetch_add(1, Ordering::Relaxed);
        self.bar.inc(weight);
        self.show();
    }

    /// Clears the line.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self) {
        let (done, models) = (self.done.load(Ordering::Relaxed), self.models);
        self.bar
            .set_message(format!("{} {done}/{models}", self.what));
    }
}

/// Animates `bar` if it is visible and a thread is available; indicatif panics without one.
fn tick(bar: &ProgressBar, interval: Duration) {
    if !bar.is_hidden() && threads::can_start_one() {
        bar.enable_steady_tick(interval);
    }
}

/// Writes `message` to standard error, in lines that fit a terminal; programs and logs get it in one.
pub(super) fn say(message: &str) {
    let stderr = io::stderr();
    let message = if stderr.is_terminal() {
        fit(message, columns(&stderr))
    } else {
        message.to_owned()
    };
    let _ = writeln!(anstream::stderr(), "{message}");
}

/// The message without control characters, which could steer a terminal. It is the same when piped.
fn safe(message: &dyn Display) -> String {
    let lines: Vec<String> = message.to_string().lines().map(printable).collect();
    lines.join("\n")
}

/// How a run ended.
pub(super) enum Outcome {
    /// Exit code 0.
    Done,
    /// Exit code 1: a check found something, which the report lists.
    Found,
    /// Exit code 130, as after Ctrl-C: the report covers only some of the files.
    Interrupted,
    /// Exit code 2.
    Failed(anyhow::Error),
}

impl Outcome {
    /// The outcome of a command that either succeeds or fails.
    pub(super) fn of(result: anyhow::Result<()>) -> Self {
        result.map_or_else(Self::Failed, |()| Self::Done)
    }

    /// As [`Outcome::of`], for a command that may find something.
    pub(super) fn of_check(result: anyhow::Result<bool>) -> Self {
        match result {
            Ok(false) => Self::Found,
            Ok(true) => Self::Done,
            Err(error) => Self::of(Err(error)),
        }
    }

    /// Prints the error, if any, and returns the exit code.
    pub(super) fn report(self) -> ExitCode {
        match self {
            Self::Done => ExitCode::SUCCESS,
            Self::Found => ExitCode::from(1),
            Self::Interrupted => ExitCode::from(130),
            Self::Failed(error) => {
                Console::error(&error);
                ExitCode::from(2)
            }
        }
    }
}

/// The error, its causes, and advice.
fn explained(error: &anyhow::Error) -> String {
    shown::causes(error.as_ref()) + advice(error)
}

/// A hint for the end of the message, unless it contains one already.
fn advice(error: &anyhow::Error) -> &'static str {
    let unknown_joint = error.chain().any(|cause| {
        let selected = cause.downcast_ref::<SelectError>();
        let in_file = cause.downcast_ref::<PoseFileError>();
        matches!(selected, Some(SelectError::UnknownJoint { .. }))
            || matches!(in_file, Some(PoseFileError::Joint(_)))
    });
    if unknown_joint {
        return "; skincheck inspect MODEL --joints lists them";
    }
    let mut imports = error.chain().filter_map(|cause| cause.downcast_ref());
    imports.find_map(ImportError::advice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn a_cause_that_is_repeated_is_printed_once() {
        let error = anyhow!("disk full")
            .context("cannot write: disk full")
            .context("cannot render");
        assert_eq!(explained(&error), "cannot render: cannot write: disk full");
    }

    #[test]
    fn a_pipe_that_breaks_elsewhere_is_a_failure() {
        let broken = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        let error = anyhow::Error::from(broken).context("cannot write out.png");
        assert!(matches!(Outcome::of(Err(error)), Outcome::Failed(_)));
    }
}
