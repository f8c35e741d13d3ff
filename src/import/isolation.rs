//! Where an import runs (in this thread, in one of its own or in a child process), how much it may use, and the memory that all
//! importers share.

mod confinement;
mod contained;
mod sandbox;
mod self_test;
mod wire;
mod worker;
mod worker_error;

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::{Importer, ImporterError, Options, Wanted};
use crate::platform::HAS_PROCESSES;
pub(super) use wire::Answer;

#[cfg(test)]
pub(super) use sandbox::tests::puppet;
pub use self_test::{Denial, denials};
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
    /// Importers in safe Rust in a thread of this process, those in C and C++ ([foreign](super::Importer::is_foreign):
    /// `fbx`, `assimp`) in a child process. What a hostile file does to the importer becomes an error, except that
    /// COLLADA, IQM and MD5 files may take more memory than [`Limits`].
    ForeignCode {
        /// As in [`Isolation::Process`].
        program: PathBuf,
    },
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
    /// [`Isolation::ForeignCode`], in a child process of the first of: `$SKINCHECK_BINARY`; the program of
    /// [`host_workers`]; the running program, if it is called `skincheck`; a `skincheck` next to it or one folder up
    /// (where cargo puts it for tests); the `skincheck` in `PATH`. [`Isolation::InProcess`] in WebAssembly, which has
    /// no processes.
    fn default() -> Self {
        if !HAS_PROCESSES {
            return Self::InProcess;
        }
        let program = program_or(|| binary_near(&env::current_exe().ok()?));
        Self::ForeignCode { program }
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
    /// Address space in bytes, for all importers that run in this process and its children at the same time: a file
    /// that needs most of it is read alone. Enforced on Unix; elsewhere only the size of the result is limited.
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
    match &options.isolation {
        Isolation::InProcess => Ok(importer.import_some(path, wanted)),
        Isolation::ForeignCode { .. } if !importer.is_foreign() && !importer.is_contained() => {
            within_memory(&options.limits, path, |limits| {
                contained::run(importer, path, wanted, limits)
            })
        }
        Isolation::Process { program } | Isolation::ForeignCode { program } => {
            within_memory(&options.limits, path, |limits| {
                contain(program, importer, path, wanted, [limits, &options.limits])
            })
        }
    }
}

/// Runs an import in a thread or in a child process, so that it cannot harm the program.
///
/// * `limits` – those of `options`, or with part of their memory.
fn contain(
    program: &Path,
    importer: &'static dyn Importer,
    path: &Path,
    wanted: &Wanted,
    [limits, whole]: [&Limits; 2],
) -> Result<Answer, WorkerError> {
    if importer.is_contained() && !contained::is_process_short_of_memory() {
        let is_whole = limits.memory_bytes == whole.memory_bytes;
        match contained::run(importer, path, wanted, limits)? {
            Err(ImporterError::NeedsProcess) => {}
            Err(ImporterError::OutOfMemory) if is_whole => {}
            answer => return Ok(answer),
        }
    }
    sandbox::run(program, importer.name(), path, wanted, limits)
}

/// The part of an importer without a file: its code, its stack, and the buffers of its allocator.
const BASE: u64 = 256 << 20;

/// What a byte of a file may become in memory; buffers in other files are not counted.
const BYTES_PER_BYTE: u64 = 64;

/// The memory that importers of this process may use now.
static IN_USE: Pool = Pool::new();

/// Calls `read` with part of the memory of `limits`, and, if it lacks memory, with all of it.
///
/// * `path` – of the file.
///
/// # Errors
///
/// The errors of the last call.
fn within_memory(
    limits: &Limits,
    path: &Path,
    read: impl Fn(&Limits) -> Result<Answer, WorkerError>,
) -> Result<Answer, WorkerError> {
    let whole = limits.memory_bytes;
    let bytes = path.metadata().map_or(0, |metadata| metadata.len());
    let part = whole.min(bytes.saturating_mul(BYTES_PER_BYTE).saturating_add(BASE));
    let read = |memory_bytes| {
        let _share = IN_USE.take(memory_bytes, whole);
        read(&Limits {
            memory_bytes,
            ..*limits
        })
    };
    let answer = read(part);
    if part < whole && may_lack_memory(&answer) {
        return read(whole);
    }
    answer
}

/// Whether more memory might help. Foreign code may crash where it lacks memory.
fn may_lack_memory(answer: &Result<Answer, WorkerError>) -> bool {
    match answer {
        Ok(answer) => matches!(answer, Err(ImporterError::OutOfMemory)),
        Err(
            WorkerError::OutOfMemory { .. }
            | WorkerError::Crashed { .. }
            | WorkerError::Exited { .. },
        ) => true,
        Err(WorkerError::Stream { source, .. }) => !matches!(source, WireError::Payload(_)),
        Err(_) => false,
    }
}

/// An amount that is divided.
struct Pool {
    in_use: Mutex<u64>,
    freed: Condvar,
    /// Held by the first in line, so that a large request is not passed by small ones for ever.
    line: Mutex<()>,
}

/// A part of a pool, which is returned when it is dropped.
struct Share<'a> {
    pool: &'a Pool,
    amount: u64,
}

impl Pool {
    const fn new() -> Self {
        Self {
            in_use: Mutex::new(0),
            freed: Condvar::new(),
            line: Mutex::new(()),
        }
    }

    /// Waits until `amount` is free of `most`, or everything is.
    fn take(&self, amount: u64, most: u64) -> Share<'_> {
        let _first = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let in_use = self.in_use.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |in_use: &mut u64| *in_use > 0 && in_use.saturating_add(amount) > most;
        let in_use = self.freed.wait_while(in_use, is_full);
        *in_use.unwrap_or_else(PoisonError::into_inner) += amount;
        Share { pool: self, amount }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let in_use = self.pool.in_use.lock();
        *in_use.unwrap_or_else(PoisonError::into_inner) -= self.amount;
        self.pool.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::{fs, thread};

    use super::*;
    use crate::import::LastWords;
    use crate::import::testing::empty_asset;

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

    fn lacking(limits: &Limits) -> Result<Answer, WorkerError> {
        Err(WorkerError::OutOfMemory {
            limit_bytes: limits.memory_bytes,
            words: LastWords::default(),
        })
    }

    /// The limits with which a missing file is read, if `read` gives the answers.
    fn tried_memory(
        memory_bytes: u64,
        read: impl Fn(&Limits) -> Result<Answer, WorkerError>,
    ) -> (Vec<u64>, bool) {
        let tried = RefCell::new(Vec::new());
        let limits = Limits {
            memory_bytes,
            ..Limits::default()
        };
        let answer = within_memory(&limits, Path::new("nowhere"), |limits| {
            tried.borrow_mut().push(limits.memory_bytes);
            read(limits)
        });
        (tried.into_inner(), answer.is_ok())
    }

    #[test]
    fn a_file_gets_a_part_and_then_all_of_the_memory() {
        let whole = 4 << 30;
        assert_eq!(
            tried_memory(whole, |_| Ok(Ok(empty_asset()))),
            (vec![BASE], true)
        );
        assert_eq!(tried_memory(whole, lacking), (vec![BASE, whole], false));
        assert_eq!(tried_memory(1 << 20, lacking), (vec![1 << 20], false));
        let damaged = |_: &Limits| Ok(Err(ImporterError::NoScene));
        assert_eq!(tried_memory(whole, damaged), (vec![BASE], true));
    }

    #[test]
    fn all_shares_together_stay_below_the_whole_and_every_request_is_served() {
        let pool = Pool::new();
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for amount in [1, 2, 3, 10, 1, 2, 3, 10] {
                let (pool, now, most) = (&pool, &now, &most);
                scope.spawn(move || {
                    for _ in 0..20 {
                        let share = pool.take(amount, 10);
                        let sum = now.fetch_add(amount, Ordering::SeqCst) + amount;
                        most.fetch_max(sum, Ordering::SeqCst);
                        thread::sleep(Duration::from_micros(100));
                        now.fetch_sub(amount, Ordering::SeqCst);
                        drop(share);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 10);
        // More than there is, alone.
        drop(pool.take(11, 10));
    }
}
