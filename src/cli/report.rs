//! What the terminal gets to see, and the exit code.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressStyle};
use skincheck::import::ImportError;
use skincheck::pose::{PoseFileError, SelectError};
use skincheck::shown::{self, printable};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Standard error, in colour on a terminal. A message that cannot be written has nowhere else to go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Console {
    /// Errors only.
    pub(super) quiet: bool,
}

impl Console {
    /// Something is done.
    pub(super) fn note(self, message: impl Display) {
        if !self.quiet {
            let _ = writeln!(anstream::stderr(), "{}", safe(&message));
        }
    }

    /// Something could not be done, and the run goes on.
    pub(super) fn error(error: &anyhow::Error) {
        let _ = writeln!(
            anstream::stderr(),
            "{ERROR}error:{ERROR:#} {}",
            safe(&explained(error))
        );
    }

    /// A sign of life on a terminal, for work that may take long.
    pub(super) fn spinner(self, message: &str) -> ProgressBar {
        if self.quiet {
            return ProgressBar::hidden();
        }
        let spinner = ProgressBar::new_spinner().with_message(printable(message));
        spinner.enable_steady_tick(Duration::from_millis(100));
        spinner
    }

    /// How far work of `total` parts has come, on a terminal.
    pub(super) fn progress(self, total: usize, what: &'static str) -> ProgressBar {
        if self.quiet {
            return ProgressBar::hidden();
        }
        let template = "{msg} {wide_bar} {pos}/{len}, {eta} left";
        let style = ProgressStyle::with_template(template).expect("the template is well formed");
        let bar = ProgressBar::new(total.try_into().unwrap_or(u64::MAX));
        let bar = bar.with_style(style).with_message(what);
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    /// Something may not be what the user meant.
    pub(super) fn warn(self, message: impl Display) {
        if !self.quiet {
            let _ = writeln!(
                anstream::stderr(),
                "{WARNING}warning:{WARNING:#} {}",
                safe(&message)
            );
        }
    }
}

/// Without what could steer a terminal; a name that holds such characters stays another name where it is piped, too.
fn safe(message: &dyn Display) -> String {
    let message = message.to_string();
    let lines: Vec<String> = message.lines().map(printable).collect();
    lines.join("\n")
}

/// How a run ended.
pub(super) enum Outcome {
    /// Exit code 0.
    Done,
    /// Exit code 1: what was to be checked is not as it should be. The report has said so.
    Found,
    /// Exit code 2.
    Failed(anyhow::Error),
}

impl Outcome {
    /// Of a command that can only be done or fail.
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

    /// Prints what went wrong, if anything, and turns into the exit code.
    pub(super) fn report(self) -> ExitCode {
        match self {
            Self::Done => ExitCode::SUCCESS,
            Self::Found => ExitCode::from(1),
            Self::Failed(error) => {
                Console::error(&error);
                ExitCode::from(2)
            }
        }
    }
}

/// What went wrong, its causes, and what to do.
fn explained(error: &anyhow::Error) -> String {
    shown::causes(error.as_ref()) + advice(error)
}

/// What to do, to end the message with, unless it says so already.
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
