//! Where an import runs (in this thread, in one of its own or in a child process), and how much it may use.

mod confinement;
mod contained;
mod sandbox;
mod wire;
mod worker;
mod worker_error;

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use super::{Importer, ImporterError, Options, Wanted};
use crate::platform::HAS_PROCESSES;
pub(super) use wire::Answer;

#[cfg(test)]
pub(super) use sandbox::tests::puppet;
pub use wire::WireError;
#[cfg(test)]
pub(super) use wire::send;
pub use worker::worker_main;
pub use worker_error::{LastWords, WorkerError};

/// The environment variable with the path of the `skincheck` binary, for other programs.
pub const BINARY_VARIABLE: &str = "SKINCHECK_BINARY";

const BINARY_NAME: &str = "skincheck";

/// The hidden subcommand of the `skincheck` binary that becomes [`worker_main`].
pub const WORKER_COMMAND: &str = "import-worker";

/// Where the importer's code runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Isolation {
    /// In a child process, or in a thread if the importer [is contained](super::Importer::is_contained). What a
    /// hostile file does to the importer becomes an error.
    Process {
        /// The `skincheck` binary; without a folder, it is searched in `PATH`.
        program: PathBuf,
    },
    /// In this process and without any limit: for files that are trusted. A crash of the importer is a crash of the
    /// program.
    InProcess,
}

impl Default for Isolation {
    /// [`Isolation::Process`], in a child process of the first of: `$SKINCHECK_BINARY`; the program of
    /// [`host_workers`]; the running program, if it is called `skincheck`; a `skincheck` next to it or one folder up
    /// (where cargo puts it for tests); the `skincheck` in `PATH`. [`Isolation::InProcess`] in WebAssembly, which has
    /// no processes.
    fn default() -> Self {
        if !HAS_PROCESSES {
            return Self::InProcess;
        }
        let program = program_or(|| binary_near(&env::current_exe().ok()?));
        Self::Process { program }
    }
}

impl Isolation {
    /// For the skincheck binary itself, whatever it is called: a child process of `$SKINCHECK_BINARY`, of the program of
    /// [`host_workers`], or of the running program.
    #[must_use]
    pub fn by_running_program() -> Self {
        if !HAS_PROCESSES {
            return Self::InProcess;
        }
        let program = program_or(|| env::current_exe().ok());
        Self::Process { program }
    }
}

/// `$SKINCHECK_BINARY`, or the program that hosts workers, or `otherwise`, or the `skincheck` in `PATH`.
fn program_or(otherwise: impl FnOnce() -> Option<PathBuf>) -> PathBuf {
    let named = env::var_os(BINARY_VARIABLE).filter(|value| !value.is_empty());
    let hosted = || HOSTED.get().map(|hosted| hosted.program.clone());
    let program = named.map(PathBuf::from).or_else(hosted).or_else(otherwise);
    program.unwrap_or_else(|| PathBuf::from(BINARY_NAME))
}

/// The start of a worker's command line.
struct Hosted {
    program: PathBuf,
    arguments: Vec<OsString>,
}

static HOSTED: OnceLock<Hosted> = OnceLock::new();

/// Runs importers in child processes of `program` from now on, unless `$SKINCHECK_BINARY` names another program. For
/// programs that load skincheck as a module, such as an interpreter. Only the first call counts.
///
/// * `arguments` – come before those of the worker, which begin with [`WORKER_COMMAND`]. Started with them, `program`
///   must call [`worker_main`] with the arguments that follow [`WORKER_COMMAND`].
pub fn host_workers(program: PathBuf, arguments: Vec<OsString>) {
    let _ = HOSTED.set(Hosted { program, arguments });
}

/// The arguments with which `program` hosts workers.
fn hosting_arguments(program: &Path) -> &'static [OsString] {
    let hosted = HOSTED.get().filter(|hosted| hosted.program == program);
    hosted.map_or(&[], |hosted| &hosted.arguments)
}

/// The `skincheck` that `running` is, or has beside it or one folder up.
fn binary_near(running: &Path) -> Option<PathBuf> {
    if running.file_stem() == Some(OsStr::new(BINARY_NAME)) {
        return Some(running.to_owned());
    }
    let file_name = format!("{BINARY_NAME}{}", env::consts::EXE_SUFFIX);
    let mut folders = running.ancestors().skip(1).take(2);
    folders.find_map(|folder| Some(folder.join(&file_name)).filter(|path| path.is_file()))
}

/// The limits of importers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Address space of one importer, in bytes. Enforced on Unix; elsewhere only the size of the result is limited.
    pub memory_bytes: u64,
    /// Wall-clock time, and processor time.
    pub time: Duration,
}

impl Default for Limits {
    /// 4 GiB and 45 s: many times what the largest film character takes.
    fn default() -> Self {
        Self {
            memory_bytes: 4 << 30,
            time: Duration::from_secs(45),
        }
    }
}

impl Limits {
    /// The longest stream that the parent accepts. The child holds the model and the stream at once, and they are about the
    /// same size, so a valid stream is at most half of the memory.
    fn stream_bytes(&self) -> u64 {
        self.memory_bytes / 2
    }
}

/// Reads the file at `path` with `importer`, where `options` say.
///
/// # Errors
///
/// [`WorkerError`], if `importer` gives no answer.
pub(super) fn read(
    importer: &'static dyn Importer,
    path: &Path,
    wanted: &Wanted,
    options: &Options,
) -> Result<Answer, WorkerError> {
    let Isolation::Process { program } = &options.isolation else {
        return Ok(importer.import_some(path, wanted));
    };
    let limits = &options.limits;
    if importer.is_contained() && !contained::is_process_short_of_memory() {
        match contained::run(importer, path, wanted, limits)? {
            Err(ImporterError::NeedsProcess | ImporterError::OutOfMemory) => {}
            answer => return Ok(answer),
        }
    }
    sandbox::run(program, importer.name(), path, wanted, limits)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_running_skincheck_is_its_own_worker() {
        let running = Path::new("/opt/bin/skincheck");
        assert_eq!(binary_near(running), Some(running.to_owned()));
    }

    #[test]
    fn a_test_finds_the_binary_one_folder_up() {
        let target = tempfile::tempdir().unwrap();
        let binary = target
            .path()
            .join(format!("skincheck{}", env::consts::EXE_SUFFIX));
        fs::write(&binary, "").unwrap();
        let running = target.path().join("deps").join("suite-0123");
        assert_eq!(binary_near(&running), Some(binary));
    }

    #[test]
    fn a_program_without_skincheck_near_finds_none() {
        let folder = tempfile::tempdir().unwrap();
        let running = folder.path().join("a").join("b").join("game");
        assert_eq!(binary_near(&running), None);
    }
}
