//! Where an import runs (in this thread, in one of its own or in a child process), and how much it may use.

mod confinement;
mod contained;
mod sandbox;
mod wire;
mod worker;
mod worker_error;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use std::{env, fs, iter};

use super::{Importer, ImporterError, Wanted, files};
use crate::account::AccountId;
use crate::paths::folder_of;
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

/// Limits of the work on a model; one that is unset follows from the size of the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Memory, in bytes.
    pub memory_bytes: Option<u64>,
    /// Wall-clock time.
    pub time: Option<Duration>,
}

/// What the work on one model may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Memory, in bytes. Reading a model is limited to it on Unix; elsewhere only the size of the result is.
    pub memory_bytes: u64,
    /// Wall-clock time.
    pub time: Duration,
}

/// The size of a model, in bytes, up to which it has the smallest budget; that of a larger one grows with its size.
const USUAL_BYTES: u64 = 20_000_000;

/// The smallest and the largest budget that a size gives.
const MEMORY_BYTES: [u64; 2] = [1 << 30, 4 << 30];
const SECONDS: [u64; 2] = [60, 300];

impl Limits {
    /// The budget of the model at `path`: 1 GiB and 60 s for up to 20 MB, and in proportion to its size up to 4 GiB and 300 s,
    /// unless they are set.
    #[must_use]
    pub fn budget(&self, path: &Path) -> Budget {
        let bytes = size(path).max(USUAL_BYTES);
        let scaled = |[least, most]: [u64; 2]| {
            let scaled = u128::from(least) * u128::from(bytes) / u128::from(USUAL_BYTES);
            u64::try_from(scaled).map_or(most, |scaled| scaled.min(most))
        };
        let time = || Duration::from_secs(scaled(SECONDS));
        Budget {
            memory_bytes: self.memory_bytes.unwrap_or_else(|| scaled(MEMORY_BYTES)),
            time: self.time.unwrap_or_else(time),
        }
    }
}

/// The size of a model. The buffers and images of a glTF text are files beside it.
fn size(path: &Path) -> u64 {
    let len = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let own = len(path);
    let is_text = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("gltf"));
    // More gives no larger budget.
    if !is_text || own > 5 * USUAL_BYTES {
        return own;
    }
    let text = files::read(path, own).unwrap_or_default();
    let named: BTreeSet<PathBuf> = named_files(&text).take(MOST_FILES).collect();
    let sizes = named.iter().map(|file| len(&folder_of(path).join(file)));
    sizes.fold(own, u64::saturating_add)
}

/// How many files that a glTF text names are looked at.
const MOST_FILES: usize = 1000;

/// The paths that a glTF text names, relative to its folder and below it. Finds `uri` members without parsing the JSON.
fn named_files(text: &[u8]) -> impl Iterator<Item = PathBuf> {
    let mut parts = text.split(|byte| *byte == b'"');
    let values = iter::from_fn(move || {
        while parts.next()? != b"uri" || parts.next()?.trim_ascii() != b":" {}
        parts.next()
    });
    // Data inside of the text is longer.
    let texts = values.filter(|value| value.len() < MOST_LETTERS);
    let paths = texts.filter_map(|value| str::from_utf8(value).ok().map(files::percent_decoded));
    paths.filter_map(|path| below(Path::new(&path)))
}

/// A path without the parts that stay in a folder; `None` if it leaves it.
fn below(path: &Path) -> Option<PathBuf> {
    let components = path.components();
    let own = components.filter(|component| *component != Component::CurDir);
    own.map(|component| matches!(component, Component::Normal(_)).then_some(component))
        .collect()
}

/// The longest path that is looked at.
const MOST_LETTERS: usize = 4096;

impl Budget {
    /// The part of the child that reads: its parent holds what it has sent so far, and what was read before.
    ///
    /// * `used` – the time that has been used.
    fn of_child(&self, used: Duration) -> Self {
        Self {
            memory_bytes: (self.memory_bytes / 5 * 4).min(AccountId::own().left()),
            time: self.time.saturating_sub(used),
        }
    }

    /// The longest stream that the parent accepts. The child holds the model and the stream at once, and they are about the
    /// same size, so a valid stream is at most half of the memory.
    fn stream_bytes(&self) -> u64 {
        self.memory_bytes / 2
    }
}

/// Reads the file at `path` with `importer`, where `isolation` says.
///
/// # Errors
///
/// [`WorkerError`], if `importer` gives no answer.
pub(super) fn read(
    importer: &'static dyn Importer,
    path: &Path,
    wanted: &Wanted,
    isolation: &Isolation,
    budget: &Budget,
) -> Result<Answer, WorkerError> {
    let Isolation::Process { program } = isolation else {
        return Ok(importer.import_some(path, wanted));
    };
    let mut used = Duration::ZERO;
    if importer.is_contained() && !contained::is_process_short_of_memory() {
        let started = Instant::now();
        match contained::run(importer, path, wanted, budget)? {
            Err(ImporterError::NeedsProcess | ImporterError::OutOfMemory) => {
                used = started.elapsed();
            }
            answer => return Ok(answer),
        }
    }
    let left = budget.of_child(used);
    let answer = sandbox::run(program, importer.name(), path, wanted, &left);
    answer.map_err(|error| match error {
        // Both attempts together.
        WorkerError::TimedOut { words, .. } => WorkerError::TimedOut {
            limit: budget.time,
            words,
        },
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_budget_grows_with_the_model_within_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, bytes: u64| {
            let path = folder.path().join(name);
            fs::File::create(&path).unwrap().set_len(bytes).unwrap();
            let budget = Limits::default().budget(&path);
            (budget.memory_bytes >> 20, budget.time.as_secs())
        };
        assert_eq!(of("a.glb", 20_000_000), (1024, 60));
        assert_eq!(of("b.glb", 30_000_000), (1536, 90));
        assert_eq!(of("c.glb", 1 << 40), (4096, 300));
        let set = Limits {
            memory_bytes: Some(7),
            time: Some(Duration::from_secs(7)),
        };
        let budget = set.budget(&folder.path().join("b.glb"));
        assert_eq!(budget.memory_bytes, 7);
        assert_eq!(budget.time, Duration::from_secs(7));
    }

    #[test]
    fn files_that_a_text_names_count_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| fs::File::create(folder.path().join(name)).unwrap();
        for name in ["a b.bin", "skin.png", "other.bin"] {
            file(name).set_len(30_000_000).unwrap();
        }
        let uris = [
            r#""a%20b.bin""#,
            r#""skin.png""#,
            r#" "./skin.png""#,
            r#""../c.glb""#,
            r#""data:,7""#,
        ];
        let text = uris.map(|uri| format!(r#"{{"uri" :{uri}}}"#)).join(",");
        fs::write(folder.path().join("a.gltf"), text).unwrap();
        let budget = Limits::default().budget(&folder.path().join("a.gltf"));
        assert_eq!(budget.time, Duration::from_secs(180));
    }

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
