//! What the terminal gets to see, and the exit code.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressStyle};
use skincheck::import::ImportError;
use skincheck::pose::{PoseFileError, SelectError};
use skincheck::shown::printable;

use super::threads;

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
            safe(&told(error))
        );
    }

    /// A sign of life on a terminal, for work that may take long.
    pub(super) fn spinner(self, message: &str) -> ProgressBar {
        if self.quiet {
            return ProgressBar::hidden();
        }
        let spinner = ProgressBar::new_spinner().with_message(printable(message));
        tick(&spinner, Duration::from_millis(100));
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
        tick(&bar, Duration::from_millis(200));
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

/// Lets `bar` move by itself, if anybody sees it and there is a thread for it, without which indicatif panics.
fn tick(bar: &ProgressBar, interval: Duration) {
    if !bar.is_hidden() && threads::can_start_one() {
        bar.enable_steady_tick(interval);
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

/// What went wrong, the causes joined by colons, and what to do.
pub(super) fn told(error: &anyhow::Error) -> String {
    let chain = chain(error);
    let hint = hint(error);
    chain + hint
}

/// The causes joined by colons. A cause whose text its parent repeats already is left out.
fn chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if text.ends_with(&cause) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&cause);
    }
    text
}

/// What to do, to end the message with, unless it says so already.
fn hint(error: &anyhow::Error) -> &'static str {
    let unknown_joint = error.chain().any(|cause| {
        let selected = cause.downcast_ref::<SelectError>();
        let in_file = cause.downcast_ref::<PoseFileError>();
        matches!(selected, Some(SelectError::UnknownJoint { .. }))
            || matches!(in_file, Some(PoseFileError::Joint(_)))
    });
    if unknown_joint {
        "; skincheck inspect MODEL --joints lists them"
    } else if error.chain().any(is_unexplained) {
        " (damaged, or of a version that the importer does not know? export it again)"
    } else {
        ""
    }
}

/// Whether an importer refuses a file without saying what to do, or what of the system is in the way.
fn is_unexplained(cause: &(dyn std::error::Error + 'static)) -> bool {
    let Some(ImportError::Refused { source, .. }) = cause.downcast_ref::<ImportError>() else {
        return false;
    };
    let reason = source.to_string();
    let explains = ["export", "; ", "(os error "];
    !explains.iter().any(|words| reason.contains(words))
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;
    use skincheck::import::ImporterError;

    use super::*;

    #[test]
    fn only_what_is_unexplained_is_told_what_to_do() {
        let told = |message: &str| {
            let source = ImporterError::Parse {
                message: message.to_owned(),
            };
            let (path, importer) = ("export/a.fbx".into(), "fbx");
            let refused = ImportError::Refused {
                path,
                importer,
                source,
            };
            told(&refused.into())
        };
        assert!(told("bad header").ends_with("export it again)"));
        for explained in [
            "too large; unpack it",
            "a.bin: not found (os error 2)",
            "export anew",
        ] {
            assert!(told(explained).ends_with(explained), "{explained}");
        }
    }

    #[test]
    fn a_cause_that_is_repeated_is_printed_once() {
        let error = anyhow!("disk full")
            .context("cannot write: disk full")
            .context("cannot render");
        assert_eq!(chain(&error), "cannot render: cannot write: disk full");
    }

    #[test]
    fn the_cause_of_a_refusal_comes_before_what_to_do_which_is_said_once() {
        let refused = |cause: &'static str| {
            told(&anyhow::Error::from(ImportError::Refused {
                path: "a.fbx".into(),
                importer: "fbx",
                source: ImporterError::Parse {
                    message: cause.to_owned(),
                },
            }))
        };
        let cause = "a.fbx: the importer `fbx` cannot read it: truncated file";
        let hint = " (damaged, or of a version that the importer does not know? export it again)";
        assert_eq!(refused("truncated file"), format!("{cause}{hint}"));
        assert!(refused("it is compressed; export it plainly").ends_with("export it plainly"));
    }

    #[test]
    fn a_pipe_that_breaks_elsewhere_is_a_failure() {
        let broken = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        let error = anyhow::Error::from(broken).context("cannot write out.png");
        assert!(matches!(Outcome::of(Err(error)), Outcome::Failed(_)));
    }
}
