//! How a child process fails.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::import::death;
use crate::import::last_words::LastWords;
use crate::import::wire::WireError;
use crate::shown;

impl WorkerError {
    /// What to do if the program is missing.
    pub(in crate::import) fn remedy(&self) -> &'static str {
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
    /// It does not take the arguments of this version.
    #[error(
        "the skincheck binary that reads models has another version; install only one version, or set SKINCHECK_BINARY"
    )]
    OtherVersion,
    /// A signal ended it.
    #[error("it {}{words}", death::describe(*signal))]
    Crashed {
        /// Number of the signal.
        signal: i32,
        /// Its last output.
        words: LastWords,
    },
    /// The memory did not suffice.
    #[error("it needed more than {} MiB of memory; raise --import-memory if the file is really that large{words}", limit_bytes >> 20)]
    OutOfMemory {
        /// How much it had.
        limit_bytes: u64,
        /// Its last output.
        words: LastWords,
    },
    /// The time did not suffice.
    #[error("it did not finish within {} s; raise --import-timeout if the file is really that large{words}", limit.as_secs_f64())]
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
