//! How a child process fails, how processes end, and the end of their stderr.

use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{ChildStderr, ExitStatus};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fmt, thread};

use super::wire::WireError;
use crate::shown;
use crate::text::printable;

impl WorkerError {
    /// What to do if the program is missing.
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            Self::NotStarted { source, .. }
                if matches!(
                    source.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
                ) =>
            {
                "; install skincheck, set SKINCHECK_BINARY to its binary, or, from Rust, set `import::Options::isolation` to \
                 `Isolation::InProcess`"
            }
            _ => "",
        }
    }
}

/// How a child process failed to answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// There is no such program, or it cannot be run.
    #[error(
        "cannot start the program `{}`, which reads models in a child process",
        shown::path(program)
    )]
    NotStarted {
        /// The program to run.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// No thread can be started to listen to it.
    #[error(
        "no thread can be started to listen to the importer; the limit on processes (ulimit -u) or memory is too low"
    )]
    NoThread(#[source] io::Error),
    /// It does not accept the arguments of this version.
    #[error(
        "the skincheck binary that reads models has another version; install only one version, or set SKINCHECK_BINARY"
    )]
    OtherVersion,
    /// A signal ended it.
    #[error("it {}{words}", describe_signal(*signal))]
    Crashed {
        /// Number of the signal.
        signal: i32,
        /// Its last output.
        words: LastWords,
    },
    /// It ran out of memory.
    #[error("it needed more than {} MiB of memory; raise --memory if the file is really that large{words}", limit_bytes >> 20)]
    OutOfMemory {
        /// How much it had.
        limit_bytes: u64,
        /// Its last output.
        words: LastWords,
    },
    /// It exceeded the time limit.
    #[error("it did not finish within {} s; raise --timeout if the file is really that large{words}", limit.as_secs_f64())]
    TimedOut {
        /// How long it had.
        limit: Duration,
        /// Its last output.
        words: LastWords,
    },
    /// It ended by itself, without an answer.
    #[error("it exited with code {code} without a result{words}")]
    Exited {
        /// The code.
        code: i32,
        /// Its last output.
        words: LastWords,
    },
    /// Its answer cannot be decoded.
    #[error("it returned no usable result{words}")]
    Stream {
        /// The cause.
        source: WireError,
        /// Its last output.
        words: LastWords,
    },
    /// The operating system lost track of it.
    #[error("it cannot be monitored")]
    Lost(#[source] io::Error),
}

/// Numbers that Linux, the BSDs and macOS share.
const SIGILL: i32 = 4;
const SIGABRT: i32 = 6;
const SIGFPE: i32 = 8;
const SIGKILL: i32 = 9;
const SIGSEGV: i32 = 11;
const SIGTERM: i32 = 15;
/// On Linux (except MIPS, SPARC, Alpha), the BSDs and macOS.
const SIGXCPU: i32 = 24;

/// Says what `signal` did to a process, such as `crashed with SIGSEGV, …`.
fn describe_signal(signal: i32) -> String {
    let known = match signal {
        SIGSEGV => {
            "crashed with SIGSEGV, an invalid memory access; the file is damaged, or the importer has a bug"
        }
        SIGABRT => "aborted itself (SIGABRT); the file is damaged, or the importer has a bug",
        SIGILL => "crashed with SIGILL, an invalid instruction",
        SIGFPE => {
            "crashed with SIGFPE, such as a division by zero; the file is damaged, or the importer has a bug"
        }
        SIGKILL => "was killed (SIGKILL), most likely because the machine ran out of memory",
        SIGTERM => "was terminated (SIGTERM)",
        other => return format!("was terminated by signal {other}"),
    };
    known.to_owned()
}

/// Whether `signal` is what the processor-time limit sends.
pub(super) fn is_time_limit(signal: i32) -> bool {
    signal == SIGXCPU
}

/// The signal that ended a process.
#[cfg(unix)]
pub(super) fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// The signal that ended a process; this platform has no signals.
#[cfg(not(unix))]
pub(super) fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

/// How much of the end is kept, in bytes.
const KEPT: usize = 8 << 10;

/// How many lines are quoted, and how many characters of each.
const LINES: usize = 3;
const LINE_LENGTH: usize = 200;

/// How long to wait for the end of the pipe after the child's end; another process may hold it open.
const GRACE: Duration = Duration::from_millis(200);

/// The last lines that a process wrote to its stderr. Displays as a continuation of a sentence, or as nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LastWords {
    /// Oldest first, without control characters.
    pub lines: Vec<String>,
}

impl LastWords {
    fn of(written: &[u8]) -> Self {
        let text = String::from_utf8_lossy(written);
        let filled = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let mut lines: Vec<String> = filled.rev().take(LINES).map(quotable).collect();
        lines.reverse();
        Self { lines }
    }

    /// Whether a C++ or Rust program wrote them because an allocation failed.
    pub(super) fn report_memory(&self) -> bool {
        let reports_memory =
            |line: &String| line.contains("bad_alloc") || line.contains("memory allocation of");
        self.lines.iter().any(reports_memory)
    }
}

impl fmt::Display for LastWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lines.is_empty() {
            return Ok(());
        }
        write!(f, "; its last words: \"{}\"", self.lines.join(" / "))
    }
}

fn quotable(line: &str) -> String {
    printable(line, LINE_LENGTH)
}

/// Reads a stderr to its end, however long it is, and keeps the last part.
pub(super) struct Listener {
    kept: Arc<Mutex<Vec<u8>>>,
    at_end: Receiver<()>,
}

impl Listener {
    /// # Errors
    ///
    /// No thread can be started.
    pub(super) fn follow(mut stderr: ChildStderr) -> io::Result<Self> {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (end, at_end) = mpsc::channel();
        let shared = Arc::clone(&kept);
        thread::Builder::new().spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = stderr.read(&mut part) {
                keep(&shared, &part[..count]);
            }
            // The receiver is gone if nobody asked for the words.
            let _ = end.send(());
        })?;
        Ok(Self { kept, at_end })
    }

    /// Called after the child's end.
    pub(super) fn last_words(self) -> LastWords {
        // After a time-out, the part read so far is used.
        let _ = self.at_end.recv_timeout(GRACE);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        LastWords::of(&kept)
    }
}

fn keep(shared: &Mutex<Vec<u8>>, part: &[u8]) {
    let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
    kept.extend_from_slice(part);
    let excess = kept.len().saturating_sub(KEPT);
    kept.drain(..excess);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_quoted_without_control_characters() {
        let words = LastWords::of(b"one\ntwo\n\n\x1b[31mthree\nfour\n");
        assert_eq!(
            words.to_string(),
            "; its last words: \"two / \u{fffd}[31mthree / four\""
        );
    }

    #[test]
    fn silence_adds_nothing_to_a_message() {
        assert_eq!(LastWords::of(b"\n \n").to_string(), "");
    }

    #[test]
    fn text_that_is_not_utf_8_is_quoted_all_the_same() {
        assert_eq!(LastWords::of(b"caf\xe9").lines, ["caf\u{fffd}"]);
    }
}
